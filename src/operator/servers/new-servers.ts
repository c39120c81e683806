/**
 * New servers for the config. A secret in plain text goes to the secret store unless the user chooses otherwise, and
 * the entry refers to it as an input. Values are stored before the file refers to them: a crash in between leaves
 * values that nothing uses.
 */
import { arrangeServers, declareInputs } from "../../clients/import/write-import.ts";
import { findPlainSecrets, type PlainSecret } from "../../clients/import/plain-secrets.ts";
import { piecesOf, textsOf } from "../../clients/translate/references.ts";
import { parseDocument } from "../../config/files/document.ts";
import { planEdits, writeConfig } from "../../config/files/edit.ts";
import type { FiledServer } from "../../config/entries/filed-servers.ts";
import { asObject, objectAt } from "../../config/entries/server-check.ts";
import type { InputDeclaration } from "../../config/values/inputs.ts";
import type { JsonObject } from "../../core/json.ts";
import { openInputs, type Inputs } from "../../secrets/inputs.ts";
import { readWhole } from "../../config/files/read-file.ts";

export interface NewServer {
  readonly key: string;
  readonly id: string;
  readonly entry: JsonObject;
  /** The table that holds it, where it replaces one. */
  readonly table?: FiledServer["table"];
  /** Inputs that the entry refers to already, and the values of those that have one. */
  readonly inputs?: readonly InputDeclaration[];
  readonly values?: ReadonlyMap<string, string>;
}

export interface NewServersPlan {
  readonly path: string;
  readonly home: string;
  readonly servers: readonly (NewServer & { readonly secrets: readonly PlainSecret[] })[];
  /** The names under which the secrets were given. */
  readonly secretNames: readonly string[];
}

export function planNewServers(
  servers: readonly NewServer[],
  { path, home }: { readonly path: string; readonly home: string },
): NewServersPlan {
  const taken = new Set([...openInputs({ home }).list(), ...inputsIn(documentAt(path))]);
  // What only the replaced entry used is its successor's.
  for (const { key, table } of servers) {
    if (table === undefined) continue;
    for (const id of inputsIn(objectAt(objectAt(documentAt(path), table), key))) taken.delete(id);
  }
  const planned = servers.map((server) => {
    const secrets = findPlainSecrets(server.id, server.entry, taken);
    for (const { suggestedInput } of secrets) taken.add(suggestedInput);
    return { ...server, secrets };
  });
  return {
    path,
    home,
    servers: planned,
    secretNames: planned.flatMap(({ secrets }) => secrets.map(({ name }) => name)),
  };
}

/** What the file becomes; with `moves`, secrets are inputs in it. */
export function draftNewServers({ path, servers }: NewServersPlan, moves: boolean) {
  const arranged = arrangeServers(
    servers.map(({ key, entry, secrets, inputs = [] }) => ({ key, entry, secrets, inputs })),
    moves,
  );
  const text = readWhole(path);
  const edits = arranged.servers.map(({ key, entry }, at) => ({
    path: [servers[at]!.table ?? "mcpServers", key],
    value: entry,
  }));
  const declared = declareInputs(typeof text === "string" ? text : undefined, arranged.declared);
  const given = servers.flatMap((server) => [...(server.values ?? [])]);
  const values = new Map([...arranged.values, ...given]);
  return { ...planEdits(path, [...edits, ...declared]), values, entries: arranged.servers };
}

export interface NewServersWritten {
  readonly entries: readonly { readonly key: string; readonly entry: JsonObject }[];
  /** The inputs that secrets went to. */
  readonly moved: readonly string[];
  /** Where they are now, for a person. */
  readonly keptIn: string;
}

export async function writeNewServers(plan: NewServersPlan, moves: boolean): Promise<NewServersWritten> {
  const { before, after, values, entries } = draftNewServers(plan, moves);
  const inputs = openInputs({ home: plan.home });
  for (const [id, value] of values) await inputs.set(id, value);
  writeConfig(plan.path, plan.home, before, after);
  const moved = [...values.keys()];
  return { entries, moved, keptIn: describePlace(inputs, moved[0]) };
}

/** Where the values of inputs are, in words. */
export function describePlace(inputs: Pick<Inputs, "path" | "protectionOf">, id: string | undefined): string {
  const isSealed = id !== undefined && inputs.protectionOf(id) === "keyring";
  return isSealed
    ? `${inputs.path}, encrypted with the system's keyring`
    : `${inputs.path}, which only you can read`;
}

/** The config file as it is written; undefined where there is none, or it is no JSON object. */
export function documentAt(path: string): Record<string, unknown> | undefined {
  const text = readWhole(path);
  if (typeof text !== "string" || text.trim() === "") return undefined;
  const parsed = parseDocument(text.replace(/^\uFEFF/, ""), path);
  return parsed.ok ? asObject(parsed.document.value) : undefined;
}

/** Those that a text refers to, and those that it declares. */
export function inputsIn(value: unknown): string[] {
  const used = [...textsOf(value)].flatMap(({ text }) =>
    piecesOf(text).flatMap((piece) => (piece.kind === "input" ? [piece.id] : [])),
  );
  const declared: unknown = asObject(value)?.["inputs"];
  const ids = Array.isArray(declared) ? declared.map((entry) => asObject(entry)?.["id"]) : [];
  return [...used, ...ids.filter((id) => typeof id === "string")];
}
