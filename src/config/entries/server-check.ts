/**
 * The rules of `mcpServers` that need more than one key: ids, and how a server is reached. They look at a file that may
 * have other problems, so nothing is taken for granted about its shape.
 */
import { serverIdOf } from "../../core/names.ts";
import { nearest } from "../../text/nearest.ts";
import { quoteKey, type Complaint } from "../problem.ts";
import { SERVER_KEYS } from "../schema.ts";

/** What the other checks need to know of a server, even in a file with problems. */
export interface KnownServer {
  readonly key: string;
  readonly kind: "stdio" | "remote" | "openapi";
}

export interface ServersChecked {
  readonly complaints: readonly Complaint[];
  /** Keys whose id is not what a reader takes it for. */
  readonly warnings: readonly Complaint[];
  readonly known: ReadonlyMap<string, KnownServer>;
}

/** A key is shown in lists and messages; real ones have about 20 characters. */
const KEY_LENGTH_MAX = 128;
const STDIO_KEYS = ["args", "env", "cwd", "envFile", "sandbox", "sandboxEnabled"] as const;
/** Of a server that is an API. */
const API_KEYS = ["baseUrl", "auth"] as const;
const NOT_OF_API = ["command", "url", "type", "oauth", "integrity", "startTimeoutMs", ...STDIO_KEYS] as const;

export function checkServers(file: unknown): ServersChecked {
  const complaints: Complaint[] = [];
  const warnings: Complaint[] = [];
  const known = new Map<string, KnownServer>();
  for (const [key, server] of Object.entries(objectAt(file, "mcpServers") ?? {})) {
    const id = findId(key, known, complaints);
    const object = asObject(server);
    if (object !== undefined) complaints.push(...checkTransport(key, object));
    if (id !== undefined) {
      warnings.push(...warnUnusual(key, id));
      known.set(id, {
        key,
        kind: object === undefined ? "remote" : kindOf(object),
      });
    }
  }
  return { complaints, warnings, known };
}

function kindOf(server: Record<string, unknown>): KnownServer["kind"] {
  if (Object.hasOwn(server, "command")) return "stdio";
  return Object.hasOwn(server, "openapi") ? "openapi" : "remote";
}

export function asObject(value: unknown): Record<string, unknown> | undefined {
  const plain = typeof value === "object" && value !== null && !Array.isArray(value);
  return plain ? (value as Record<string, unknown>) : undefined;
}

/** The value of an own key, if that is an object. */
export function objectAt(value: unknown, key: string): Record<string, unknown> | undefined {
  const object = asObject(value);
  return object !== undefined && Object.hasOwn(object, key) ? asObject(object[key]) : undefined;
}

// ── ids ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

function findId(
  key: string,
  known: ReadonlyMap<string, KnownServer>,
  complaints: Complaint[],
): string | undefined {
  const complain = (message: string): void => {
    complaints.push({ path: ["mcpServers", key], at: "key", message });
  };
  const parsed = parseServerKey(key);
  if (!parsed.ok) {
    complain(parsed.message);
    return undefined;
  }
  const other = known.get(parsed.id);
  if (other === undefined) return parsed.id;
  const both = `${quoteKey(other.key)} and ${quoteKey(key)}`;
  complain(`${both} have the same server id "${parsed.id}"; rename one of them`);
  return undefined;
}

/** More characters of a name are not shown. */
const UNUSUAL_SHOWN_MAX = 5;

/** Letters outside a-z are lost in the id, and some look like those inside: full-width, Cyrillic, Greek. */
function warnUnusual(key: string, id: string): Complaint[] {
  const unusual = [...new Set(key.match(/[^\p{ASCII}]/gu) ?? [])];
  if (unusual.length === 0) return [];
  const shown = unusual
    .slice(0, UNUSUAL_SHOWN_MAX)
    .map((char) => `U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`);
  const message = `the server ${quoteKey(key)} is called "${id}" here, because its name has ${shown.join(", ")}`;
  return [
    { path: ["mcpServers", key], at: "key", message, hint: "write the name with letters a-z and digits" },
  ];
}

type ServerKeyParsed =
  | { readonly ok: true; readonly id: string }
  | { readonly ok: false; readonly message: string };

