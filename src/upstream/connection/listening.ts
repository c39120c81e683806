/**
 * What a server is asked to tell of: changed lists, updated resources, log messages. A legacy server is told each by a
 * request of its own. A modern one is told by one long request that names everything, so each change opens a new one
 * and gives up the old.
 *
 * Several clients may wait for the same resource: it is given up when the last of them does not want it any more.
 */
import type { JsonObject } from "../../core/json.ts";
import type { ClientHandle } from "../../core/tool.ts";
import type { OpenConnection } from "./connect.ts";
import { envelopeParams } from "./listing.ts";

/** The longest that a timer can wait: the request is answered when it ends. */
const FOREVER_MS = 2 ** 31 - 1;
const SET_LEVEL_MS = 10_000;
const SUBSCRIBE_MS = 10_000;

/** A client; undefined for a caller without one. */
type Subscriber = ClientHandle | undefined;

export class Listening {
  readonly #connection: OpenConnection;
  readonly #subscribers = new Map<string, Set<Subscriber>>();
  /** Clients whose going is watched. */
  readonly #watched = new WeakSet<ClientHandle>();
  #current: AbortController | undefined;

  /** Goes on with what was waited for on an earlier connection. */
  constructor(connection: OpenConnection, logLevel: string | undefined, earlier?: Listening) {
    this.#connection = connection;
    this.#listen();
    if (earlier !== undefined) this.#renew(earlier);
    if (logLevel !== undefined) this.setLogLevel(logLevel);
  }

  /** How many resources have a subscriber. */
  get subscriptionCount(): number {
    return this.#subscribers.size;
  }

  subscribe(uri: string, client: Subscriber): void {
    const subscribers = this.#subscribers.get(uri);
    subscribers?.add(client);
    if (subscribers === undefined) {
      this.#subscribers.set(uri, new Set([client]));
      this.#listen();
    }
    if (client === undefined || this.#watched.has(client)) return;
    this.#watched.add(client);
    client.gone.addEventListener("abort", () => this.#forget(client), { once: true });
  }

  unsubscribe(uri: string, client: Subscriber): void {
    const subscribers = this.#subscribers.get(uri);
    subscribers?.delete(client);
    if (subscribers?.size !== 0) return;
    this.#subscribers.delete(uri);
    this.#listen();
  }

  /** Whether somebody else waits to hear of it. */
  isWantedBesides(uri: string, client: Subscriber): boolean {
    const subscribers = this.#subscribers.get(uri);
    return [...(subscribers ?? [])].some((other) => other !== client);
  }

  /** A modern server hears the level with each request; see `requestOf`. */
  setLogLevel(level: string): void {
    const { peer, session } = this.#connection;
    if (session.era === "modern" || session.capabilities["logging"] === undefined) return;
    void peer.request("logging/setLevel", { level }, { timeoutMs: SET_LEVEL_MS });
  }

  #renew(earlier: Listening): void {
    const { peer, session } = this.#connection;
    for (const [uri, subscribers] of earlier.#subscribers) {
      for (const client of subscribers) this.subscribe(uri, client);
      if (session.era === "legacy")
        void peer.request("resources/subscribe", { uri }, { timeoutMs: SUBSCRIBE_MS });
    }
  }

  #forget(client: ClientHandle): void {
    const { peer, session } = this.#connection;
    for (const [uri, subscribers] of this.#subscribers) {
      if (!subscribers.has(client)) continue;
      this.unsubscribe(uri, client);
      if (session.era === "modern" || this.#subscribers.has(uri)) continue;
      void peer.request("resources/unsubscribe", { uri }, { timeoutMs: SUBSCRIBE_MS });
    }
  }

  #listen(): void {
    const { peer, session } = this.#connection;
    if (session.era !== "modern") return;
    const before = this.#current;
    this.#current = new AbortController();
    const uris = [...this.#subscribers.keys()];
    const notifications: JsonObject = {
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      ...(uris.length === 0 ? {} : { resourceSubscriptions: uris }),
    };
    const params = { notifications, ...envelopeParams(session) };
    const { signal } = this.#current;
    void peer.request("subscriptions/listen", params, { timeoutMs: FOREVER_MS, signal });
    before?.abort();
  }
}
