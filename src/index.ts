/** The public API. Everything else may change without notice. */
import { findNodeProblem } from "./process/node-version.ts";
import type { Gateway, GatewayOptions } from "./api/public-gateway.ts";

export { RepertoireError } from "./core/errors.ts";
export { VERSION } from "./core/version.ts";
export type {
  CallOptions,
  Discovered,
  DiscoverOptions,
  Gateway,
  GatewayEvent,
  GatewayEventKind,
  GatewayEventOf,
  GatewayOptions,
  GatewayRegistry,
  Invalidated,
  RegisteredResource,
  RegisteredServer,
  RegisteredTool,
  ResourceRegistry,
  StaticCallContext,
  StaticTool,
  ToolCallResult,
  ToolRegistry,
} from "./api/public-gateway.ts";
export type { RepertoireErrorCode, ToolError, ToolErrorCode } from "./core/errors.ts";
export type { Json, JsonObject } from "./core/json.ts";
export type { LogEntry, LogLevel } from "./core/log.ts";
export type { ToolResult } from "./core/result.ts";
export type { AnthropicTool, ToolAnnotations, ToolAnswer, ToolDefinition } from "./core/tool.ts";

const nodeProblem = findNodeProblem();
if (nodeProblem !== undefined) {
  // Where it was thrown is of no use to its reader, who would look for the cause there.
  throw Object.assign(new Error(nodeProblem), { stack: `Error: ${nodeProblem}` });
}

/** Opens a gateway without a transport, for a program that wants its tools directly. Throws `RepertoireError`. */
export async function createGateway(options: GatewayOptions = {}): Promise<Gateway> {
  const { openGateway } = await import("./api/open-gateway.ts");
  return openGateway(options);
}
