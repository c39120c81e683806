/**
 * What an import would do, decided before anything is written: what is new, what is there already, what is another
 * server under a taken name, what is left out and why. Pure, and the same for the same input.
 */
import { isJsonObject, type Json, type JsonObject } from "../../core/json.ts";
import type { InputDeclaration } from "../../config/values/inputs.ts";
import type { Environment } from "../../config/locate.ts";
import { parseServerKey } from "../../config/entries/server-check.ts";
import type { ClientId } from "../client.ts";
import { findEntryProblem, separateInputs, type InputUse } from "./planned-entry.ts";
import type { CommandLine } from "../translate/mcp-remote.ts";
import { isOwnEntry } from "../read/own-entry.ts";
import { findPlainSecrets, type PlainSecret } from "./plain-secrets.ts";
import type { FoundServer } from "../read/read-clients.ts";
import { piecesOf, textsOf, valueOf } from "../translate/references.ts";
import { createLookUp } from "./same-server.ts";
import { SERVER_ID_LENGTH_MAX } from "../../core/names.ts";

/** Where a server was found. */
interface FoundIn {
  readonly client: ClientId;
  readonly path: string;
  readonly scope: "user" | "project";
}

interface Addition {
  readonly key: string;
  readonly entry: JsonObject;
  /** Every place where it was found. */
  readonly from: readonly FoundIn[];
  readonly notes: readonly string[];
  readonly secrets: readonly PlainSecret[];
  readonly inputs: readonly InputDeclaration[];
}

/** The same server once more. */
interface Duplicate {
  readonly key: string;
  readonly from: FoundIn;
  /** The key under which it is there, or will be. */
  readonly sameAs: string;
  /** Whether it is in our file already, or an addition of this plan. */
  readonly where: "file" | "plan";
}

/** Another server, or another account, under a key whose id is taken; or a key that our config refuses. */
interface Conflict {
  readonly key: string;
  readonly from: FoundIn;
  readonly addedAs: string;
  readonly reason: "taken" | "invalid";
}

interface Skipped {
  readonly key: string;
  readonly from: FoundIn;
  readonly reason: string;
  /** Whether it is this very gateway. */
  readonly isOwn: boolean;
}

export interface ImportPlan {
  readonly additions: readonly Addition[];
  readonly duplicates: readonly Duplicate[];
  readonly conflicts: readonly Conflict[];
  readonly skipped: readonly Skipped[];
}

export interface ImportInput {
  readonly found: readonly FoundServer[];
  /** `mcpServers` of our file, as it is written. */
  readonly existing: JsonObject;
  readonly env: Environment;
  /** How this very Repertoire is started. */
  readonly ownCommand?: CommandLine;
}

/** An addition that is not finished. */
interface PlannedServer {
  readonly key: string;
  readonly id: string;
  readonly change: "taken" | "invalid" | undefined;
  readonly from: FoundIn[];
  entry: JsonObject;
  notes: readonly string[];
  inputs: readonly InputDeclaration[];
  isEnabled: boolean;
}

export function planImport({ found, existing, env, ownCommand }: ImportInput): ImportPlan {
  const kept = createLookUp<{ key: string; entry: JsonObject }>(env, true);
  const added = createLookUp<PlannedServer>(env, false);
  for (const [key, value] of Object.entries(existing)) {
    if (isJsonObject(value)) kept.add({ key, entry: value });
  }
  const ids = new Set(Object.keys(existing).flatMap(idsOf));
  const inputs = new Map<string, InputUse>(inputsIn(existing).map((id) => [id, { path: undefined }]));
  const drafts: PlannedServer[] = [];
  const duplicates: Duplicate[] = [];
  const conflicts: Conflict[] = [];
  const skipped: Skipped[] = [];
  for (const server of found) {
    const { key } = server;
    const from: FoundIn = { client: server.client, path: server.path, scope: server.scope };
    const reason = findReason(server, env, ownCommand);
    if (reason !== undefined) {
      skipped.push({ key, from, reason, isOwn: isOwnEntry(key, server.entry, ownCommand) });
      continue;
    }
    const there = kept.find(server.entry);
    if (there !== undefined) {
      duplicates.push({ key, from, sameAs: there.key, where: "file" });
      continue;
    }
    const twin = added.find(server.entry);
    if (twin !== undefined) {
      adoptTwin(twin, server, from, inputs);
      duplicates.push({ key, from, sameAs: twin.key, where: "plan" });
      continue;
    }
    const draft = begin(server, from, ids, inputs);
    if (draft.change !== undefined) {
      conflicts.push({ key, from, addedAs: draft.key, reason: draft.change });
    }
    ids.add(draft.id);
    drafts.push(draft);
    added.add(draft);
  }
  const taken = new Set(inputs.keys());
  return { additions: drafts.map((draft) => finish(draft, env, taken)), duplicates, conflicts, skipped };
}

