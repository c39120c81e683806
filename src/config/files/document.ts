/**
 * Text → a tree of plain values that knows the place of everything. Comments and trailing commas are allowed, a
 * duplicate key is not. Depth is bounded before anything recurses; objects have no prototype, so that no key can reach
 * one.
 */
import { parseTree, type Node, type ParseError } from "jsonc-parser";
import { formatPath, type Complaint, type KeyPath, type ConfigProblem } from "../problem.ts";
import { DEPTH_MAX, describeSyntaxError, findDepthExcess } from "./syntax.ts";

/** After a few, syntax errors are echoes of the first. */
const SYNTAX_PROBLEM_COUNT_MAX = 10;

/** A parsed file. */
export interface Document {
  readonly value: unknown;
  /** Puts a complaint at its place in the text. */
  readonly locate: (complaint: Complaint) => ConfigProblem;
}

export type DocumentParsed =
  | { readonly ok: true; readonly document: Document; readonly complaints: readonly Complaint[] }
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] };

export function parseDocument(text: string, file: string): DocumentParsed {
  const lineStarts = findLineStarts(text);
  const at = (offset: number): Place => placeOf(lineStarts, offset);
  if (text.trim() === "") {
    return {
      ok: false,
      problems: [{ file, path: "", message: "the file is empty", hint: "write {} into it" }],
    };
  }
  const tooDeepAt = findDepthExcess(text);
  if (tooDeepAt !== undefined) {
    const message = `nests deeper than ${DEPTH_MAX} levels`;
    return { ok: false, problems: [{ file, ...at(tooDeepAt), path: "", message }] };
  }
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  if (errors.length > 0 || root === undefined) {
    const shown = errors.slice(0, SYNTAX_PROBLEM_COUNT_MAX);
    const problems = shown.map((error) => ({
      file,
      ...at(error.offset),
      path: "",
      message: describeSyntaxError(error),
    }));
    return { ok: false, problems };
  }
  const complaints: Complaint[] = [];
  const value = valueOf(root, [], complaints);
  const offsetOf = createOffsets(root);
  const locate = (complaint: Complaint): ConfigProblem => {
    const { path, at: target, ...rest } = complaint;
    return { file, ...at(offsetOf(path, target)), path: formatPath(path), ...rest };
  };
  return { ok: true, document: { value, locate }, complaints };
}

// ── values ──────────────────────────────────────────────────────────────────────────────────────────────────────────

function valueOf(node: Node, path: KeyPath, complaints: Complaint[]): unknown {
  if (node.type === "array") {
    return (node.children ?? []).map((child, index) => valueOf(child, [...path, index], complaints));
  }
  if (node.type !== "object") return node.value as unknown;
  const object: Record<string, unknown> = Object.create(null);
  for (const [key, child] of propertiesOf(node)) {
    const childPath = [...path, key];
    if (Object.hasOwn(object, key)) {
      complaints.push({ path: childPath, at: "key", message: "duplicate key", hint: "keep one of them" });
    } else if (key === "__proto__") {
      complaints.push({ path: childPath, at: "key", message: "is not allowed as a key" });
    } else object[key] = valueOf(child, childPath, complaints);
  }
  return object;
}

function* propertiesOf(object: Node): Generator<[key: string, value: Node]> {
  for (const property of object.children ?? []) {
    const [key, value] = property.children ?? [];
    if (key !== undefined && value !== undefined) yield [key.value as string, value];
  }
}

// ── places ──────────────────────────────────────────────────────────────────────────────────────────────────────────

interface Place {
  readonly line: number;
  readonly column: number;
}

type Offsets = (path: KeyPath, target: "key" | "value") => number;

/**
 * Finds the offset of the value at a path, or of the nearest thing around it. Objects are indexed as they are first
 * visited: a file of a hundred thousand wrong keys must not cost the square of that.
 */
function createOffsets(root: Node): Offsets {
  const indexes = new Map<Node, Map<string, Node>>();
  const propertyOf = (object: Node, key: string): Node | undefined => {
    const index = indexes.get(object) ?? indexProperties(object);
    indexes.set(object, index);
    return index.get(key);
  };
  return (path, target) => {
    let node = root;
    let keyOffset = root.offset;
    for (const part of path) {
      const next = typeof part === "number" ? node.children?.[part] : propertyOf(node, part);
      if (next === undefined) break;
      keyOffset = next.offset;
      node = next.type === "property" ? next.children![1]! : next;
    }
    return target === "key" ? keyOffset : node.offset;
  };
}

/** Of two equal keys the last is meant: it is the one that was added. */
function indexProperties(object: Node): Map<string, Node> {
  if (object.type !== "object") return new Map();
  return new Map(
    (object.children ?? []).map((property) => [property.children![0]!.value as string, property]),
  );
}

function findLineStarts(text: string): number[] {
  const starts = [0];
  for (const match of text.matchAll(/\r\n|\r|\n/g)) starts.push(match.index + match[0].length);
  return starts;
}

function placeOf(lineStarts: readonly number[], offset: number): Place {
  let low = 0;
  let high = lineStarts.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (lineStarts[middle]! <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: offset - lineStarts[low]! + 1 };
}
