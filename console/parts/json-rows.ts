/**
 * A JSON value as the rows of a tree. Only what is open has rows, of long objects and arrays only the first hundred entries, of
 * long strings only the beginning: so a value of any size is a short list. The value itself is whole, or comes in slices.
 */

type JsonKind = "object" | "array" | "string" | "number" | "boolean" | "null";

/** A part of a value that is too large to have whole, as the gateway's `readValue` answers. */
export interface ValueSlice {
  readonly kind: JsonKind;
  readonly bytes: number;
  readonly entry_count?: number | undefined;
  readonly entries?: readonly SliceEntry[] | undefined;
  readonly text?: string | undefined;
  readonly next?: number | undefined;
}

interface SliceEntry {
  readonly key: string | number;
  readonly kind: string;
  readonly bytes: number;
  readonly value?: unknown;
  readonly entry_count?: number | undefined;
}

/** A value, or a part of one that is only known by its size. */
export interface JsonNode {
  /** A JSON Pointer. */
  readonly path: string;
  readonly key?: string | number;
  readonly kind: JsonKind;
  /** Undefined where it has to be asked for. */
  readonly value?: unknown;
  readonly count?: number | undefined;
  readonly bytes?: number | undefined;
}

export type JsonRow =
  | {
      readonly row: "node";
      readonly node: JsonNode;
      readonly depth: number;
      readonly isOpen: boolean;
      readonly canOpen: boolean;
    }
  /** Further entries, or characters, can be shown. */
  | {
      readonly row: "more";
      readonly path: string;
      readonly depth: number;
      readonly left: number | undefined;
      readonly of: "entries" | "text";
    }
  | {
      readonly row: "loading" | "failed";
      readonly path: string;
      readonly depth: number;
      readonly message?: string;
    };

/** Entries that one step shows: a screen or two. */
export const ENTRY_STEP = 100;

/** What was asked for of a node that is not whole. */
export interface Loaded {
  /** As it turned out to be. */
  readonly kind?: JsonKind;
  readonly count?: number | undefined;
  readonly entries: readonly SliceEntry[];
  readonly text?: string;
  readonly next?: number | undefined;
  readonly state: "loading" | "ready" | "failed";
  readonly message?: string;
}

export interface JsonState {
  /** By path: what was opened or closed by hand. */
  readonly open: ReadonlyMap<string, boolean>;
  /** By path: how many entries are shown of a whole value. */
  readonly shown: ReadonlyMap<string, number>;
  readonly loaded: ReadonlyMap<string, Loaded>;
  /** How deep nodes are open by themselves. */
  readonly depth: number;
}

function kindOf(value: unknown): JsonKind {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "array";
  const type = typeof value;
  return type === "object" || type === "string" || type === "number" || type === "boolean" ? type : "string";
}

/** A whole value as a node. */
export function nodeOf(value: unknown, path: string = "", key?: string | number): JsonNode {
  const kind = kindOf(value);
  const count = kind === "array" || kind === "object" ? Object.keys(value as object).length : undefined;
  return { path, kind, value: value ?? null, count, ...(key !== undefined && { key }) };
}

export function rowsOf(root: JsonNode, state: JsonState): readonly JsonRow[] {
  const rows: JsonRow[] = [];
  addRows(rows, root, 0, state);
  return rows;
}

/** Whether a node's content has to be asked for. */
function needsLoading(node: JsonNode): boolean {
  return node.value === undefined;
}

function isOpenIn({ path }: JsonNode, depth: number, state: JsonState): boolean {
  return state.open.get(path) ?? depth < state.depth;
}

function addRows(rows: JsonRow[], node: JsonNode, depth: number, state: JsonState): void {
  const canOpen = needsLoading(node) || (node.count ?? 0) > 0;
  const isOpen = canOpen && isOpenIn(node, depth, state);
  rows.push({ row: "node", node: asLoaded(node, state), depth, isOpen, canOpen });
  if (!isOpen) return;
  if (needsLoading(node)) addLoaded(rows, node, depth + 1, state);
  else addEntries(rows, node, depth + 1, state);
}

function asLoaded(node: JsonNode, { loaded }: JsonState): JsonNode {
  const { kind = node.kind, count = node.count } = loaded.get(node.path) ?? {};
  return needsLoading(node) ? { ...node, kind, count } : node;
}

function addEntries(
  rows: JsonRow[],
  { path, value, count = 0 }: JsonNode,
  depth: number,
  state: JsonState,
): void {
  const shown = state.shown.get(path) ?? ENTRY_STEP;
  for (const [key, each] of entriesOf(value, shown))
    addRows(rows, nodeOf(each, join(path, key), key), depth, state);
  if (count > shown) rows.push({ row: "more", path, depth, left: count - shown, of: "entries" });
}

function addLoaded(rows: JsonRow[], { path, count }: JsonNode, depth: number, state: JsonState): void {
  const loaded = state.loaded.get(path);
  for (const entry of loaded?.entries ?? []) addRows(rows, entryNode(entry, path), depth, state);
  if (loaded?.text !== undefined)
    rows.push({ row: "node", node: nodeOf(loaded.text, `${path}#`), depth, isOpen: false, canOpen: false });
  if (loaded === undefined || loaded.state === "loading") rows.push({ row: "loading", path, depth });
  else if (loaded.state === "failed")
    rows.push({ row: "failed", path, depth, message: loaded.message ?? "" });
  else if (loaded.next !== undefined) rows.push(moreOf(path, depth, loaded, count));
}

function moreOf(path: string, depth: number, { text, entries }: Loaded, count: number | undefined): JsonRow {
  const of = text === undefined ? "entries" : "text";
  return {
    row: "more",
    path,
    depth,
    of,
    left: of === "entries" && count !== undefined ? count - entries.length : undefined,
  };
}

function entryNode({ key, kind, bytes, value, entry_count }: SliceEntry, parent: string): JsonNode {
  const path = join(parent, key);
  if (value !== undefined) return { ...nodeOf(value, path, key), bytes };
  return { path, key, kind: kind as JsonKind, bytes, count: entry_count };
}

function* entriesOf(value: unknown, max: number): Generator<[string | number, unknown]> {
  if (Array.isArray(value)) {
    for (let at = 0; at < Math.min(max, value.length); at += 1) yield [at, value[at]];
    return;
  }
  let seen = 0;
  for (const key of Object.keys(value as object)) {
    if (seen >= max) return;
    seen += 1;
    yield [key, (value as Record<string, unknown>)[key]];
  }
}

/** A step of a JSON Pointer. */
function join(path: string, key: string | number): string {
  return `${path}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
