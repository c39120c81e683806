import type { JsonObject } from "../../core/json.ts";
import { checkFile } from "../../config/files/file-check.ts";
import type { Environment } from "../../config/locate.ts";
import { formatPath } from "../../config/problem.ts";
import { checkServers } from "../../config/entries/server-check.ts";
import { piecesOf, valueOf } from "../translate/references.ts";

/** Why our config would refuse an entry, or undefined. Texts with an input or an unset variable are not judged yet. */
export function findEntryProblem(entry: JsonObject, env: Environment): string | undefined {
  const open = new Set<string>();
  const expanded = expand(entry, env, [], open);
  const file = { mcpServers: { server: expanded } };
  const checked = checkFile(file);
  const complaints = [...(checked.ok ? [] : checked.complaints), ...checkServers(file).complaints];
  const first = complaints.find(({ path }) => !open.has(JSON.stringify(path.slice(2))));
  if (first === undefined) return undefined;
  const path = formatPath(first.path.slice(2));
  return path === "" ? first.message : `${path}: ${first.message}`;
}

/** A tree with what is set now filled in; `open` collects the places where something is missing. */
function expand(
  value: unknown,
  env: Environment,
  path: readonly (string | number)[],
  open: Set<string>,
): unknown {
  if (Array.isArray(value)) return value.map((item, index) => expand(item, env, [...path, index], open));
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).map(([key, child]) => [
      key,
      expand(child, env, [...path, key], open),
    ]);
    return Object.fromEntries(entries);
  }
  if (typeof value !== "string") return value;
  const texts = piecesOf(value).map((piece) => {
    const text =
      piece.kind === "text" ? piece.text : piece.kind === "variable" ? valueOf(piece, env) : undefined;
    if (text === undefined) open.add(JSON.stringify(path));
    return text ?? "";
  });
  return texts.join("");
}
