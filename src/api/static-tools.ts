/** Tools that a program answers itself, called like any other: arguments are checked, and nothing throws. */
import { messageOf, RepertoireError } from "../core/errors.ts";
import { DATA_LIMITS, findJsonProblem, isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import { isMetaToolName } from "../core/meta-tool-names.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import type { ToolAnswer, ToolDefinition } from "../core/tool.ts";
import { checkArguments } from "../runs/runs.ts";
import type { ArgumentCheck } from "../sandbox/schema/argument-check.ts";
import type { RegisteredTool, StaticCallContext, StaticTool } from "./public-gateway.ts";

const NAME = /^[A-Za-z0-9_-]{1,64}$/;

export interface StaticTools {
  readonly definitions: readonly ToolDefinition[];
  readonly registered: readonly RegisteredTool[];
  find(name: string): RegisteredTool | undefined;
  /** For a name that `find` knows. */
  call(name: string, args: JsonObject, context: StaticCallContext): Promise<ToolResult<ToolAnswer>>;
}

/** Throws `RepertoireError` for tools that could not be told apart or called. */
export function createStaticTools(tools: readonly StaticTool[], check: ArgumentCheck): StaticTools {
  const given: unknown = tools;
  if (!Array.isArray(given)) throw refusal("they are not a list");
  tools.forEach(requireSound);
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  if (byName.size < tools.length) throw refusal("two of them have the same name");
  const definitions = tools.map(({ name, description, inputSchema, annotations }) => ({
    name,
    description,
    inputSchema,
    ...(annotations !== undefined && { annotations }),
  }));
  const registered = definitions.map((definition) => ({
    name: definition.name,
    server: null,
    originalName: definition.name,
    definition,
  }));
  return {
    definitions,
    registered,
    find: (name) => registered.find((tool) => tool.name === name),
    call: (name, args, context) => answer(byName.get(name)!, args, context, check),
  };
}

function requireSound(tool: StaticTool | null | undefined): void {
  const { name, description, inputSchema, call }: Partial<StaticTool> = tool ?? {};
  if (typeof name !== "string" || !NAME.test(name))
    throw refusal(`the name ${JSON.stringify(name)} is not letters, digits, _ and -, at most 64 of them`);
  if (isMetaToolName(name)) throw refusal(`${name} is a tool of the gateway itself`);
  if (typeof description !== "string") throw refusal(`${name} has no description`);
  if (!isJsonObject(inputSchema) || inputSchema["type"] !== "object")
    throw refusal(`the inputSchema of ${name} is not a JSON Schema of type "object"`);
  if (typeof call !== "function") throw refusal(`${name} has no function to call`);
}

function refusal(why: string): RepertoireError {
  return new RepertoireError("CONFIG_INVALID", `The static tools cannot be used: ${why}.`);
}

async function answer(
  tool: StaticTool,
  given: JsonObject,
  context: StaticCallContext,
  check: ArgumentCheck,
): Promise<ToolResult<ToolAnswer>> {
  const args = await checkArguments(check, tool.inputSchema, given);
  if (!args.success) return args;
  const cancelled = fail("CANCELLED", `The call of ${tool.name} was cancelled.`);
  if (context.signal.aborted) return cancelled;
  try {
    return answerOf(tool.name, (await untilAborted(tool.call(args.data, context), context.signal)) ?? null);
  } catch (error) {
    if (context.signal.aborted) return cancelled;
    return fail("TOOL_EXECUTION_FAILED", messageOf(error) || `${tool.name} failed and did not say why.`);
  }
}

/** Rejects as soon as the signal says so: a program's function may never look at it. */
async function untilAborted(value: unknown, signal: AbortSignal): Promise<unknown> {
  const done = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    const give = (): void => reject(new Error("aborted"));
    if (signal.aborted) give();
    signal.addEventListener("abort", give, { signal: done.signal });
  });
  try {
    return await Promise.race([value, aborted]);
  } finally {
    done.abort();
  }
}

function answerOf(name: string, value: unknown): ToolResult<ToolAnswer> {
  const problem = findJsonProblem(value, DATA_LIMITS);
  if (problem !== undefined)
    return fail("TOOL_EXECUTION_FAILED", `What ${name} returned is not plain JSON: ${problem}.`);
  const data = value as Json;
  const text = typeof data === "string" ? data : JSON.stringify(data);
  return succeed({
    content: [{ type: "text", text }],
    ...(isJsonObject(data) && { structuredContent: data }),
  });
}
