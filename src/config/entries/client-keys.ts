/**
 * What the keys mean that other clients write into an entry of a server. Known here once, for entries that are imported
 * from a client's file and for those that a person pastes into ours.
 */
import { asObject } from "./server-check.ts";

type TransportType = "stdio" | "http" | "sse";

const TYPES: ReadonlyMap<string, TransportType> = new Map([
  ...["stdio", "local", "command"].map((word) => [word, "stdio"] as const),
  ...["http", "https", "streamablehttp", "remote"].map((word) => [word, "http"] as const),
  ["sse", "sse"],
]);

/** The keys under which clients name the transport: a word, or an object with one under `type`. */
export const TRANSPORT_KEYS = ["type", "transport", "transportType"] as const;

export function readTransportType(written: unknown): TransportType | "unknown" | undefined {
  const word: unknown = asObject(written)?.["type"] ?? written;
  if (typeof word !== "string") return undefined;
  return TYPES.get(word.toLowerCase().replace(/[\s_-]/g, "")) ?? "unknown";
}

/** The longest that our config allows. */
const TIMEOUT_MS_MAX = 60 * 60 * 1000;
/**
 * Cline and Roo Code count `timeout` in seconds, 1 to 3600; Claude Code, Gemini CLI, Kiro and opencode in milliseconds.
 * Up to here a bare number is read as seconds: where it was meant as milliseconds, calls only get more time than they
 * were to have.
 */
const TIMEOUT_SECONDS_MAX = 3600;

/** A time limit of a client in our unit and within our bounds. */
export function timeoutMsOf(value: number, unit: "seconds" | "milliseconds"): number {
  return Math.min(Math.max(Math.round(unit === "seconds" ? value * 1000 : value), 1), TIMEOUT_MS_MAX);
}

/** The longest that our config allows a command to start. */
const START_TIMEOUT_MS_MAX = 10 * 60 * 1000;

/** Codex's two keys for the time that a server has to start. */
export const START_TIMEOUT_KEYS = ["startup_timeout_sec", "startup_timeout_ms"] as const;

export function startTimeoutMsOf(key: (typeof START_TIMEOUT_KEYS)[number], value: number): number {
  const ms = timeoutMsOf(value, key === "startup_timeout_sec" ? "seconds" : "milliseconds");
  return Math.min(ms, START_TIMEOUT_MS_MAX);
}

/** The unit of a `timeout` whose client is unknown. */
export function guessTimeoutUnit(timeout: number): "seconds" | "milliseconds" {
  return timeout <= TIMEOUT_SECONDS_MAX ? "seconds" : "milliseconds";
}

export const ALLOW_KEYS: readonly string[] = ["includeTools", "enabled_tools", "enabledTools"];
export const DENY_KEYS: readonly string[] = ["excludeTools", "disabled_tools", "disabledTools"];

/** The names in a list of tools. Gemini CLI allows a pattern of arguments after a name. */
export function toolNamesIn(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const names = value
    .filter((name) => typeof name === "string")
    .map((name) => name.replace(/\(.*$/s, "").trim());
  return [...new Set(names.filter((name) => name !== ""))];
}

/** What a client may do without asking its user. It grants nothing here. */
export const APPROVAL_KEYS: readonly string[] = (
  "alwaysAllow autoApprove always_allow auto_approve autoApproveAll trust " +
  "default_tools_approval_mode approval_mode"
).split(" ");

/** For people and for the client's own window; they change nothing about the server. */
export const SILENT_KEYS: readonly string[] = [
  "name",
  "title",
  "description",
  "icon",
  "version",
  "gallery",
  "alwaysLoad",
  "$schema",
  "comment",
  "_comment",
];