/** The id of a server from its name in the file or in a variable, or the rule that the name breaks. */
export function parseServerKey(key: string): ServerKeyParsed {
  if (key.length > KEY_LENGTH_MAX) {
    return { ok: false, message: `a server name has at most ${KEY_LENGTH_MAX} characters` };
  }
  if (/\p{Cc}/u.test(key)) return { ok: false, message: "a server name has no control characters" };
  const id = serverIdOf(key);
  return id.success ? { ok: true, id: id.data } : { ok: false, message: id.error.message };
}

// ── transport ───────────────────────────────────────────────────────────────────────────────────────────────────────

function checkTransport(key: string, server: Record<string, unknown>): Complaint[] {
  const has = (name: string): boolean => Object.hasOwn(server, name);
  const complain = (name: string, message: string, hint?: string): Complaint => ({
    path: name === "" ? ["mcpServers", key] : ["mcpServers", key, name],
    at: "key",
    message,
    hint,
  });
  if (has("command") && has("url")) {
    return [complain("url", 'a server has "command" or "url", not both', "remove one of them")];
  }
  if (has("openapi")) return checkApi(key, server, complain);
  const foreignHere = API_KEYS.filter(has);
  if (foreignHere.length > 0)
    return foreignHere.map((name) => complain(name, 'belongs to a server with "openapi"', "remove it"));
  if (!has("command") && !has("url")) {
    const misspelt = Object.keys(server).find((name) => isNear(name, "command") || isNear(name, "url"));
    const hint =
      misspelt === undefined
        ? 'add "command" (a program to start), "url" (a remote server) or "openapi" (a description of an API)'
        : `is ${quoteKey(misspelt)} meant to be "${isNear(misspelt, "url") ? "url" : "command"}"?`;
    return [complain("", '"command" or "url" is missing', hint)];
  }
  const complaints = checkHeaders(key, objectAt(server, "headers") ?? {});
  const type = server["type"];
  if (has("url")) {
    if (type === "stdio") complaints.push(complain("type", 'a server with "url" has type "http" or "sse"'));
    const foreign = STDIO_KEYS.filter(has);
    complaints.push(
      ...foreign.map((name) => complain(name, 'belongs to a server with "command"', "remove it")),
    );
  } else {
    const remote = type === "http" || type === "sse" || type === "streamable-http";
    if (remote) complaints.push(complain("type", 'a server with "command" has type "stdio"'));
    for (const name of ["headers", "oauth"].filter(has)) {
      complaints.push(complain(name, 'belongs to a server with "url"', "remove it"));
    }
  }
  return complaints;
}

/** An API is reached as its description says; what belongs to MCP has no meaning for it. */
function checkApi(key: string, server: Record<string, unknown>, complain: Complain): Complaint[] {
  const foreign = NOT_OF_API.filter((name) => Object.hasOwn(server, name));
  return [
    ...checkHeaders(key, objectAt(server, "headers") ?? {}),
    ...foreign.map((name) => complain(name, 'does not belong to a server with "openapi"', "remove it")),
  ];
}

type Complain = (name: string, message: string, hint?: string) => Complaint;

function isNear(name: string, key: string): boolean {
  return !SERVER_KEYS.includes(name) && nearest(name, [key], 1).length > 0;
}

function checkHeaders(key: string, headers: Record<string, unknown>): Complaint[] {
  const complaints: Complaint[] = [];
  const seen = new Set<string>();
  for (const name of Object.keys(headers)) {
    const path = ["mcpServers", key, "headers", name];
    const message = "duplicate header: names that differ only in case are the same";
    if (seen.has(name.toLowerCase())) complaints.push({ path, at: "key", message, hint: "keep one of them" });
    seen.add(name.toLowerCase());
  }
  return complaints;
}

/** The keys that hold servers; VS Code has `servers`. The first wins where both have a server. */
export const SERVER_TABLES = ["mcpServers", "servers"] as const;

interface TableEntry {
  readonly key: string;
  readonly table: (typeof SERVER_TABLES)[number];
  readonly value: unknown;
  /** Whether an earlier table has this key, so that this one does not count. */
  readonly isDouble: boolean;
}

/** The servers of a file, whatever else is wrong with it. */
export function listEntries(file: unknown): TableEntry[] {
  const seen = new Set<string>();
  return SERVER_TABLES.flatMap((table) => {
    const root = asObject(file);
    const servers = root !== undefined && Object.hasOwn(root, table) ? asObject(root[table]) : undefined;
    return Object.entries(servers ?? {}).map(([key, value]) => {
      const isDouble = seen.has(key);
      seen.add(key);
      return { key, table, value, isDouble };
    });
  });
}
