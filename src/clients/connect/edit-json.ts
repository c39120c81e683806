/** Puts one server into a JSON file with comments, or takes one out; everything else keeps every byte. */
import { isDeepStrictEqual } from "node:util";
import { isJsonObject, type JsonObject } from "../../core/json.ts";
import { parseDocument } from "../../config/files/document.ts";
import { removeJson, setJson, lineBreakOf } from "../../config/files/json-edit.ts";
import { formatProblem } from "../../config/problem.ts";
import { mergeEntry } from "./client-entry.ts";

/** The place of the entry: the key that holds the servers, and the server's own. */
export type EntryPath = readonly [section: string, key: string];

/** The outcome of an edit: the new text, or why there is none. */
export type TextEdit =
  | { readonly kind: "changed"; readonly text: string }
  | { readonly kind: "unchanged" }
  | { readonly kind: "refused"; readonly message: string };

export function setJsonEntry(text: string, file: string, path: EntryPath, entry: JsonObject): TextEdit {
  // Some clients make an empty file before they have anything to say in it.
  const body = text.trim() === "" ? `{}${lineBreakOf(text)}` : text;
  const parsed = readValue(body, file, path);
  if (typeof parsed === "string") return { kind: "refused", message: parsed };
  const [section, key] = path;
  const servers: unknown = parsed[section] ?? {};
  if (!isJsonObject(servers) || parsed[section] === null) {
    return { kind: "refused", message: `${file}  ${section}: this should be an object with servers` };
  }
  const wanted = mergeEntry(servers[key], entry);
  if (isSame(servers[key], wanted)) return { kind: "unchanged" };
  const edited = setJson(body, path, wanted);
  const expected = { ...parsed, [section]: { ...servers, [key]: wanted } };
  const check = readValue(edited, file, path);
  if (typeof check === "string" || !isSame(check, expected)) {
    return {
      kind: "refused",
      message: `${file}  ${section}.${key}: this entry cannot be added without changing the rest of the file`,
    };
  }
  return { kind: "changed", text: edited };
}

/**
 * The text without a server; `unchanged` where it has none, `refused` where the server cannot be taken out by itself.
 */
export function removeJsonEntry(text: string, file: string, path: EntryPath): TextEdit {
  const [section, key] = path;
  const parsed = readValue(text.trim() === "" ? "{}" : text, file, path);
  if (typeof parsed === "string") return { kind: "refused", message: parsed };
  const servers = parsed[section];
  if (!isJsonObject(servers) || !Object.hasOwn(servers, key)) return { kind: "unchanged" };
  const edited = removeJson(text, path);
  const { [key]: _, ...others } = servers;
  const check = readValue(edited, file, path);
  return typeof check !== "string" && isSame(check, { ...parsed, [section]: others })
    ? { kind: "changed", text: edited }
    : {
        kind: "refused",
        message: `${file}  ${section}.${key}: this entry cannot be removed without changing the rest of the file`,
      };
}

/** The file as plain values, or what is wrong with it. A duplicate key matters only on the way to our entry. */
function readValue(text: string, file: string, path: EntryPath): Record<string, unknown> | string {
  const parsed = parseDocument(text, file);
  if (!parsed.ok) return parsed.problems.map(formatProblem).join("\n");
  const { document, complaints } = parsed;
  const inTheWay = complaints.find((complaint) =>
    complaint.path.every((part, index) => index >= path.length || part === path[index]),
  );
  if (inTheWay !== undefined) return formatProblem(document.locate(inTheWay));
  return isJsonObject(document.value) ? document.value : `${file}:1:1  the file must contain an object`;
}

/** Objects of the parser have no prototype; a copy makes them comparable. */
function isSame(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(structuredClone(one), structuredClone(other));
}

const BYTE_ORDER_MARK = "\uFEFF";

/** Edits a text without its byte order mark, and gives it back after. */
export function editBehindMark(text: string, edit: (body: string) => TextEdit): TextEdit {
  if (!text.startsWith(BYTE_ORDER_MARK)) return edit(text);
  const edited = edit(text.slice(1));
  return edited.kind === "changed" ? { ...edited, text: BYTE_ORDER_MARK + edited.text } : edited;
}
