/**
 * What a server is asked to tell of: changed lists, updated resources, log messages. A legacy server is told each by a request of
 * its own. A modern one is told by one long request that names everything, so each change opens a new one and gives up the old.
 */
import type { JsonObject } from "../core/json.ts";
import type { Connection } from "./connection.ts";
import { envelopeParams } from "./listing.ts";

/** The longest that a timer can wait: the request is answered when it ends. */
const FOREVER_MS = 2 ** 31 - 1;
const SET_LEVEL_MS = 10_000;

export class Listening {
  readonly #connection: Connection;
  readonly #uris = new Set<string>();
  #current: AbortController | undefined;

  constructor(connection: Connection, logLevel: string | undefined) {
    this.#connection = connection;
    this.#listen();
    if (logLevel !== undefined) this.setLogLevel(logLevel);
  }

  /** How many resources somebody waits to hear of. */
  get subscriptionCount(): number {
    return this.#uris.size;
  }

  subscribe(uri: string): void {
    if (this.#uris.has(uri)) return;
    this.#uris.add(uri);
    this.#listen();
  }

  unsubscribe(uri: string): void {
    if (this.#uris.delete(uri)) this.#listen();
  }

  /** A modern server hears the level with each request; see `requestOf`. */
  setLogLevel(level: string): void {
    const { peer, session } = this.#connection;
    if (session.era === "modern" || session.capabilities["logging"] === undefined) return;
    void peer.request("logging/setLevel", { level }, { timeoutMs: SET_LEVEL_MS });
  }

  #listen(): void {
    const { peer, session } = this.#connection;
    if (session.era !== "modern") return;
    const before = this.#current;
    this.#current = new AbortController();
    const notifications: JsonObject = {
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      ...(this.#uris.size === 0 ? {} : { resourceSubscriptions: [...this.#uris] }),
    };
    const params = { notifications, ...envelopeParams(session) };
    const { signal } = this.#current;
    void peer.request("subscriptions/listen", params, { timeoutMs: FOREVER_MS, signal });
    before?.abort();
  }
}
