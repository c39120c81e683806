/**
 * The results of the nodes of a run. A large result is not held in memory: it is read back from the journal where it is
 * needed.
 */
import type { ToolError } from "../../core/errors.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import { INLINE_RESULT_BYTES_MAX, type RunStore } from "../../core/store.ts";
import type { Seal } from "../journal/seal.ts";

/** How a node ended. The hash covers everything that its result depends on. */
export type NodeEnd =
  | { readonly kind: "done"; readonly value: NodeValue; readonly hash: string }
  | {
      readonly kind: "failed";
      readonly error: ToolError;
      readonly hash: string;
      readonly isHandled: boolean;
      readonly seq?: number;
    }
  | { readonly kind: "skipped" };

export type NodeValue = () => Promise<Json>;

export interface ValueDeps {
  readonly store: RunStore;
  readonly seal: Seal;
  readonly runId: string;
}

export function keepValue({ store, seal, runId }: ValueDeps, key: string, value: Json): NodeValue {
  if (Buffer.byteLength(JSON.stringify(value)) <= INLINE_RESULT_BYTES_MAX)
    return () => Promise.resolve(value);
  return async () => seal.open((await store.stepResult(runId, key)) ?? null);
}

/** What templates see of a failure that is handled: `${node.error.message}`. */
export function errorValue({ code, message, reason }: ToolError): JsonObject {
  return { error: { code, message, ...(reason !== undefined && { reason }) } };
}
