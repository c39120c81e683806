import type { Server } from "@modelcontextprotocol/server";
import * as z from "zod";
import type { JsonObject } from "../core/json.ts";
import { fail, succeed } from "../core/result.ts";
import type { ClientHandle } from "../core/tool.ts";
import { INTERNAL_ERROR } from "../core/rpc-codes.ts";

/** A person may think before answering; the server that asks has its own, shorter patience. */
const ANSWER_MS = 10 * 60 * 1000;

/** Passes an answer on as it is. */
const anything = z.looseObject({});

/** The client of a legacy connection, for servers that ask back. A modern one is asked in the answer instead. */
export function createClientHandle(server: Server, gone: AbortSignal): ClientHandle {
  return {
    gone,
    get capabilities() {
      return (server.getClientCapabilities() ?? {}) as JsonObject;
    },
    async request(method, params, signal) {
      try {
        const answer = await server.request({ method, params }, anything, { signal, timeout: ANSWER_MS });
        return succeed(answer as JsonObject);
      } catch (error) {
        const { code, message, data } = error as { code?: unknown; message?: string; data?: unknown };
        const words = message ?? "the client did not answer";
        const upstream = {
          code: typeof code === "number" ? code : INTERNAL_ERROR,
          message: words,
          ...(data === undefined ? {} : { data }),
        };
        return fail("TOOL_EXECUTION_FAILED", words, { upstream });
      }
    },
    notify(method, params) {
      server.notification({ method, params }).catch(() => {});
    },
  };
}
