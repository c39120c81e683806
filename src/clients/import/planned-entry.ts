/** An entry before it is imported: its inputs get ids of their own, and our config must accept it. */
import type { Json, JsonObject } from "../../core/json.ts";
import type { InputDeclaration } from "../../config/values/inputs.ts";
import { freeInputId } from "../translate/input-declaration.ts";
import type { FoundServer } from "../read/read-clients.ts";
import { piecesOf, textsOf, valueOf } from "../translate/references.ts";
import { checkFile } from "../../config/files/file-check.ts";
import type { Environment } from "../../config/locate.ts";
import { formatPath } from "../../config/problem.ts";
import { checkServers } from "../../config/entries/server-check.ts";

/** Which file an id belongs to; none is our own. */
export interface InputUse {
  readonly path: string | undefined;
}

export interface Separated {
  readonly entry: JsonObject;
  readonly inputs: readonly InputDeclaration[];
  readonly notes: readonly string[];
}

/**
 * The value of an input is remembered by its id alone. Two files that happen to use one id do not mean one value: else
 * a project's file could have the user's token sent to an address of its own. So an id belongs to the file that uses it
 * first: the inputs of a server whose ids belong to another file are renamed, and ids that are free are taken.
 */
export function separateInputs(
  server: FoundServer,
  serverId: string,
  uses: Map<string, InputUse>,
): Separated {
  const names = new Map<string, string>();
  for (const id of inputIdsOf(server.entry)) {
    const isOwn = !uses.has(id) || uses.get(id)?.path === server.path;
    const name = isOwn ? id : freeInputId(`${serverId}-${id}`, (taken) => uses.has(taken));
    uses.set(name, { path: server.path });
    if (!isOwn) names.set(id, name);
  }
  if (names.size === 0) return { entry: server.entry, inputs: server.inputs, notes: [] };
  return {
    entry: rename(server.entry, names) as JsonObject,
    inputs: server.inputs.map((input) => ({ ...input, id: names.get(input.id) ?? input.id })),
    notes: [...names].map(
      ([id, name]) => `Its input ${id} is called ${name}, because another file uses that name.`,
    ),
  };
}

function inputIdsOf(entry: JsonObject): Set<string> {
  const ids = [...textsOf(entry)].flatMap(({ text }) =>
    piecesOf(text).flatMap((piece) => (piece.kind === "input" ? [piece.id] : [])),
  );
  return new Set(ids);
}

/** An escaped `$${input:…}` is a literal and stays. */
const INPUT = /\$\$\{|\$\{input:([A-Za-z0-9][A-Za-z0-9_.-]{0,63})\}/g;

function rename(value: Json, names: ReadonlyMap<string, string>): Json {
  if (typeof value === "string") {
    return value.replace(INPUT, (token, id: string | undefined) =>
      id === undefined ? token : `\${input:${names.get(id) ?? id}}`,
    );
  }
  if (Array.isArray(value)) return value.map((item: Json) => rename(item, names));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, rename(child, names)]));
}

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
