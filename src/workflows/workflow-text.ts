/** The JSON text of a workflow: its value, and where everything in it is. */
import { findNodeAtLocation, getNodePath, parseTree, type Node } from "jsonc-parser";
import { DATA_LIMITS, parseJson, type Json } from "../core/json.ts";
import type { Path } from "./place.ts";
import { describe, PROBLEM_COUNT_MAX, type Locate, type Position, type WorkflowProblem } from "./problem.ts";
import { TEXT_BYTES_MAX } from "./workflow.ts";

export type ParsedText =
  | {
      readonly ok: true;
      readonly value: Json;
      readonly locate: Locate;
      /** Duplicate keys in one object: a reader sees both, JSON takes the last. */
      readonly repeatedKeys: readonly Path[];
    }
  | { readonly ok: false; readonly problem: WorkflowProblem };

export function parseWorkflowText(written: string): ParsedText {
  // A byte order mark is no JSON; a space is, and keeps every place where it was.
  const text = written.startsWith("\uFEFF") ? ` ${written.slice(1)}` : written;
  const positionAt = createPositions(text);
  const parsed = parseJson(text, { ...DATA_LIMITS, bytesMax: TEXT_BYTES_MAX });
  if (!parsed.ok) {
    const isSyntax = parsed.position !== undefined;
    const fix = isSyntax
      ? "Correct the JSON at this place."
      : "Move large data out of the workflow, into an input or a file that a node reads.";
    const problem = describe("", `${parsed.message}.`, fix);
    return { ok: false, problem: { ...problem, ...(isSyntax ? positionAt(parsed.position!) : {}) } };
  }
  const root = parseTree(text)!;
  const locate: Locate = (path, at) => positionAt(offsetOf(root, path, at));
  return { ok: true, value: parsed.value, locate, repeatedKeys: findRepeatedKeys(root) };
}

function findRepeatedKeys(node: Node, found: Path[] = []): Path[] {
  const children = node.children ?? [];
  if (node.type === "object") {
    const seen = new Set<unknown>();
    for (const property of children) {
      const key = property.children![0]!;
      // Finding a node costs as much as the lists around it are long, and more are not reported.
      if (seen.has(key.value) && found.length < PROBLEM_COUNT_MAX) found.push(getNodePath(key));
      seen.add(key.value);
    }
  }
  for (const child of children) if (child.children !== undefined) findRepeatedKeys(child, found);
  return found;
}

/** What is not in the text is told at the nearest thing around it that is. */
function offsetOf(root: Node, path: Path, at: "key" | "value"): number {
  for (let length = path.length; length > 0; length--) {
    const node = findNodeAtLocation(root, path.slice(0, length));
    if (node === undefined) continue;
    return at === "key" && node.parent?.type === "property" ? node.parent.offset : node.offset;
  }
  return root.offset;
}

function createPositions(text: string): (offset: number) => Position {
  let lineStarts: number[] | undefined;
  return (offset) => {
    lineStarts ??= findLineStarts(text);
    const after = lineStarts.findIndex((start) => start > offset);
    const line = after === -1 ? lineStarts.length : after;
    return { line, column: offset - lineStarts[line - 1]! + 1 };
  };
}

function findLineStarts(text: string): number[] {
  const starts = [0];
  for (const match of text.matchAll(/\r\n|\r|\n/g)) starts.push(match.index + match[0].length);
  return starts;
}
