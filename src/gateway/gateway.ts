/**
 * The face that clients see, without a transport: which tools there are, and what a call answers.
 *
 * `callTool` never throws. A failure is a result with `isError`, for the reader is a model that can act on it; what went wrong
 * inside is logged under the trace id that the result carries, and nothing of it is shown.
 */
import { randomUUID } from "node:crypto";
import { messageOf, type ToolError } from "../core/errors.ts";
import { findJsonProblem, type JsonObject } from "../core/json.ts";
import type { Log } from "../core/log.ts";
import { parseToolName } from "../core/names.ts";
import { didYouMean, nearest } from "../core/nearest.ts";
import { fail, type ToolResult } from "../core/result.ts";
import type { CallContext, ToolAnswer, ToolDefinition } from "../core/tool.ts";
import type { Drafts } from "../library/drafts.ts";
import type { Library } from "../library/library.ts";
import type { Registry } from "../registry/registry.ts";
import { createBrowseComponents } from "./browse-components.ts";
import { createDescribeWorkflow } from "./describe-workflow.ts";
import { createExecute } from "./execute.ts";
import { createListLibrary } from "./list-library.ts";
import type { MetaTool } from "./meta-tool.ts";
import { createSaveToLibrary } from "./save-to-library.ts";

/** The key of the trace id in the `_meta` of every answer. */
export const TRACE_ID_KEY = "repertoire/traceId";

export interface Gateway {
  listTools(): Promise<ToolDefinition[]>;
  callTool(name: string, args: JsonObject, context?: Partial<CallContext>): Promise<ToolAnswer>;
  /** Tells when the next `listTools` would differ. */
  changed(listener: () => void): () => void;
}

export interface GatewayParts {
  readonly registry: Registry;
  readonly library: Library;
  readonly drafts: Drafts;
  /** The ids of the configured servers that are enabled. */
  readonly servers: () => readonly string[];
  /** Those of them that nothing connects to yet. */
  readonly waiting: () => readonly string[];
  /** Tells when `servers` has changed. */
  readonly serversChanged: (listener: () => void) => () => void;
  readonly log: Log;
}

export function createGateway(parts: GatewayParts): Gateway {
  const metaTools: readonly MetaTool[] = [
    createBrowseComponents(parts),
    createListLibrary(parts.library),
    createDescribeWorkflow(parts.library),
    createExecute(parts),
    createSaveToLibrary(parts),
  ];

  async function route(
    name: string,
    args: JsonObject,
    context: CallContext,
  ): Promise<ToolResult<ToolAnswer>> {
    const metaTool = metaTools.find((tool) => tool.name === name);
    if (metaTool !== undefined) return toAnswer(await metaTool.call(args, context));
    const parsed = parseToolName(name);
    switch (parsed.kind) {
      case "upstream":
        return parts.registry.call(name, args, context);
      case "capability":
        return fail("TOOL_NOT_FOUND", `Capability not found: ${name}`, {
          nearest: nearest(name, await parts.library.names()),
        });
      case "static":
        return unknownTool(name, metaTools);
      case "invalid":
        return fail("TOOL_INVALID_INPUT", "Invalid tool name format", {
          hint: "A tool is server__tool, mcp__namespace__action or one of the meta-tools.",
        });
    }
  }

  return {
    async listTools() {
      const servers = parts.servers();
      return metaTools.map((tool) => tool.define(servers));
    },
    async callTool(name, args, partial = {}) {
      const context = { traceId: randomUUID(), signal: new AbortController().signal, ...partial };
      const problem = findJsonProblem(args);
      const result =
        problem === undefined
          ? await route(name, args, context).catch((error: unknown) =>
              unexpected(error, name, context, parts.log),
            )
          : fail("TOOL_INVALID_INPUT", `The arguments are refused: ${problem}.`);
      const answer = result.success ? result.data : errorAnswer(result.error);
      return { ...answer, _meta: { ...answer._meta, [TRACE_ID_KEY]: context.traceId } };
    },
    changed: (listener) => parts.serversChanged(listener),
  };
}

function toAnswer(result: ToolResult<JsonObject>): ToolResult<ToolAnswer> {
  if (!result.success) return result;
  const content = [{ type: "text", text: JSON.stringify(result.data) }];
  return { success: true, data: { content, structuredContent: result.data } };
}

/** A failure as a result: the same JSON as structure and as text, because clients show one or the other. */
function errorAnswer(error: ToolError): ToolAnswer {
  const structuredContent = { success: false, error: { ...error } } as unknown as JsonObject;
  return {
    isError: true,
    content: [{ type: "text", text: JSON.stringify(structuredContent) }],
    structuredContent,
  };
}

function unknownTool(name: string, metaTools: readonly MetaTool[]): ToolResult<never> {
  const known = metaTools.map((tool) => tool.name);
  const near = nearest(name, known);
  return fail("TOOL_NOT_FOUND", `There is no tool ${JSON.stringify(name.slice(0, 80))}.${didYouMean(near)}`, {
    nearest: near,
    hint: `The meta-tools are ${known.join(", ")}; browse_components finds the others.`,
  });
}

/** A bug or a broken world: the client learns that it happened and where to look, the log learns what. */
function unexpected(error: unknown, tool: string, context: CallContext, log: Log): ToolResult<never> {
  log.error("gateway.call.failed", { tool, traceId: context.traceId, error });
  const storeFailed = error instanceof Error && error.name === "RepertoireError";
  return fail(
    "TOOL_EXECUTION_FAILED",
    storeFailed ? messageOf(error) : "The gateway failed to handle this call.",
    {
      hint: `The log has the cause under traceId ${context.traceId}.`,
    },
  );
}
