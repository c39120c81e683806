/**
 * A config file as others may see it: its keys and its shape, without any text that could be a secret. It fails closed:
 * a text stays only where the values are words of ours, or where it is a part that is known to say nothing (the scheme
 * and host of a URL, the name of a flag, the package that a package runner is told to start).
 */
import { basename } from "node:path";
import { parse } from "jsonc-parser";
import { isJsonObject, type Json } from "../../core/json.ts";

export interface ConfigShape {
  readonly shape: Json;
  /** Every text that was left out, so that it can be recognised elsewhere. */
  readonly removed: readonly string[];
}

const REMOVED = "<text>";
/** Places whose values are words of this program, and those words. `*` is any key. */
const PLACES: ReadonlySet<string> = new Set([
  "exposure",
  "log.level",
  "log.format",
  "tools.suspicious",
  "library.changedTools",
  "mcpServers.*.type",
  "http.host",
]);
const WORDS: ReadonlySet<string> = new Set(
  (
    "auto lean full silent error warn info debug json text block refuse stdio http sse streamable-http " +
    "localhost 127.0.0.1 0.0.0.0 ::1 ::"
  ).split(" "),
);
/** What they are told to start first is a package of a public registry. */
const PACKAGE_RUNNERS: ReadonlySet<string> = new Set(["npx", "bunx", "pnpx", "uvx", "pipx"]);
const PACKAGE_NAME = /^(?:@[a-z0-9][a-z0-9._-]{0,60}\/)?[a-z0-9][a-z0-9._-]{0,60}(?:@[a-z0-9.^~-]{1,20})?$/i;
const DEPTH_MAX = 20;

export function shapeOfConfig(text: string): ConfigShape {
  const removed = new Set<string>();
  const remove = (value: string): string => {
    removed.add(value);
    return REMOVED;
  };
  const shape = shapeOf(parse(text, [], { allowTrailingComma: true }) as unknown, [], remove);
  return { shape, removed: [...removed] };
}

type Remove = (value: string) => string;

function shapeOf(value: unknown, path: readonly string[], remove: Remove): Json {
  if (path.length > DEPTH_MAX) return REMOVED;
  if (typeof value === "string") return textAt(value, path, remove);
  // A number can be a secret as well: under a name that is no setting of ours, nothing is known.
  if (typeof value === "number") return isSetting(path) ? value : "<number>";
  if (Array.isArray(value)) return value.map((item) => shapeOf(item, [...path, "*"], remove));
  if (!isJsonObject(value)) return typeof value === "boolean" ? value : null;
  const entry = value as Record<string, unknown>;
  const shown = Object.entries(entry).map(([key, item]) =>
    key === "args" && Array.isArray(item)
      ? [key, argsOf(item, packageIndexOf(entry["command"], item), remove)]
      : [key, shapeOf(item, [...path, key], remove)],
  );
  return Object.fromEntries(shown) as Json;
}

function isSetting([first, , third]: readonly string[]): boolean {
  if (first === "mcpServers") return third === "timeoutMs";
  return (
    first === "limits" ||
    first === "sandbox" ||
    first === "http" ||
    first === "store" ||
    first === "telemetry"
  );
}

function textAt(value: string, path: readonly string[], remove: Remove): string {
  const isEntry = path[0] === "mcpServers" && path.length === 3;
  const place = (isEntry ? [path[0]!, "*", path[2]!] : path).join(".");
  if (PLACES.has(place) && WORDS.has(value)) return value;
  if (isEntry && path[2] === "command") {
    const name = basename(value);
    if (/^[\w.-]{1,30}$/.test(name) && name === value) return value;
    remove(value);
    return /^[\w.-]{1,30}$/.test(name) ? `…/${name}` : REMOVED;
  }
  if (path.at(-1) === "url" || path.at(-1)?.endsWith("Url") === true) return urlOf(value, remove);
  return remove(value);
}

/** Paths of URLs carry secrets, too. */
function urlOf(value: string, remove: Remove): string {
  remove(value);
  const url = URL.parse(value);
  if (url === null || !/^https?:$/.test(url.protocol)) return REMOVED;
  for (const part of [
    url.username,
    url.password,
    url.pathname,
    url.search,
    url.hash,
    ...url.searchParams.values(),
  ]) {
    if (part !== "" && part !== "/") remove(part);
  }
  return `${url.protocol}//${url.host}/…`;
}

function argsOf(args: readonly unknown[], packageAt: number, remove: Remove): Json[] {
  return args.map((arg, at) => {
    if (typeof arg !== "string") return REMOVED;
    return at === packageAt ? arg : argOf(arg, remove);
  });
}

function argOf(arg: string, remove: Remove): string {
  const [, flag, rest] = /^(--?[a-zA-Z][a-zA-Z-]{0,30})(?:=(.*))?$/s.exec(arg) ?? [];
  if (flag === undefined) return remove(arg);
  if (rest !== undefined) remove(rest);
  return rest === undefined ? flag : `${flag}=${REMOVED}`;
}

/**
 * Where in `npx -y @scope/server …` the package is; -1 where there is none to be sure of: behind another flag it may be
 * that flag's value.
 */
function packageIndexOf(command: unknown, args: readonly unknown[]): number {
  if (typeof command !== "string" || !PACKAGE_RUNNERS.has(basename(command))) return -1;
  const at = args.findIndex((arg) => arg !== "-y" && arg !== "--yes");
  const name = args[at];
  return typeof name === "string" && PACKAGE_NAME.test(name) ? at : -1;
}
