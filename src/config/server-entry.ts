/**
 * One entry of `mcpServers`, read by itself: what is wrong with it is wrong with that server and with nothing else of the file. What
 * cannot be used is left out, so that the rest can still be shown.
 */
import { nearest } from "../core/nearest.ts";
import { checkServerEntry } from "./file-check.ts";
import { quoteKey, type Complaint, type KeyPath } from "./problem.ts";
import { SERVER_KEYS, type FileServer } from "./schema.ts";
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
  const { known, warnings } = takeKnownKeys(value, path);
  const checked = checkServerEntry(known);
  if (checked.ok) return { entry: checked.entry, complaints: [], warnings };
  const complaints = checked.complaints.map((complaint) => ({
    ...complaint,
    path: [...path, ...complaint.path],
  }));
  return { entry: readRest(known, checked.complaints), complaints, warnings };
}

// ── unknown keys ────────────────────────────────────────────────────────────────────────────────────────────────────

/** Unknown keys of an entry that are warned of one by one; what a hostile file has beyond them is counted. */
const UNKNOWN_SHOWN_MAX = 20;

function takeKnownKeys(value: unknown, path: KeyPath): { known: unknown; warnings: readonly Complaint[] } {
  const object = asObject(value);
  if (object === undefined) return { known: value, warnings: [] };
  const isKnown = (key: string): boolean => SERVER_KEYS.includes(key);
  const known = Object.fromEntries(Object.entries(object).filter(([key]) => isKnown(key)));
  const unknown = Object.keys(object).filter((key) => !isKnown(key));
  const warnings = unknown.slice(0, UNKNOWN_SHOWN_MAX).map((key) => warnUnknown(key, path));
  const rest = unknown.length - warnings.length;
  if (rest > 0) warnings.push({ path, at: "key", message: `has ${rest} more unknown keys` });
  return { known, warnings };
}

function warnUnknown(key: string, path: KeyPath): Complaint {
  const [hit] = nearest(key, SERVER_KEYS, 1);
  const message = "unknown key, which has no effect";
  return {
    path: [...path, key],
    at: "key",
    message: hit === undefined ? message : `${message}; did you mean ${quoteKey(hit)}?`,
    ...(hit === undefined && { hint: `the keys of a server are ${SERVER_KEYS.join(", ")}` }),
  };
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
