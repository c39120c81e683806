/**
 * What servers say unasked, and what clients tell servers. The server room is handed this beside the gateway: it
 * belongs to no request. A profile hears only the servers that it shows, and no client is told a secret of the
 * config.
 */
import type { JsonObject } from "../core/json.ts";
import type { ClientHandle, NotificationListener } from "../core/tool.ts";
import type { Redactor } from "../text/redaction.ts";
import { exposeUri } from "../registry/exposed-uri.ts";
import { createLru } from "../timing/lru.ts";
import { exposeNotification, RESOURCE_UPDATED } from "./forwarding.ts";

export interface ServerEvents {
  /** Log messages and updated resources. Returns what ends the subscription. */
  notified(listener: NotificationListener): () => void;
  /** Forwards a notification of the client to every server that is connected. */
  tell(method: string, params: JsonObject, client?: ClientHandle): void;
  /** Which of the servers' log messages a client wants to hear. */
  setLogLevel(level: string, client?: ClientHandle): void;
}

/** The servers that run now, each by its id. */
export interface RunningServers {
  notified(listener: (server: string, ...notification: Parameters<NotificationListener>) => void): () => void;
  /** To all of them, or only to one. */
  tell(method: string, params: JsonObject, client?: ClientHandle, only?: string): void;
  setLogLevel(level: string, client?: ClientHandle): void;
}

export interface HeardServers {
  /** Which servers are heard; without it, all. */
  readonly shows?: (server: string) => boolean;
  /** The server's own URIs by which clients have subscribed; without them, none has. */
  readonly bare?: Pick<BareSubscriptions, "has"> | undefined;
}

/**
 * The resources to which clients have subscribed by the server's own URI. Only of those it is told under that URI, and
 * without a search: a server may send any URI as often as it likes.
 */
export interface BareSubscriptions {
  note(server: string, uri: string): void;
  has(server: string, uri: string): boolean;
}

/** Beyond these, a client that subscribed long ago hears of the exposed URI alone. */
const BARE_LIMITS = { countMax: 10_000, sizeMax: 4 * 1024 * 1024 };

export function createBareSubscriptions(): BareSubscriptions {
  const noted = createLru<true>(BARE_LIMITS);
  return {
    note(server, uri) {
      const key = exposeUri(server, uri);
      noted.set(key, true, key.length);
    },
    has: (server, uri) => noted.get(exposeUri(server, uri)) === true,
  };
}

/**
 * With URIs as clients know them. A client that subscribed by the server's own URI is told of that one; each client hears
 * of those that it subscribed to.
 */
export function createServerEvents(
  servers: RunningServers,
  { shows = () => true, bare }: HeardServers = {},
): ServerEvents {
  return {
    notified: (listener) =>
      servers.notified((server, method, params, client) => {
        if (!shows(server)) return;
        listener(method, exposeNotification(server, method, params), client);
        if (method !== RESOURCE_UPDATED || typeof params["uri"] !== "string") return;
        if (bare?.has(server, params["uri"]) === true) listener(method, params, client);
      }),
    tell: (method, params, client) => servers.tell(method, params, client),
    setLogLevel: (level, client) => servers.setLogLevel(level, client),
  };
}

/** Of one server as it is: its own URIs, and nothing once the profile fronts it no longer. */
export function createTransparentEvents(
  servers: RunningServers,
  server: string,
  isFronted: () => boolean,
): ServerEvents {
  return {
    notified: (listener) =>
      servers.notified((id, method, params, client) => {
        if (id === server && isFronted()) listener(method, params, client);
      }),
    tell(method, params, client) {
      if (isFronted()) servers.tell(method, params, client, server);
    },
    setLogLevel: (level, client) => servers.setLogLevel(level, client),
  };
}

export function maskEvents(events: ServerEvents, redactor: () => Pick<Redactor, "mask">): ServerEvents {
  return {
    ...events,
    notified: (listener) =>
      events.notified((method, params, client) => listener(method, redactor().mask(params), client)),
  };
}
