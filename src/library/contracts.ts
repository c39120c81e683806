/**
 * What kept code was written against: the definitions of the tools that it uses, and whether they are still the same.
 * Only what decides how a tool is called counts: its schemas and annotations, not its words.
 */
import { hashOfDefinition } from "../core/definition-hash.ts";
import type { Json, JsonObject } from "../core/json.ts";
import type { ToolUse, UsedSource } from "../core/store.ts";
import type { ToolAnnotations, ToolDefinition } from "../core/tool.ts";
import { isMeant, type FoundTool } from "../runs/prepare/tool-directory.ts";
import { diffSchemas } from "./schema/schema-diff.ts";

/** A tool that kept code uses, beside what it is now. */
export interface ToolDrift {
  readonly tool: string;
  /** `unknown`: its server has not said yet what it has. `source_changed`: its name leads to something else now. */
  readonly state: "same" | "changed" | "source_changed" | "missing" | "unknown";
  /** What is different, one change in each line. */
  readonly changes: readonly string[];
}

/** What is known of a tool now. */
export type LookUpTool = (tool: string) => ToolNow;

interface ToolNow {
  readonly definition: ToolDefinition | "missing" | "unknown";
  /** Whose tool that is, where that is known. */
  readonly source?: UsedSource;
  /** What code means today that writes the name, where that is something else: `the server math`. */
  readonly meansNow?: string;
}

/** The part of a definition that calls depend on. */
function contractOf({ inputSchema, outputSchema, annotations }: ToolDefinition): JsonObject {
  return {
    inputSchema: withoutWords(inputSchema),
    ...(outputSchema !== undefined && { outputSchema: withoutWords(outputSchema) }),
    ...(annotations !== undefined && { annotations: annotations as JsonObject }),
  };
}

/** Say nothing about which values are valid. */
const WORDS = new Set(["description", "title", "examples", "$comment", "$schema", "$id"]);
/** Hold values, not schemas. */
const VALUES = new Set(["enum", "const", "default", "required", "type"]);
/** Hold schemas under names of any kind. */
const NAMED = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);

function withoutWords(schema: JsonObject): JsonObject {
  const entries = Object.entries(schema).filter(([key]) => !WORDS.has(key));
  return Object.fromEntries(entries.map(([key, value]) => [key, wordless(key, value)]));
}

function wordless(key: string, value: Json): Json {
  if (VALUES.has(key) || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item: Json) => wordless(key, item));
  if (!NAMED.has(key)) return withoutWords(value as JsonObject);
  return Object.fromEntries(
    Object.entries(value as JsonObject).map(([name, child]) => [name, wordless("", child)]),
  );
}

const contracts = new WeakMap<ToolDefinition, JsonObject>();

/** The same object for the same definition, so that it is hashed once. */
function contractFor(definition: ToolDefinition): JsonObject {
  const known = contracts.get(definition) ?? contractOf(definition);
  contracts.set(definition, known);
  return known;
}

export function toolUseOf({ name, definition, source }: FoundTool): ToolUse {
  const contract = contractFor(definition);
  return {
    tool: name,
    hash: hashOfDefinition(contract),
    definition: contract,
    ...(source !== undefined && { source }),
  };
}

export function compareTools(used: readonly ToolUse[], lookUp: LookUpTool): ToolDrift[] {
  return used.map((use) => compareTool(use, lookUp(use.tool)));
}

function compareTool(use: ToolUse, { definition: now, source, meansNow }: ToolNow): ToolDrift {
  const { tool, hash, definition } = use;
  const other = otherSource(use, now === "missing", source, meansNow);
  if (other !== undefined) return { tool, state: "source_changed", changes: [other] };
  if (typeof now === "string") return { tool, state: now, changes: [] };
  const contract = contractFor(now);
  if (hashOfDefinition(contract) === hash) return { tool, state: "same", changes: [] };
  return { tool, state: "changed", changes: definition === undefined ? [] : changesOf(definition, contract) };
}

/** In words, what became of the source that the name meant when the version was kept. */
function otherSource(
  use: ToolUse,
  isMissing: boolean,
  source: UsedSource | undefined,
  meansNow: string | undefined,
): string | undefined {
  if (!isMissing && !isMeant(use.source, source)) return otherMeaning(use.source, source);
  if (meansNow === undefined) return undefined;
  if (isMissing) return `it is not there any more, and its name means ${meansNow} now`;
  return use.source === undefined
    ? `its name means ${meansNow} now`
    : `its name means ${meansNow} in new code; this version keeps to what it was kept with`;
}

function otherMeaning(meant: UsedSource | undefined, now: UsedSource | undefined): string {
  if (meant?.kind === "program")
    return "it is a tool of the program that this was saved in, which is not here";
  if (now?.kind === "program") return "its name means a tool of this program now";
  return "another capability has this name now";
}

function changesOf(before: JsonObject, after: JsonObject): string[] {
  const schemas = ["inputSchema", "outputSchema"].flatMap((key) =>
    diffSchemas(before[key] as JsonObject | undefined, after[key] as JsonObject | undefined).map((line) =>
      key === "inputSchema" ? line : `answer: ${line}`,
    ),
  );
  const isAnnotated = JSON.stringify(before["annotations"]) !== JSON.stringify(after["annotations"]);
  return isAnnotated ? [...schemas, "its annotations changed"] : schemas;
}

/** Those that make a difference. */
export function changedTools(drifts: readonly ToolDrift[]): ToolDrift[] {
  return drifts.filter(({ state }) => state !== "same" && state !== "unknown");
}

/**
 * What can honestly be said of code that uses these tools: it only reads if all of them only read, and it destroys if
 * one of them may. A tool that says nothing may do anything.
 */
export function annotationsOf(used: readonly ToolUse[]): ToolAnnotations {
  const hints = used.map(({ definition }) => (definition?.["annotations"] ?? {}) as ToolAnnotations);
  const readOnlyHint = hints.every((hint) => hint.readOnlyHint === true);
  return {
    readOnlyHint,
    destructiveHint: !hints.every((hint) => hint.readOnlyHint === true || hint.destructiveHint === false),
    idempotentHint: hints.every((hint) => hint.readOnlyHint === true || hint.idempotentHint === true),
    openWorldHint: !hints.every((hint) => hint.openWorldHint === false),
  };
}
