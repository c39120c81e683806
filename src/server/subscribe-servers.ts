/**
 * The SDK answers `subscriptions/listen` of a modern client itself and delivers what is announced; what it cannot
 * know is that the servers behind us must be asked to announce it, and no longer when no client listens.
 */
import { randomUUID } from "node:crypto";
import type { JSONRPCRequest } from "@modelcontextprotocol/server";
import type { Log } from "../core/log.ts";
import { fail } from "../core/result.ts";
import type { CallContext, ClientHandle } from "../core/tool.ts";
import type { Gateway } from "../gateway/gateway.ts";

/** Each costs a request to its server. */
const URI_COUNT_MAX = 256;

/** `gone` is aborted when the stream has ended; `own` says who listens. */
export function subscribeServers(
  { gateway, log }: { readonly gateway: Gateway; readonly log: Log },
  message: JSONRPCRequest,
  gone: AbortSignal,
  own: Partial<CallContext> = {},
): void {
  const { resourceSubscriptions } = (message.params?.["notifications"] ?? {}) as {
    resourceSubscriptions?: unknown;
  };
  if (!Array.isArray(resourceSubscriptions)) return;
  const client = listenerOf(gone);
  const uris = new Set((resourceSubscriptions as unknown[]).slice(0, URI_COUNT_MAX));
  const subscribe = async (uri: string): Promise<void> => {
    const context = { ...own, traceId: randomUUID(), signal: gone, client };
    try {
      await gateway.forward("resources/subscribe", { uri }, context);
    } catch (error) {
      log.warn("server.subscribe.failed", { error });
    }
  };
  for (const uri of uris) if (typeof uri === "string") void subscribe(uri);
}

/** A client that listens and cannot be asked; its `gone` says for how long a server has to tell it. */
function listenerOf(gone: AbortSignal): ClientHandle {
  return {
    capabilities: {},
    gone,
    request: async () => fail("TOOL_EXECUTION_FAILED", "The client cannot be asked here."),
    notify() {},
  };
}
