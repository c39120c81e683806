/**
 * One entry of `mcpServers`, read by itself: what is wrong with it is wrong with that server and with nothing else of
 * the file. Keys that other clients use become our own, or are named in a warning. What cannot be used is left out, so
 * that the rest can still be shown.
 */
import { nearest } from "../../text/nearest.ts";
import {
  ALLOW_KEYS,
  APPROVAL_KEYS,
  DENY_KEYS,
  guessTimeoutUnit,
  readTransportType,
  SILENT_KEYS,
  START_TIMEOUT_KEYS,
  startTimeoutMsOf,
  timeoutMsOf,
  toolNamesIn,
  TRANSPORT_KEYS,
} from "./client-keys.ts";
import { checkServerEntry } from "../files/file-check.ts";
import { quoteKey, type Complaint, type KeyPath } from "../problem.ts";
import { SERVER_KEYS, type FileServer } from "../schema.ts";
import { asObject } from "./server-check.ts";

interface EntryRead {
  /** What could be read of it. */
  readonly entry: FileServer;
  /** What keeps the server from being used. */
  readonly complaints: readonly Complaint[];
  /** What is odd about the entry and harms nothing. */
  readonly warnings: readonly Complaint[];
}

/** `path` is the place of the entry in the file. */
export function readEntry(value: unknown, path: KeyPath): EntryRead {
  const warnings: Complaint[] = [];
  const object = asObject(value);
  const ours = object === undefined ? value : adoptKeys(object, path, warnings);
  const checked = checkServerEntry(ours);
  const misspelt = Object.keys(object ?? {})
    .filter(isMisspeltSandbox)
    .map((key) => complainSandbox(key, path));
  if (checked.ok) return { entry: checked.entry, complaints: misspelt, warnings };
  const placed = checked.complaints.map((complaint) => ({
    ...complaint,
    path: [...path, ...complaint.path],
  }));
  const complaints = [...placed, ...misspelt];
  return { entry: readRest(ours, checked.complaints), complaints, warnings };
}

/** A server is not started without the sandbox that somebody has asked for in other words. */
function isMisspeltSandbox(key: string): boolean {
  return /sandbox/i.test(key) && !SERVER_KEYS.includes(key);
}

function complainSandbox(key: string, path: KeyPath): Complaint {
  const message = "is no key that puts a server into a sandbox";
  return { path: [...path, key], at: "key", message, hint: 'write "sandboxEnabled": true, and "sandbox"' };
}

// ── keys of other clients ───────────────────────────────────────────────────────────────────────────────────────────

/** Unknown keys of an entry that are warned of one by one; what a hostile file has beyond them is counted. */
const UNKNOWN_SHOWN_MAX = 20;

/** The entry in our own keys. One whose value has the wrong type stays, for the check to complain about it. */
function adoptKeys(
  object: Readonly<Record<string, unknown>>,
  path: KeyPath,
  warnings: Complaint[],
): Record<string, unknown> {
  const entry: Record<string, unknown> = { ...object };
  const warn = (key: string, message: string, hint?: string): void => {
    warnings.push({ path: [...path, key], at: "key", message, hint });
  };
  adoptType(entry);
  adoptSwitch(entry);
  adoptTimeout(entry, warn);
  adoptStartTimeout(entry);
  adoptTools(entry);
  for (const key of APPROVAL_KEYS) {
    // A switch of Gemini CLI; any other value of that name is not meant for a client.
    const isOther = key === "trust" && typeof entry[key] !== "boolean";
    if (!Object.hasOwn(entry, key) || isOther) continue;
    if (entry[key] !== false) warn(key, "has no effect: it grants nothing in Repertoire");
    delete entry[key];
  }
  for (const key of SILENT_KEYS) delete entry[key];
  const unknown = Object.keys(entry).filter((key) => !SERVER_KEYS.includes(key));
  for (const [index, key] of unknown.entries()) {
    delete entry[key];
    if (index < UNKNOWN_SHOWN_MAX) warnUnknown(key, warn);
  }
  const rest = unknown.length - UNKNOWN_SHOWN_MAX;
  if (rest > 0) warnings.push({ path, at: "key", message: `has ${rest} more unknown keys` });
  return entry;
}

type Warn = (key: string, message: string, hint?: string) => void;

function warnUnknown(key: string, warn: Warn): void {
  const [hit] = nearest(key, SERVER_KEYS, 1);
  const message = "unknown key, which has no effect";
  if (hit === undefined) warn(key, message, `the keys of a server are ${SERVER_KEYS.join(", ")}`);
  else warn(key, `${message}; did you mean ${quoteKey(hit)}?`);
}

function adoptType(entry: Record<string, unknown>): void {
  for (const key of TRANSPORT_KEYS) {
    const type = readTransportType(entry[key]);
    if (type === undefined || type === "unknown") continue;
    delete entry[key];
    entry["type"] ??= type;
  }
}

function adoptSwitch(entry: Record<string, unknown>): void {
  const { disabled } = entry;
  if (typeof disabled !== "boolean") return;
  delete entry["disabled"];
  if (disabled) entry["enabled"] = false;
}

function adoptTimeout(entry: Record<string, unknown>, warn: Warn): void {
  const { timeout } = entry;
  if (typeof timeout !== "number" || !(timeout > 0)) return;
  delete entry["timeout"];
  if (Object.hasOwn(entry, "timeoutMs")) return;
  const unit = guessTimeoutUnit(timeout);
  entry["timeoutMs"] = timeoutMsOf(timeout, unit);
  warn("timeout", `is read as ${unit}, because clients use different units`, 'write "timeoutMs" to be sure');
}

function adoptStartTimeout(entry: Record<string, unknown>): void {
  for (const key of START_TIMEOUT_KEYS) {
    const time = entry[key];
    if (typeof time !== "number" || !(time > 0)) continue;
    delete entry[key];
    entry["startTimeoutMs"] ??= startTimeoutMsOf(key, time);
  }
}

/** A list of tools that a client shows or hides. What is hidden there must not be open here. */
function adoptTools(entry: Record<string, unknown>): void {
  const take = (keys: readonly string[]): string[] | undefined => {
    const key = keys.find((name) => Array.isArray(entry[name]));
    const names = key === undefined ? undefined : toolNamesIn(entry[key]);
    for (const name of keys) delete entry[name];
    return names;
  };
  const listed = toolNamesIn(entry["tools"]);
  const allow = take(ALLOW_KEYS) ?? listed;
  const deny = take(DENY_KEYS);
  if (allow === undefined && deny === undefined) return;
  const isAll = allow === undefined || allow.includes("*");
  const own = listed === undefined ? asObject(entry["tools"]) : {};
  entry["tools"] = { ...(!isAll && { allow }), ...(deny !== undefined && { deny }), ...own };
}

// ── what is left of an entry with problems ──────────────────────────────────────────────────────────────────────────

function readRest(known: unknown, complaints: readonly Complaint[]): FileServer {
  const rest: Record<string, unknown> = { ...asObject(known) };
  for (const {
    path: [key, inner],
  } of complaints) {
    if (key === undefined) continue;
    const table = asObject(rest[key]);
    const isEntry = table !== undefined && inner !== undefined;
    rest[key] = isEntry
      ? Object.fromEntries(Object.entries(table).filter(([name]) => name !== inner))
      : undefined;
  }
  const checked = checkServerEntry(rest);
  if (checked.ok) return checked.entry;
  const nothing = checkServerEntry({});
  if (!nothing.ok) throw new Error("an entry without keys has the shape of an entry");
  return nothing.entry;
}
