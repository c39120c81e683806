/**
 * The header of a capability's file: which fields it has, and everything that is wrong with one, each with its line.
 *
 * A header comes from a stranger. It is bounded before it is looked at, a duplicate key is reported, and so is a name
 * or a kind that does not go with the path of the file.
 */
import { findNodeAtLocation, parseTree, type Node } from "jsonc-parser";
import * as z from "zod";
import {
  DATA_LIMITS,
  JSON_LIMITS,
  parseJson,
  type Json,
  type JsonLimits,
  type JsonObject,
  isJsonObject,
} from "../../core/json.ts";
import { displayNameOf, parseReference, type CapabilityName } from "../../core/names.ts";
import { didYouMean, nearest } from "../../text/nearest.ts";
import { VISIBILITIES, type CapabilityKind } from "../../core/store.ts";
import { hasNul } from "../../text/nul.ts";
import { quote } from "../../text/quote.ts";

export const PORTABLE_EXTENSIONS: Readonly<Record<CapabilityKind, string>> = {
  code: ".ts",
  workflow: ".jsonc",
};

/** Room for the definitions of every tool that is used; those of real tools have about 2 KiB each. */
const HEADER_BYTES_MAX = 1024 * 1024;
const HEADER_LIMITS: JsonLimits = {
  bytesMax: HEADER_BYTES_MAX,
  keyCountMax: DATA_LIMITS.keyCountMax,
  // A schema at the limit is at most four levels down, as `toolsUsed[0].definition.inputSchema`.
  depthMax: JSON_LIMITS.depthMax + 4,
};

const PATH_RULE = "a file is called <namespace>/<action>.ts or <namespace>/<action>.jsonc";
/** Finding the place and the nearest name of each costs time, and a header has room for half a million. */
const FILE_PROBLEM_COUNT_MAX = 50;

/** What is wrong with a file, and where. */
export interface Problem {
  /** From 1; infinite for a word at the end. */
  readonly line?: number;
  readonly message: string;
}

/** A problem of the header: where it is, as an offset or a path, and its words once they are wanted. */
interface HeaderFinding {
  readonly at: number | readonly (string | number)[];
  readonly message: () => string;
}

const must = (rule: string) => (issue: { readonly input?: unknown }) =>
  issue.input === undefined ? "is missing" : `must be ${rule}`;

const TEXT = z
  .string({ error: must("text") })
  .refine((text) => text.isWellFormed(), "holds half of a character (a lone surrogate)");
/** Not as part of JSON. */
const STORED_TEXT = TEXT.refine((text) => !hasNul(text), "holds a NUL character, which cannot be stored");
// Taken as they are: they come from `parseJson`, so they are plain and bounded.
const JSON_VALUE = z.custom<Json>((value) => value !== undefined, { error: must("JSON") });
const JSON_OBJECT = z.custom<JsonObject>(isJsonObject, { error: must("an object") });
const NAME = z.string({ error: must("text, as math:sum") }).transform(readName);
const list = <T extends z.ZodType>(item: T) => z.array(item, { error: must("a list") });

const PROGRAM = z.strictObject(
  { kind: z.literal("program", { error: must('"program"') }), id: TEXT },
  { error: must("an object") },
);
const TOOL_USE = z.strictObject(
  { tool: TEXT, hash: TEXT, definition: JSON_OBJECT.optional(), source: PROGRAM.optional() },
  { error: must("an object") },
);
const CALL = z.strictObject(
  { tool: TEXT, args: JSON_OBJECT, result: JSON_VALUE.optional(), error: JSON_OBJECT.optional() },
  { error: must("an object") },
);
const EXAMPLE = z.strictObject(
  {
    inputs: JSON_OBJECT,
    calls: list(CALL),
    result: JSON_VALUE,
    seed: STORED_TEXT.optional(),
    clockAt: z.int({ error: must("a whole number") }).optional(),
  },
  { error: must("an object") },
);
const HEADER = z.strictObject(
  {
    name: NAME,
    kind: z.enum(["code", "workflow"], { error: must('"code" or "workflow"') }),
    description: STORED_TEXT,
    tags: list(TEXT).default([]),
    visibility: z.enum(VISIBILITIES, { error: must(`one of ${VISIBILITIES.join(", ")}`) }),
    author: STORED_TEXT,
    aliases: list(NAME).default([]),
    inputSchema: JSON_OBJECT,
    outputSchema: JSON_OBJECT.nullable().default(null),
    toolsUsed: list(TOOL_USE).default([]),
    example: EXAMPLE.nullable().default(null),
  },
  { error: must("an object") },
);

/**
 * The fields of a header in a file with this path, if it has them all, and what is wrong with it. It begins on
 * the second line of its file.
 */
