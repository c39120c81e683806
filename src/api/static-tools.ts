/**
 * The static tools that a program gives, read once: a tool that could not be told apart, listed or called is refused by
 * its name before anything is opened. What is read is a copy: to change what was given changes nothing that is listed.
 */
import { RepertoireError } from "../core/errors.ts";
import { findJsonProblem, isJsonObject, type JsonObject } from "../core/json.ts";
import { isMetaToolName } from "../core/meta-tool-names.ts";
import { serverIdOf } from "../core/names.ts";
import type { ToolDefinition } from "../core/tool.ts";
import type { GatewayOptions, StaticTool } from "./public-gateway.ts";

const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const NAMESPACE_DEFAULT = "program";
/** The longest that a timer takes. */
const TIMEOUT_MS_MAX = 2 ** 31 - 1;

export interface StaticTools {
  /** Code calls them as `mcp.<namespace>.<name>`. */
  readonly namespace: string;
  readonly tools: readonly ReadTool[];
}

/** A tool as it is listed, and how it is called. */
export interface ReadTool {
  readonly definition: ToolDefinition;
  readonly call: StaticTool["call"];
  readonly timeoutMs?: number | undefined;
}

/** Throws `RepertoireError` for options that make no sense. */
export function readStaticTools({
  tools,
  staticTools,
  toolsNamespace,
}: Pick<GatewayOptions, "tools" | "staticTools" | "toolsNamespace">): StaticTools {
  const namespace = toolsNamespace ?? NAMESPACE_DEFAULT;
  const id = serverIdOf(namespace);
  if (!id.success || id.data !== namespace)
    throw refusal(
      `the toolsNamespace ${JSON.stringify(namespace)} is not lower-case words joined by _, or it is reserved`,
    );
  const given = [...listOf("tools", tools), ...listOf("staticTools", staticTools)];
  const read = given.map((tool) => readTool(tool, namespace));
  const taken = findTwice(read.map(({ definition }) => definition.name));
  if (taken !== undefined) throw refusal(`two of them have the same name, ${taken}`);
  return { namespace, tools: read };
}

export function refusal(why: string, hint?: string): RepertoireError {
  const message = `The static tools cannot be used: ${why.replace(/\.$/, "")}.`;
  return new RepertoireError("CONFIG_INVALID", message, hint === undefined ? {} : { hint });
}

/** Callers without types pass anything, and null for what they leave out. */
function listOf(option: string, given: unknown): readonly unknown[] {
  if (given === undefined || given === null) return [];
  if (!Array.isArray(given)) throw refusal(`${option} is not a list`);
  return given;
}

function readTool(given: unknown, namespace: string): ReadTool {
  const tool: Partial<StaticTool> = typeof given === "object" && given !== null ? given : {};
  const { call, timeoutMs } = tool;
  const name = requireName(tool.name, namespace);
  if (typeof tool.description !== "string") throw refusal(`${name} has no description`);
  requireObjectSchema(name, "inputSchema", tool.inputSchema);
  if (tool.outputSchema != null) requireObjectSchema(name, "outputSchema", tool.outputSchema);
  if (tool.annotations != null) requireObject(name, "annotations", tool.annotations);
  if (tool.metadata != null) requireMetadata(name, tool.metadata);
  if (typeof call !== "function") throw refusal(`${name} has no function to call`);
  if (timeoutMs != null && !isTimeout(timeoutMs))
    throw refusal(`the timeoutMs of ${name} is no whole number from 1 to ${TIMEOUT_MS_MAX}`);
  // As a method: a tool may be an object of a class.
  return {
    definition: copyDefinition(name, tool),
    call: (args, context) => call.call(tool, args, context),
    timeoutMs: timeoutMs ?? undefined,
  };
}

function requireName(name: unknown, namespace: string): string {
  if (typeof name !== "string" || !NAME.test(name))
    throw refusal(`the name ${shown(name)} is not letters, digits, _ and -, at most 64 of them`);
  if (isMetaToolName(name)) throw refusal(`${name} is a tool of the gateway itself`);
  if (name.startsWith(`${namespace}__`))
    throw refusal(`${name} begins with ${namespace}__, which is how the tool is called within the gateway`);
  return name;
}

function requireObjectSchema(tool: string, field: string, schema: unknown): void {
  if (!isJsonObject(schema) || schema["type"] !== "object")
    throw refusal(`the ${field} of ${tool} is not a JSON Schema of type "object"`);
}

function requireObject(tool: string, field: string, value: unknown): asserts value is JsonObject {
  if (!isJsonObject(value)) throw refusal(`the ${field} of ${tool} are not an object`);
}

function requireMetadata(tool: string, metadata: unknown): void {
  requireObject(tool, "metadata", metadata);
  const { category, version, tags } = metadata;
  for (const [field, value] of Object.entries({ category, version }))
    if (value !== undefined && typeof value !== "string")
      throw refusal(`the metadata.${field} of ${tool} is not a string`);
  if (tags === undefined) return;
  if (!Array.isArray(tags) || !tags.every((tag) => typeof tag === "string"))
    throw refusal(`the metadata.tags of ${tool} are not a list of strings`);
}

function isTimeout(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= TIMEOUT_MS_MAX;
}

function copyDefinition(name: string, tool: Partial<StaticTool>): ToolDefinition {
  const { description, inputSchema, outputSchema, annotations, metadata } = tool;
  const optional = { outputSchema, annotations, metadata };
  const present = Object.fromEntries(Object.entries(optional).filter(([, value]) => value != null));
  const definition = { name, description, inputSchema, ...present };
  const problem = findJsonProblem(definition);
  if (problem !== undefined) throw refusal(`the definition of ${name} is not plain JSON: ${problem}`);
  return structuredClone(definition) as ToolDefinition;
}

function findTwice(names: readonly string[]): string | undefined {
  return names.find((name, index) => names.indexOf(name) !== index);
}

/** A name may be anything, also what cannot be JSON. */
function shown(name: unknown): string {
  return typeof name === "string" ? JSON.stringify(name.slice(0, 100)) : `of type ${typeof name}`;
}
