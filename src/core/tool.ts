/** The nouns and contracts around something that can be called. */
import type { JsonObject } from "./json.ts";
import type { ToolResult } from "./result.ts";

/** A tool as MCP describes it. Fields that this version does not know are kept, so that nothing is lost in passing. */
export interface ToolDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations?: ToolAnnotations;
  readonly _meta?: JsonObject;
  readonly metadata?: {
    readonly category?: string;
    readonly version?: string;
    readonly tags?: readonly string[];
  };
  readonly [field: string]: unknown;
}

/** Hints from whoever wrote the tool. From an untrusted server they relax nothing. */
export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** What a tool answered, in the shape of an MCP result. `isError` is the tool's own word. */
export interface ToolAnswer {
  readonly content: readonly JsonObject[];
  readonly structuredContent?: JsonObject;
  readonly isError?: boolean;
  readonly _meta?: JsonObject;
  readonly [field: string]: unknown;
}

/** What travels with a call from the client down to the last nested one. It is passed, never global. */
export interface CallContext {
  readonly traceId: string;
  readonly signal: AbortSignal;
  /** The run that makes this call, if one does. */
  readonly runId?: string;
  /** How many capabilities deep the call is; 0 for a client's own. */
  readonly depth?: number;
  /** On the clock's wall time; shared by everything below. */
  readonly deadlineAt?: number;
  readonly onProgress?: (progress: { progress: number; total?: number; message?: string }) => void;
}

export type CallTool = (
  name: string,
  args: JsonObject,
  context: CallContext,
) => Promise<ToolResult<ToolAnswer>>;

/**
 * The one shape that upstream servers, the library and the built-in nodes share. Names are the source's own, not exposed
 * ones. No method throws; `call` of a closed source fails with `TOOL_UNAVAILABLE`.
 */
export interface ToolSource {
  readonly id: string;
  list(context: CallContext): Promise<ToolResult<readonly ToolDefinition[]>>;
  readonly call: CallTool;
  /** Tells when the list may have changed; returns how to stop listening. */
  changed(listener: () => void): () => void;
  close(): Promise<void>;
}
