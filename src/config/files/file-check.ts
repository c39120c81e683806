import * as z from "zod";
import { nearest } from "../../text/nearest.ts";
import { PROBLEM_COUNT_MAX, type Complaint, type KeyPath } from "../problem.ts";
import { fileSchema, serverSchema, type FileConfig, type FileServer } from "../schema.ts";

export type FileChecked =
  | { readonly ok: true; readonly file: FileConfig }
  | { readonly ok: false; readonly complaints: readonly Complaint[] };

/** Checks an expanded file against the schema: every unknown key, wrong type and value out of range at once. */
export function checkFile(value: unknown): FileChecked {
  // A file is checked once in a while: compiling the checks first costs three times what it saves.
  const parsed = fileSchema.safeParse(value, { jitless: true });
  if (parsed.success) return { ok: true, file: parsed.data };
  return { ok: false, complaints: parsed.error.issues.flatMap((issue) => complaintsOf(issue, fileSchema)) };
}

type EntryChecked =
  | { readonly ok: true; readonly entry: FileServer }
  | { readonly ok: false; readonly complaints: readonly Complaint[] };

/** The same for one entry of `mcpServers`; the paths of its complaints begin at the entry. */
export function checkServerEntry(value: unknown): EntryChecked {
  const parsed = serverSchema.safeParse(value, { jitless: true });
  if (parsed.success) return { ok: true, entry: parsed.data };
  return { ok: false, complaints: parsed.error.issues.flatMap((issue) => complaintsOf(issue, serverSchema)) };
}

function complaintsOf(issue: z.core.$ZodIssue, root: z.ZodType): Complaint[] {
  const path = issue.path.map((part) => (typeof part === "symbol" ? String(part) : part));
  switch (issue.code) {
    case "unrecognized_keys": {
      // A file of a hundred thousand unknown keys gets no guess for those that are not shown.
      const allowed = keysAt(path, root);
      return issue.keys.map((key, index) =>
        complainUnknownKey(
          [...path, key],
          index < PROBLEM_COUNT_MAX ? nearest(key, allowed, 2) : [],
          allowed,
        ),
      );
    }
    case "invalid_key":
      return [{ path, at: "key", message: issue.issues[0]?.message ?? issue.message }];
    case "custom":
      return [{ path, at: "value", message: issue.message, ...hintOf(issue.params) }];
    default:
      return [{ path, at: "value", message: issue.message }];
  }
}

function complainUnknownKey(
  path: KeyPath,
  [hit, another]: readonly string[],
  allowed: readonly string[],
): Complaint {
  return hit === undefined
    ? { path, at: "key", message: "unknown key", hint: `the keys here are ${allowed.join(", ")}` }
    : {
        path,
        at: "key",
        message: `unknown key; did you mean "${hit}"?`,
        ...(another === undefined && { rename: hit }),
      };
}

function hintOf(params: Record<string, unknown> | undefined): { hint?: string } {
  const hint = params?.["hint"];
  return typeof hint === "string" ? { hint } : {};
}

/** The keys that the schema knows at a path. */
function keysAt(path: KeyPath, root: z.ZodType): string[] {
  let schema: unknown = root;
  for (const part of path) schema = childOf(unwrap(schema), part);
  const object = unwrap(schema);
  return object instanceof z.ZodObject ? Object.keys(object.shape) : [];
}

function childOf(schema: unknown, part: string | number): unknown {
  if (schema instanceof z.ZodRecord) return schema.valueType;
  if (schema instanceof z.ZodArray) return schema.element;
  if (schema instanceof z.ZodObject && Object.hasOwn(schema.shape, part)) return schema.shape[part];
  return undefined;
}

function unwrap(schema: unknown): unknown {
  let inner = schema;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodDefault || inner instanceof z.ZodPrefault) {
    inner = inner.unwrap();
  }
  return inner;
}

/** The names under .invalid lead nowhere, so nothing is ever sent to it. */
const PLACEHOLDER_URL = "https://unresolved.invalid";

/**
 * Checks a file of which some inputs are not read, because it is only looked at. A text with such an input cannot be
 * checked, and must not keep the rest from being checked. The tree is changed where such a gap does not pass: it
 * becomes an address, and where that does not pass either, the key is left out.
 */
export function checkWithGaps(tree: unknown, gaps: readonly KeyPath[]): FileChecked {
  const open = new Map(gaps.map((path) => [JSON.stringify(path), path]));
  let checked = checkFile(tree);
  for (const filling of [PLACEHOLDER_URL, undefined]) {
    if (checked.ok || open.size === 0) return checked;
    for (const complaint of checked.complaints) {
      const gap = open.get(JSON.stringify(complaint.path));
      if (gap !== undefined) fill(tree, gap, filling);
    }
    checked = checkFile(tree);
  }
  return checked;
}

function fill(tree: unknown, path: KeyPath, value: string | undefined): void {
  let parent = tree as Record<string | number, unknown>;
  for (const part of path.slice(0, -1)) parent = parent[part] as Record<string | number, unknown>;
  const key = path.at(-1)!;
  if (value === undefined) delete parent[key];
  else parent[key] = value;
}
