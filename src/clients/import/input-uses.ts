/**
 * The value of an input is remembered by its id alone. Two files that happen to use one id do not mean one value: else
 * a project's file could have the user's token sent to an address of its own. So an id belongs to the file that uses it
 * first.
 */
import type { Json, JsonObject } from "../../core/json.ts";
import type { InputDeclaration } from "../../config/values/inputs.ts";
import { freeInputId } from "../translate/input-declaration.ts";
import type { FoundServer } from "../read/read-clients.ts";
import { piecesOf, textsOf } from "../translate/references.ts";

/** Which file an id belongs to; none is our own. */
export interface InputUse {
  readonly path: string | undefined;
}

export interface Separated {
  readonly entry: JsonObject;
  readonly inputs: readonly InputDeclaration[];
  readonly notes: readonly string[];
}

/** Renames the inputs of a server whose ids belong to another file, and takes the ids that are free. */
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
