/**
 * Whether two entries mean the same server: the same program with the same arguments, folder, variables and sandbox, or
 * the same address. In our own file an input stands for any text, so that a secret that was moved there is recognised
 * afterwards. In the files of clients it does not: else one entry could pass for every other.
 */
import { isJsonObject, type JsonObject } from "../../core/json.ts";
import { buildIsolation, isolationAsWritten } from "../../config/entries/server-isolation.ts";
import type { Environment } from "../../config/locate.ts";
import { piecesOf, valueOf, type Piece } from "../translate/references.ts";
import { compareText } from "../../text/compare-text.ts";

export function isSameServer(
  a: JsonObject,
  b: JsonObject,
  { env, isKept }: { env: Environment; /** Whether `b` is in our own file. */ isKept: boolean },
): boolean {
  const same = (x: string, y: string): boolean => {
    if (x === y) return true;
    // Most texts refer to nothing, and a plan compares every server with every other.
    if (!x.includes("${") && !y.includes("${")) return false;
    return matches(gapsOf(y, env, isKept), gapsOf(x, env, false).join(""));
  };
  if (typeof a["url"] === "string" && typeof b["url"] === "string") {
    const isSameUrl = plainUrl(a["url"], env) === plainUrl(b["url"], env) || same(a["url"], b["url"]);
    return isSameUrl && haveSameHeaders(a, b, same);
  }
  if (typeof a["command"] !== "string" || typeof b["command"] !== "string") return false;
  return (
    same(a["command"], b["command"]) &&
    areSameLists(textsIn(a["args"]), textsIn(b["args"]), same) &&
    same(textIn(a["cwd"]), textIn(b["cwd"])) &&
    haveSameVariables(recordIn(a["env"]), recordIn(b["env"]), same) &&
    haveSameSandbox(a, b, same)
  );
}

type Same = (x: string, y: string) => boolean;

function areSameLists(a: readonly string[], b: readonly string[], same: Same): boolean {
  return a.length === b.length && a.every((text, index) => same(text, b[index]!));
}

function haveSameVariables(a: Record<string, string>, b: Record<string, string>, same: Same): boolean {
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && same(a[name]!, b[name]!))
  );
}

/** What runs in a sandbox in one place must not be taken for what runs without, or with more, in another. */
function haveSameSandbox(a: JsonObject, b: JsonObject, same: Same): boolean {
  const [one, other] = [rulesOf(a), rulesOf(b)];
  if (one === undefined || other === undefined) return one === other;
  return one.every((rules, index) => areSameLists(rules, other[index]!, same));
}

function rulesOf(entry: JsonObject): (readonly string[])[] | undefined {
  const { isolation } = buildIsolation(isolationAsWritten(entry));
  return isolation && [...Object.values(isolation.filesystem), ...Object.values(isolation.network)];
}

/** One client may log in and another send a header: only a header that both send tells two accounts apart. */
function haveSameHeaders(a: JsonObject, b: JsonObject, same: Same): boolean {
  const theirs = new Map(
    Object.entries(recordIn(b["headers"])).map(([name, value]) => [name.toLowerCase(), value]),
  );
  return Object.entries(recordIn(a["headers"])).every(([name, value]) => {
    const other = theirs.get(name.toLowerCase());
    return other === undefined || same(value, other);
  });
}

/**
 * Equal for entries that could be the same server, as long as no input is left open; undefined for what is not a
 * server.
 */
function likenessOf(entry: JsonObject, env: Environment): string | undefined {
  const filled = (text: unknown): string => gapsOf(textIn(text), env, false).join("");
  if (typeof entry["url"] === "string") return plainUrl(entry["url"], env);
  if (typeof entry["command"] !== "string") return undefined;
  const variables = Object.entries(recordIn(entry["env"])).map(
    ([name, text]) => [name, filled(text)] as const,
  );
  return JSON.stringify([
    filled(entry["command"]),
    textsIn(entry["args"]).map(filled),
    filled(entry["cwd"]),
    variables.sort(([x], [y]) => compareText(x, y)),
  ]);
}

function plainUrl(written: string, env: Environment): string {
  const url = gapsOf(written, env, false).join("");
  return (URL.parse(url)?.href ?? url).replace(/\/$/, "");
}

function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.map(textIn) : [];
}

function recordIn(value: unknown): Record<string, string> {
  if (!isJsonObject(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, textIn(child)]));
}

/** The literal parts of a text with what is set now filled in; between two of them is an input that may be anything. */
function gapsOf(written: string, env: Environment, isOpen: boolean): string[] {
  const parts = [""];
  for (const piece of piecesOf(written)) {
    if (piece.kind === "input" && isOpen) parts.push("");
    else parts[parts.length - 1] += shownPiece(piece, env);
  }
  return parts;
}

function shownPiece(piece: Piece, env: Environment): string {
  if (piece.kind === "text") return piece.text;
  return (piece.kind === "variable" ? valueOf(piece, env) : undefined) ?? piece.written;
}

/** Whether a text is these parts in this order with anything between them. */
function matches(parts: readonly string[], text: string): boolean {
  const first = parts[0]!;
  if (parts.length === 1) return text === first;
  const last = parts.at(-1)!;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

/** Servers, found again by an entry that means the same one. */
interface ServerLookUp<T> {
  readonly add: (server: T) => void;
  readonly find: (entry: JsonObject) => T | undefined;
}

/**
 * Hostile files could hold thousands: only those that are alike are compared, and those of our own file that leave
 * something open.
 */
export function createLookUp<T extends { readonly entry: JsonObject }>(
  env: Environment,
  isKept: boolean,
): ServerLookUp<T> {
  const alike = new Map<string, T[]>();
  const open: T[] = [];
  return {
    add: (server) => {
      const likeness = likenessOf(server.entry, env);
      if (likeness === undefined) return;
      if (isKept && JSON.stringify(server.entry).includes("${input:")) open.push(server);
      else alike.set(likeness, [...(alike.get(likeness) ?? []), server]);
    },
    find: (entry) => {
      const candidates = alike.get(likenessOf(entry, env) ?? "") ?? [];
      const isSame = (server: T): boolean => isSameServer(entry, server.entry, { env, isKept });
      return candidates.find(isSame) ?? open.find(isSame);
    },
  };
}
