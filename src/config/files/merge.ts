/**
 * The user's file and the project's file as one tree. The nearer file wins: by server as a whole, by input, and by
 * setting (`limits.callTimeoutMs`), never deeper than that, so that no address of one file is combined with a key of
 * the other.
 *
 * - A project file that is not trusted adds its servers as a list of what waits for trust, and nothing else. A server
 *   of the user's own with the same id stays.
 * - A trusted one wins, except where the user's own file forbids something: what that says of profiles, of who may come
 *   in over HTTP and of folders that workflows may use stays, a server is isolated at least as it says, and a switch that it has set to the strict side cannot be
 *   set back.
 *
 * Every path of the tree knows the file that it came from: for the place of a problem, for relative folders, and for
 * trust.
 */
import { dirname } from "node:path";
import { TRUST_LEVELS } from "../../core/rule.ts";
import type { FileText } from "./config-text.ts";
import type { Document } from "./document.ts";
import { quoteKey, type Complaint, type KeyPath, type ConfigProblem } from "../problem.ts";
import { asObject, objectAt, parseServerKey, listEntries, SERVER_TABLES } from "../entries/server-check.ts";
import {
  asksForSandbox,
  findLooser,
  ISOLATION_KEYS,
  withDemanded,
  withSandboxOfFile,
} from "../entries/server-isolation.ts";

/** One file that could be parsed. */
export interface Layer {
  readonly source: FileText;
  readonly document: Document;
  readonly complaints: readonly Complaint[];
}

export interface Merged {
  readonly value: unknown;
  /** Puts a complaint about the tree at its place in the file that it came from. */
  readonly locate: (complaint: Complaint) => ConfigProblem;
  /** The file that decides at a path; undefined where there is none. */
  readonly sourceAt: (path: KeyPath) => FileText | undefined;
  /** What the parser found in the parts that count. */
  readonly complaints: readonly { readonly path: KeyPath; readonly problem: ConfigProblem }[];
  /** Settings of a trusted project that the user's own file does not leave to it. */
  readonly warnings: readonly ConfigProblem[];
}

/** The nearest first. */
export function mergeLayers(layers: readonly Layer[]): Merged {
  const places = createPlaces(layers[0]);
  const warnings: ConfigProblem[] = [];
  const roots = layers.filter(({ source }) => source.trusted);
  // A file that is not an object has nothing to merge; the check complains about it.
  const odd = roots.find(({ document }) => asObject(document.value) === undefined);
  const value = odd === undefined ? mergeRoots(layers, roots, places, warnings) : odd.document.value;
  return {
    value,
    locate: odd === undefined ? places.locate : odd.document.locate,
    sourceAt: (path) => places.layerAt(path)?.source,
    complaints: layers.flatMap((layer) => parserComplaints(layer, places)),
    warnings,
  };
}

function parserComplaints({ source, document, complaints }: Layer, places: Places): Merged["complaints"] {
  return complaints
    .map((complaint) => ({ path: treePathOf(complaint.path), problem: document.locate(complaint) }))
    .filter(({ path }) =>
      path[0] === "mcpServers" && path.length > 1
        ? [undefined, source].includes(places.layerOf(path)?.source)
        : source.trusted,
    );
}

/** A place under any table of servers is one under `mcpServers` of the tree. */
function treePathOf([table, ...rest]: KeyPath): KeyPath {
  return SERVER_TABLES.some((name) => name === table) ? ["mcpServers", ...rest] : [table!, ...rest];
}

function mergeRoots(
  layers: readonly Layer[],
  roots: readonly Layer[],
  places: Places,
  warnings: ConfigProblem[],
): Record<string, unknown> {
  const tree: Record<string, unknown> = Object.create(null);
  // From afar to near, so that the nearer one decides last.
  for (const layer of roots) warnings.push(...warnUnusedSandbox(layer));
  for (const layer of roots.toReversed()) {
    for (const [key, value] of Object.entries(asObject(layer.document.value) ?? {})) {
      if (isServerTable(key, value)) continue;
      const rule = { key, value, before: tree[key], layer, places, warnings };
      tree[key] = mergeSetting(rule);
    }
  }
  const servers = mergeServers(layers, places, warnings);
  if (servers !== undefined) tree["mcpServers"] = servers;
  return tree;
}

/** VS Code's `sandbox` of a file is for the servers that ask for one. */
function warnUnusedSandbox({ document }: Layer): ConfigProblem[] {
  const root = document.value;
  const isUsed = listEntries(root).some(({ value }) => asObject(value)?.["sandboxEnabled"] === true);
  if (isUsed) return [];
  const message = "has no effect: no server of this file has sandboxEnabled";
  const hint = 'add "sandboxEnabled": true to each server that is to run in a sandbox';
  return ISOLATION_KEYS.filter((name) => Object.hasOwn(objectAt(root, "sandbox") ?? {}, name)).map((name) =>
    document.locate({ path: ["sandbox", name], at: "key", message, hint }),
  );
}

function isServerTable(key: string, value: unknown): boolean {
  return SERVER_TABLES.some((table) => table === key) && asObject(value) !== undefined;
}

