/** Whom a server means when it asks: nothing in its question says which call made it ask. */
import type { ClientHandle } from "../../core/tool.ts";
import type { Line, NobodyToAsk } from "./line.ts";

/** Where there is one client, whatever the server asks is for it; the newest call says how to reach it. */
export function newestCaller(line: Line, client: ClientHandle | undefined): ClientHandle | NobodyToAsk {
  const caller = [...line.calls].findLast((context) => context.client !== undefined)?.client;
  return caller ?? client ?? { nobody: "no call of a client is under way" };
}

/**
 * The client that makes every call under way, where there is such a one. A call that was given up without an answer counts: the
 * server may be asking for it still.
 */
export function onlyCaller(line: Line): ClientHandle | NobodyToAsk {
  if (line.calls.size === 0) return { nobody: "no call is under way" };
  const callers = new Set([...[...line.calls].map(({ client }) => client), ...line.strays]);
  const [client] = callers;
  if (callers.size > 1) {
    return { nobody: "calls of several clients are under way, and it does not say for which it asks" };
  }
  return client ?? { nobody: "the call under way has none" };
}