export function checkHeader(path: string, json: string): HeaderChecked {
  const parsed = parseJson(json, HEADER_LIMITS);
  if (!parsed.ok) {
    const line = lineAt(json, parsed.position ?? 0) + 1;
    return { problems: [{ line, message: `the header: ${parsed.message}` }] };
  }
  const header = HEADER.safeParse(parsed.value);
  const issues = header.error?.issues ?? [];
  const tree = parseTree(json)!;
  const found = [
    ...findPathProblems(path, parsed.value),
    ...findTwins(tree).slice(0, FILE_PROBLEM_COUNT_MAX),
    ...issues.slice(0, FILE_PROBLEM_COUNT_MAX).flatMap(readIssue),
  ];
  const problems: Problem[] = found.slice(0, FILE_PROBLEM_COUNT_MAX).map(({ at, message }) => ({
    line: lineAt(json, typeof at === "number" ? at : offsetOf(tree, at)) + 1,
    message: message(),
  }));
  if (problems.length < found.length || issues.length > FILE_PROBLEM_COUNT_MAX) {
    problems.push({ line: Infinity, message: "there are more problems; they show when these are fixed" });
  }
  return { ...(header.success && { fields: header.data }), problems };
}

interface HeaderChecked {
  readonly fields?: z.infer<typeof HEADER>;
  readonly problems: readonly Problem[];
}

/** Name and kind are in the file and in its path; where they differ, it is not known which one is meant. */
function findPathProblems(path: string, header: Json): HeaderFinding[] {
  const parts = /^([^/]+)\/([^/]+?)(\.ts|\.jsonc)$/.exec(path);
  if (parts === null) return [{ at: [], message: () => PATH_RULE }];
  const [, namespace, action, extension] = parts;
  const { name, kind } = isJsonObject(header) ? header : {};
  const found: HeaderFinding[] = [];
  const named = `${namespace}:${action}`;
  if (typeof name === "string" && name !== named) {
    const message = `name: ${quote(name)} does not match the path, which says ${quote(named)}; change one of them`;
    found.push({ at: ["name"], message: () => message });
  }
  if ((kind === "code" || kind === "workflow") && PORTABLE_EXTENSIONS[kind] !== extension) {
    const message = `kind: "${kind}" does not go with ${extension}; such a file ends in ${PORTABLE_EXTENSIONS[kind]}`;
    found.push({ at: ["kind"], message: () => message });
  }
  return found;
}

/** One spelling only, so that the same capability is always the same text. */
function readName(text: string, context: z.RefinementCtx<string>): CapabilityName {
  const reference = parseReference(text);
  const message = (problem: string): void => context.addIssue({ code: "custom", message: problem });
  if (!reference.success) message(`${reference.error.message} ${reference.error.hint ?? ""}`);
  else if (reference.data.kind === "capability" && displayNameOf(reference.data) === text) {
    return { namespace: reference.data.namespace, action: reference.data.action };
  } else message(`must be namespace:action, as math:sum, but is ${quote(text)}`);
  return z.NEVER;
}

function readIssue(issue: z.core.$ZodIssue): HeaderFinding[] {
  const path = issue.path.map((part) => (typeof part === "number" ? part : String(part)));
  const label = path.length === 0 ? "" : `${formatPath(path)}: `;
  if (issue.code !== "unrecognized_keys") return [{ at: path, message: () => `${label}${issue.message}` }];
  const known = keysAt(path);
  return issue.keys.map((key) => ({
    at: [...path, key],
    message: () => `${label}${unknownKey(key, known)}`,
  }));
}

function unknownKey(key: string, known: readonly string[]): string {
  const near = didYouMean(nearest(key, known, 1)) || ` There are ${known.join(", ")}.`;
  return `the key ${quote(key)} is not known.${near}`;
}

function keysAt(path: readonly (string | number)[]): string[] {
  if (path.length === 0) return Object.keys(HEADER.shape);
  if (path[0] === "toolsUsed") return Object.keys(TOOL_USE.shape);
  return Object.keys(path.length === 1 ? EXAMPLE.shape : CALL.shape);
}

function formatPath(path: readonly (string | number)[]): string {
  return path
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${part}`))
    .join("")
    .slice(1);
}

/** Where a path is, or the nearest thing around it: a missing key is nowhere. */
function offsetOf(tree: Node, path: readonly (string | number)[]): number {
  for (let length = path.length; length > 0; length--) {
    const node = findNodeAtLocation(tree, path.slice(0, length));
    if (node !== undefined) return node.offset;
  }
  return tree.offset;
}

/** Duplicate keys in one object, as a merge leaves them; `JSON.parse` would take the last without a word. */
function findTwins(node: Node, found: HeaderFinding[] = []): HeaderFinding[] {
  const seen = new Set<unknown>();
  for (const child of node.children ?? []) {
    const key: unknown = child.children?.[0]?.value;
    if (node.type === "object" && seen.has(key)) found.push({ at: child.offset, message: () => TWIN });
    seen.add(key);
    findTwins(child, found);
  }
  return found;
}

const TWIN = "duplicate key; keep one of them";

/** The line of a position, from 1. */
export function lineAt(text: string, position: number): number {
  return text.slice(0, position).split("\n").length;
}
