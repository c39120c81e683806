/**
 * The contract of a gateway: what clients reach, without a transport. Every implementation runs gateway.testsuite.ts.
 */
import type { JsonObject } from "../core/json.ts";
import type { ToolResult } from "../core/result.ts";
import type { CallContext, ListKind, ToolAnswer, ToolDefinition } from "../core/tool.ts";
import type { ForwardedMethod } from "./forwarding.ts";

/** What a client is told at the handshake. */
export interface GatewayDescription {
  readonly serverInfo: JsonObject;
  readonly capabilities: JsonObject;
  readonly instructions?: string;
}

export const LIST_METHODS = [
  "tools/list",
  "resources/list",
  "resources/templates/list",
  "prompts/list",
] as const;
export type ListMethod = (typeof LIST_METHODS)[number];

/** What clients reach. No method rejects for anything that a client sends. */
export interface Gateway {
  describe(context?: Partial<CallContext>): Promise<ToolResult<GatewayDescription>>;
  /**
   * One page of a list. The context says on whose behalf servers are started: some offer only what their client
   * supports.
   */
  list(method: ListMethod, params: JsonObject, context?: Partial<CallContext>): Promise<ToolResult<ListPage>>;
  /** A tool of a server or of the library that is known now: looked up once, ready to be called. Nothing is started. */
  find(name: string): FoundTool | undefined;
  /** Any tool by its name. Its server is listed first where nothing is known of it. */
  callTool(name: string, args: JsonObject, context?: Partial<CallContext>): Promise<ToolAnswer>;
  /** A request about a prompt or a resource, sent to the server that has it, or about a task, which is a run. */
  forward(method: ForwardedMethod, params: JsonObject, context: CallContext): Promise<ToolResult<JsonObject>>;
  /** Tells which list may differ now. */
  watch(listener: (what: ListKind) => void): ListWatch;
}

export interface ListPage {
  /** As a client gets it: the entries, and `nextCursor` where there are more. */
  readonly page: JsonObject;
  /** Of a list of tools: equal for as long as the list is. */
  readonly version?: string;
  /** The page as JSON in UTF-8, made once for as long as nothing changes. Not for lists that come page by page. */
  bytes?(this: void): Buffer;
}

export interface FoundTool {
  /** Not known of a tool that a server fronted as it is has not listed. */
  readonly definition?: ToolDefinition | undefined;
  /** The same as `callTool`. The caller has made sure that the arguments have no problem (`findJsonProblem`). */
  call(args: JsonObject, context: CallContext): Promise<ToolAnswer>;
}

interface ListWatch {
  /** The version of the list of tools as it is now, as in its `ListPage`. */
  toolsVersion(): string;
  stop(this: void): void;
}