// ── servers ─────────────────────────────────────────────────────────────────────────────────────────────────────────

function mergeServers(
  layers: readonly Layer[],
  places: Places,
  warnings: ConfigProblem[],
): Record<string, unknown> | undefined {
  const servers: Record<string, unknown> = Object.create(null);
  const owners = new Map<string, Layer>();
  // Of what counts the nearest first, then what only waits for trust.
  const ordered = [...layers].sort((a, b) => Number(b.source.trusted) - Number(a.source.trusted));
  for (const layer of ordered) {
    for (const { key, table, value, isDouble } of listEntries(layer.document.value)) {
      const id = idOf(key);
      const owner = owners.get(id) ?? layer;
      if (isDouble && layer.source.trusted) {
        const complaint = { path: [table, key], at: "key" as const, message: DOUBLE };
        warnings.push(layer.document.locate(complaint));
      }
      if (owner !== layer || isDouble) continue;
      owners.set(id, layer);
      const declared = { id, key, table, layer, layers, warnings };
      servers[key] = withTrust(withSandbox(value, declared), declared);
      places.set(["mcpServers", key], { layer, path: [table, key] });
    }
  }
  const isThere = layers.some(({ document }) =>
    Object.entries(asObject(document.value) ?? {}).some(([key, value]) => isServerTable(key, value)),
  );
  return isThere ? servers : undefined;
}

interface DeclaredServer {
  readonly id: string;
  readonly key: string;
  readonly table: string;
  readonly layer: Layer;
  readonly layers: readonly Layer[];
  readonly warnings: ConfigProblem[];
}

/** A server of a project is isolated at least as the user's own file says of it. */
function withSandbox(value: unknown, { id, key, table, layer, layers, warnings }: DeclaredServer): unknown {
  const entry = asObject(value);
  if (entry === undefined) return value;
  const own = withSandboxOfFile(entry, layer.document.value);
  if (layer.source.origin.kind !== "project" || !Object.hasOwn(own, "command")) return own;
  const demanded = layers
    .filter(({ source }) => source.origin.kind === "user")
    .flatMap(({ document }) =>
      listEntries(document.value)
        .filter((other) => idOf(other.key) === id)
        .map((other) => withSandboxOfFile(asObject(other.value) ?? {}, document.value)),
    )
    .find(asksForSandbox);
  if (demanded === undefined) return own;
  const name = findLooser(own, demanded);
  if (name !== undefined) {
    const message = "has no effect: your own file says what this server may reach";
    warnings.push(layer.document.locate({ path: [table, key, name], at: "key", message }));
  }
  return withDemanded(own, demanded);
}

/** A server of a project is trusted no more than the user's own file says, of all servers or of this one. */
function withTrust(value: unknown, { id, key, table, layer, layers, warnings }: DeclaredServer): unknown {
  const entry = asObject(value);
  if (entry === undefined || layer.source.origin.kind !== "project") return value;
  const users = layers
    .filter(({ source }) => source.origin.kind === "user")
    .map(({ document }) => document.value);
  const own = users.flatMap((file) => [
    asObject(file)?.["trust"],
    ...listEntries(file).flatMap((other) =>
      idOf(other.key) === id ? [asObject(other.value)?.["trust"]] : [],
    ),
  ]);
  const levels: readonly unknown[] = TRUST_LEVELS;
  const least = Math.max(...own.map((level) => levels.indexOf(level)));
  const said = levels.indexOf(entry["trust"]);
  if (said >= least) return value;
  if (said !== -1) {
    const message = 'has no effect: your own file sets "trust" to something more careful';
    warnings.push(layer.document.locate({ path: [table, key, "trust"], at: "key", message }));
    return { ...entry, trust: levels[least] };
  }
  // What is no level is complained of; a switch of another client is none.
  if (typeof entry["trust"] === "string") return value;
  const ofFile = levels.indexOf(asObject(layer.document.value)?.["trust"]);
  return { ...entry, trust: levels[Math.max(least, ofFile)] };
}

const DOUBLE = 'has no effect: "mcpServers" has a server of this name';

/** Keys that give no id differ by their text. */
function idOf(key: string): string {
  const parsed = parseServerKey(key);
  return parsed.ok ? parsed.id : `key ${key}`;
}

// ── settings ────────────────────────────────────────────────────────────────────────────────────────────────────────

interface Rule {
  readonly key: string;
  readonly value: unknown;
  /** What the files further away say. */
  readonly before: unknown;
  readonly layer: Layer;
  readonly places: Places;
  readonly warnings: ConfigProblem[];
}

/**
 * What the user's own file says here stays, whatever a project says: it is about who may connect and what may be
 * reached.
 */
const USER_STAYS: ReadonlySet<string> = new Set([
  "http.host",
  "http.publicUrl",
  "http.allowedHosts",
  "http.allowedOrigins",
  "http.oauth",
  "http.console",
  "registry.url",
  "store.url",
  "workflows.fileRoots",
]);

