/** Whom a server means when it asks: nothing in its question says which call made it ask. */
import type { ClientHandle } from "../../core/tool.ts";
import type { Channel, NoClient } from "./channel.ts";

/** Where there is one client, whatever the server asks is for it; the newest call says how to reach it. */
export function newestCaller(channel: Channel, client: ClientHandle | undefined): ClientHandle | NoClient {
  const caller = [...channel.calls].findLast((context) => context.client !== undefined)?.client;
  return caller ?? client ?? { noClient: "no call of a client is under way" };
}

/**
 * The client that makes every call under way, where there is such a one. A call that was given up without an answer
 * counts: the server may be asking for it still.
 */
export function onlyCaller(channel: Channel): ClientHandle | NoClient {
  if (channel.calls.size === 0) return { noClient: "no call is under way" };
  const callers = new Set([...[...channel.calls].map(({ client }) => client), ...channel.strays]);
  const [client] = callers;
  if (callers.size > 1) {
    return { noClient: "calls of several clients are under way, and it does not say for which it asks" };
  }
  return client ?? { noClient: "the call under way has none" };
}