function idsOf(key: string): string[] {
  const parsed = parseServerKey(key);
  return parsed.ok ? [parsed.id] : [];
}

function inputsIn(value: unknown): string[] {
  return [...textsOf(value)].flatMap(({ text }) =>
    piecesOf(text).flatMap((piece) => (piece.kind === "input" ? [piece.id] : [])),
  );
}

function findReason(server: FoundServer, env: Environment, ownCommand?: CommandLine): string | undefined {
  const { key, entry, notes } = server;
  if (Object.keys(entry).length === 0) return `It is not a server. ${notes[0] ?? ""}`.trim();
  if (isOwnEntry(key, entry, ownCommand)) return "It is Repertoire itself.";
  const problem = findEntryProblem(entry, env);
  return problem === undefined ? undefined : `The config would refuse it: ${problem}.`;
}

function begin(
  server: FoundServer,
  from: FoundIn,
  ids: ReadonlySet<string>,
  inputs: Map<string, InputUse>,
): PlannedServer {
  const { key, id, change } = chooseKey(server.key, server.client, (taken) => ids.has(taken));
  const separated = separateInputs(server, id, inputs);
  const notes = [...server.notes, ...separated.notes];
  if (change !== undefined) {
    const why = change === "taken" ? "another server has its name" : "its name is not valid here";
    notes.push(`It is added as ${key}, because ${why}.`);
  }
  return {
    key,
    id,
    change,
    entry: separated.entry,
    from: [from],
    notes,
    inputs: separated.inputs,
    isEnabled: server.isEnabled,
  };
}

/**
 * Where one client has a server on and another off, or a project brought it, the one that is on is the one that is
 * wanted.
 */
function adoptTwin(
  twin: PlannedServer,
  server: FoundServer,
  from: FoundIn,
  inputs: Map<string, InputUse>,
): void {
  twin.from.push(from);
  if (twin.isEnabled || !server.isEnabled) return;
  const separated = separateInputs(server, twin.id, inputs);
  twin.entry = separated.entry;
  twin.inputs = separated.inputs;
  twin.notes = [...server.notes, ...separated.notes];
  twin.isEnabled = true;
}

function finish(draft: PlannedServer, env: Environment, taken: ReadonlySet<string>): Addition {
  const { enabled: _, ...entry } = draft.entry as Record<string, Json>;
  const unset = unsetVariables(entry, env);
  const notes = [...draft.notes, ...noteOff(draft, unset)];
  const isEnabled = draft.isEnabled && unset.length === 0;
  const secrets = findPlainSecrets(draft.id, entry, taken);
  return {
    key: draft.key,
    entry: isEnabled ? entry : { ...entry, enabled: false },
    from: draft.from,
    notes,
    secrets,
    inputs: draft.inputs,
  };
}

/** Why it is added switched off, if it is, and how it is switched on. */
function noteOff({ id, isEnabled }: PlannedServer, unset: readonly string[]): string[] {
  const cure = `\`repertoire enable ${id}\``;
  if (unset.length > 0) {
    return unset.map(
      (name) => `The variable ${name} is not set, so the server is switched off: set it, then run ${cure}.`,
    );
  }
  return isEnabled ? [] : [`It is added switched off; ${cure} switches it on.`];
}

/** Each once, in the order of the entry. */
function unsetVariables(entry: JsonObject, env: Environment): string[] {
  const names = [...textsOf(entry)].flatMap(({ text }) =>
    piecesOf(text).flatMap((piece) =>
      piece.kind === "variable" && valueOf(piece, env) === undefined ? [piece.name] : [],
    ),
  );
  return [...new Set(names)];
}

/** A key, the server id that it gives, and why it is not the one that is written. */
interface ServerKey {
  readonly key: string;
  readonly id: string;
  readonly change?: "taken" | "invalid";
}

/**
 * The key as it is, or the nearest one that is valid and whose id is not taken: `<key>_<client>`, then with a number.
 */
function chooseKey(written: string, client: ClientId, isTaken: (id: string) => boolean): ServerKey {
  const asWritten = parseServerKey(written);
  if (asWritten.ok && !isTaken(asWritten.id)) return { key: written, id: asWritten.id };
  const change = asWritten.ok ? "taken" : "invalid";
  for (let number = 1; ; number++) {
    const ending = `_${client}${number === 1 ? "" : `_${number}`}`;
    const key = `${shorten(written, SERVER_ID_LENGTH_MAX - ending.length)}${ending}`;
    const parsed = parseServerKey(key);
    if (parsed.ok && !isTaken(parsed.id)) return { key, id: parsed.id, change };
  }
}

/** What is left of a key that is too long, or that has characters which a key cannot have. */
function shorten(written: string, length: number): string {
  const plain = written.slice(0, 256).replace(/\p{Cc}+/gu, "_");
  const short = plain.length <= length ? plain : plain.slice(0, length);
  return short.replace(/[^A-Za-z0-9]+$/, "") || "server";
}