/** The strict side of a switch: once the user's own file has chosen it, a project cannot choose the other. */
const STRICT: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["workflows.allowShell", false],
  ["workflows.allowPrivateHttp", false],
  ["tools.suspicious", "block"],
  ["library.changedTools", "refuse"],
]);

function mergeSetting(rule: Rule): unknown {
  if (rule.key === "inputs") return mergeInputs(rule);
  if (rule.key === "rules") return mergeRules(rule);
  if (rule.key === "trust") return mergeTrust(rule);
  return mergeSection(rule);
}

/** A project may be more careful than the user, and not less. */
function mergeTrust(rule: Rule): unknown {
  const levels: readonly unknown[] = TRUST_LEVELS;
  const isLess = levels.indexOf(rule.value) < levels.indexOf(rule.before);
  if (!levels.includes(rule.value) || !isLess) return mergeSection(rule);
  const message = 'has no effect: your own file sets "trust" to something more careful';
  rule.warnings.push(rule.layer.document.locate({ path: ["trust"], at: "key", message }));
  return rule.before;
}

/** The nearer file decides last, so a project adds rules behind the user's own and undoes none of them. */
function mergeRules({ key, value, before, layer, places }: Rule): unknown {
  const earlier: unknown[] = Array.isArray(before) ? before : [];
  if (!Array.isArray(value)) {
    places.set([key], { layer, path: [key] });
    return value;
  }
  for (const index of value.keys()) places.set([key, earlier.length + index], { layer, path: [key, index] });
  return [...earlier, ...(value as unknown[])];
}

function mergeSection({ key, value, before, layer, places, warnings }: Rule): unknown {
  const section = asObject(value);
  const earlier = asObject(before);
  if (section === undefined || earlier === undefined) {
    places.set([key], { layer, path: [key] });
    for (const inner of Object.keys(section ?? {})) places.set([key, inner], { layer, path: [key, inner] });
    return value;
  }
  const merged: Record<string, unknown> = Object.assign(Object.create(null), earlier);
  for (const [inner, setting] of Object.entries(section)) {
    const path = [key, inner];
    if (Object.hasOwn(earlier, inner) && stays(path, earlier[inner], setting)) {
      const message = `has no effect: your own file sets ${quoteKey(path.join("."))}`;
      warnings.push(layer.document.locate({ path, at: "key", message }));
      continue;
    }
    merged[inner] = setting;
    places.set(path, { layer, path });
  }
  return merged;
}

function stays([section, key]: readonly string[], own: unknown, setting: unknown): boolean {
  if (own === setting) return false;
  const name = `${section}.${key}`;
  return section === "profiles" || USER_STAYS.has(name) || (STRICT.has(name) && STRICT.get(name) === own);
}

function mergeInputs({ key, value, before, layer, places }: Rule): unknown {
  if (!Array.isArray(value)) {
    places.set([key], { layer, path: [key] });
    return value;
  }
  const ids = new Set(value.map((input) => asObject(input)?.["id"]));
  const earlier: unknown[] = Array.isArray(before) ? before : [];
  const others = earlier.flatMap((input, index) =>
    ids.has(asObject(input)?.["id"]) ? [] : [{ input, place: places.at([key, index]) }],
  );
  const own = value.map((input: unknown, index) => ({ input, place: { layer, path: [key, index] } }));
  const all = [...own, ...others];
  for (const [index, { place }] of all.entries()) if (place !== undefined) places.set([key, index], place);
  return all.map(({ input }) => input);
}

// ── places in the files ───────────────────────────────────────────────────────────────────────────────────────────────

interface Place {
  readonly layer: Layer;
  readonly path: KeyPath;
}

type Places = ReturnType<typeof createPlaces>;

function createPlaces(nearest: Layer | undefined) {
  const places = new Map<string, Place>();
  const at = (path: KeyPath): Place | undefined => places.get(JSON.stringify(path));
  /** The file that a path of the tree, or the nearest part of it that is known, came from. */
  const find = (path: KeyPath): Place | undefined => at(path.slice(0, 2)) ?? at(path.slice(0, 1));
  return {
    at,
    set: (path: KeyPath, place: Place): void => void places.set(JSON.stringify(path), place),
    layerOf: (path: KeyPath): Layer | undefined => find(path)?.layer,
    layerAt: (path: KeyPath): Layer | undefined => find(path)?.layer ?? nearest,
    locate: (complaint: Complaint): ConfigProblem => {
      const place = find(complaint.path);
      const layer = place?.layer ?? nearest;
      if (layer === undefined) throw new Error("a complaint about no file");
      const path = place === undefined ? complaint.path : withStart(complaint.path, place.path);
      return layer.document.locate({ ...complaint, path });
    },
  };
}

/** The path in the file of the value at a path of the tree. */
function withStart(path: KeyPath, start: KeyPath): KeyPath {
  return [...start, ...path.slice(start.length)];
}

/** The folder that relative paths in a file start at. */
export function folderOf(source: FileText | undefined, otherwise: string): string {
  return source?.origin.path === undefined ? otherwise : dirname(source.origin.path);
}
