/**
 * Slips in a config file that have one certain correction: an unknown key with a single near one, a number or a truth
 * value in quotes, and a text without. A correction counts as certain only where the file, checked again, has that
 * complaint no more and no other one instead.
 */
import { findNodeAtLocation, parse, parseTree } from "jsonc-parser";
import { isJsonObject } from "../../core/json.ts";
import { editText } from "./edit.ts";
import { checkFile, checkServerEntry } from "./file-check.ts";
import { formatPath, type Complaint, type KeyPath } from "../problem.ts";

export interface CorrectedText {
  readonly text: string;
  /** Each correction in words, such as `exposur is now exposure`. */
  readonly corrections: readonly string[];
}

/** More slips than this are no slips. */
const CORRECTION_COUNT_MAX = 50;

/** The text with every slip corrected; undefined where there is none. A text that is not JSON is not touched. */
export function correctSlips(before: string): CorrectedText | undefined {
  let text = before;
  const corrections: string[] = [];
  const given = new Set<string>();
  while (corrections.length < CORRECTION_COUNT_MAX) {
    const complaints = complaintsOf(text);
    const found = complaints
      .filter((complaint) => !given.has(keyOf(complaint)))
      .map((complaint) => ({ complaint, ...correct(text, complaint) }))
      .find(({ after }) => after !== undefined && complaintsOf(after).length < complaints.length);
    if (found?.after === undefined) break;
    given.add(keyOf(found.complaint));
    text = found.after;
    corrections.push(found.words!);
  }
  return corrections.length === 0 ? undefined : { text, corrections };
}

function keyOf({ path, message }: Complaint): string {
  return `${JSON.stringify(path)} ${message}`;
}

function complaintsOf(text: string): Complaint[] {
  const errors: unknown[] = [];
  const value = parse(text, errors as never[], { allowTrailingComma: true }) as unknown;
  if (errors.length > 0 || !isJsonObject(value)) return [];
  const { mcpServers, ...rest } = value;
  // Entries of servers are checked one by one, as they are when the file is loaded.
  const checked = checkFile(rest);
  const servers = isJsonObject(mcpServers) ? Object.entries(mcpServers) : [];
  return [
    ...(checked.ok ? [] : checked.complaints),
    ...servers.flatMap(([key, entry]) => {
      const one = checkServerEntry(entry);
      return one.ok
        ? []
        : one.complaints.map((each) => ({ ...each, path: ["mcpServers", key, ...each.path] }));
    }),
  ];
}

function correct(
  text: string,
  { path, rename }: Complaint,
): { readonly after?: string | undefined; readonly words?: string } {
  const root = parse(text, [], { allowTrailingComma: true }) as unknown;
  const value = valueAt(root, path);
  const name = formatPath(path);
  if (rename !== undefined) {
    const to = [...path.slice(0, -1), rename];
    if (valueAt(root, to) !== undefined) return {};
    return { after: renamed(text, path, rename), words: `${name} is now ${rename}` };
  }
  const other = otherSpelling(value);
  if (other === undefined) return {};
  return { after: editText(text, [{ path, value: other }]), words: `${name} is now a ${typeof other}` };
}

/** Another key in the very place of the old one. */
function renamed(text: string, path: KeyPath, to: string): string | undefined {
  const tree = parseTree(text, [], { allowTrailingComma: true });
  const key = tree && findNodeAtLocation(tree, [...path])?.parent?.children?.[0];
  if (key === undefined) return undefined;
  return text.slice(0, key.offset) + JSON.stringify(to) + text.slice(key.offset + key.length);
}

/** The same value as another type: what was meant where the first is wrong. */
function otherSpelling(value: unknown): string | number | boolean | undefined {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value !== "string" || !/^(?:true|false|-?\d{1,15}(?:\.\d{1,10})?)$/.test(value))
    return undefined;
  return JSON.parse(value) as number | boolean;
}

function valueAt(root: unknown, path: KeyPath): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === "object" && value !== null && Object.hasOwn(value, key)
        ? (value as Record<string | number, unknown>)[key]
        : undefined,
    root,
  );
}
