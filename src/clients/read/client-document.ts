import { parse as parseToml, TomlError } from "smol-toml";
import { parseDocument } from "../../config/files/document.ts";
import { quoteKey, type ConfigProblem } from "../../config/problem.ts";
import { readTextFile, CLIENT_FILE_BYTES_MAX } from "../../config/files/read-file.ts";
import { DEPTH_MAX } from "../../config/files/syntax.ts";
import type { ClientFile } from "../client.ts";

/** A file of a client as a tree of plain values without prototypes. */
export interface ClientDocument {
  readonly file: ClientFile;
  readonly value: unknown;
}

export type ClientFileRead =
  | { readonly kind: "missing" }
  | { readonly kind: "broken"; readonly messages: readonly string[] }
  | { readonly kind: "read"; readonly document: ClientDocument; readonly messages: readonly string[] };

/** What is wrong inside a file is a value; nothing of its text is repeated, because any of it may be a secret. */
export function readClientFile(file: ClientFile): ClientFileRead {
  const read = readTextFile(file.path, CLIENT_FILE_BYTES_MAX);
  if (!read.ok) {
    return read.missing
      ? { kind: "missing" }
      : { kind: "broken", messages: [withHint(read.message, read.hint)] };
  }
  // Some clients make an empty file before they have anything to write.
  if (read.text.trim() === "") return { kind: "read", document: { file, value: {} }, messages: [] };
  return file.format === "toml" ? readToml(read.text, file) : readJsonc(read.text, file);
}

/** After a few, they are echoes of the first. */
const MESSAGE_COUNT_MAX = 3;

function readJsonc(text: string, file: ClientFile): ClientFileRead {
  const parsed = parseDocument(text, file.path);
  const shown = (problems: readonly ConfigProblem[]): string[] =>
    problems.slice(0, MESSAGE_COUNT_MAX).map(describe);
  if (!parsed.ok) return { kind: "broken", messages: shown(parsed.problems) };
  const { document, complaints } = parsed;
  const messages = shown(complaints.slice(0, MESSAGE_COUNT_MAX).map(document.locate));
  return { kind: "read", document: { file, value: document.value }, messages };
}

function describe(problem: ConfigProblem): string {
  const line = problem.line === undefined ? "" : `line ${problem.line}: `;
  const path = problem.path === "" ? "" : `${problem.path} `;
  return `${line}${path}${problem.message}`;
}

function withHint(message: string, hint: string | undefined): string {
  return hint === undefined ? message : `${message}; ${hint}`;
}

function readToml(text: string, file: ClientFile): ClientFileRead {
  try {
    const messages = new Set<string>();
    const root = parseToml(text, { maxDepth: DEPTH_MAX, integersAsBigInt: "asNeeded" });
    const value = plainOf(root, 0, (message) => messages.add(message));
    return { kind: "read", document: { file, value }, messages: [...messages].slice(0, MESSAGE_COUNT_MAX) };
  } catch (error) {
    // The parser's own message quotes the lines around the mistake.
    const line = error instanceof TomlError ? `line ${error.line}: ` : "";
    return { kind: "broken", messages: [`${line}this is not valid TOML`] };
  }
}

/**
 * Dates and numbers too large for JSON become texts; tables nest by their headers too, which the parser does not bound.
 */
function plainOf(value: unknown, depth: number, complain: (message: string) => void): unknown {
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (depth >= DEPTH_MAX) {
    complain(`nests deeper than ${DEPTH_MAX} levels`);
    return null;
  }
  if (Array.isArray(value)) return value.map((item) => plainOf(item, depth + 1, complain));
  const object: Record<string, unknown> = Object.create(null);
  for (const [key, child] of Object.entries(value)) {
    if (key === "__proto__") complain(`${quoteKey(key)} is not allowed as a key`);
    else object[key] = plainOf(child, depth + 1, complain);
  }
  return object;
}
