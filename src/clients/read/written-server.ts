import { asObject } from "../../config/entries/server-check.ts";
import type { ClientPlace } from "../client.ts";
import type { ClientDocument } from "./client-document.ts";

/** An entry as a client has it, before it is understood. */
export interface WrittenServer {
  readonly key: string;
  readonly value: unknown;
  readonly scope: "user" | "project";
  /** The folder that its relative paths and its workspace mean. */
  readonly folder: string;
  /** What the rest of the client's settings says; the entry itself may say more. */
  readonly isEnabled: boolean;
  readonly notes: readonly string[];
}

/**
 * Finds the entries in one file of a client; `all` are the files of that client, which may switch entries on and off.
 */
export type FindServers = (
  document: ClientDocument,
  all: readonly ClientDocument[],
  place: ClientPlace,
) => readonly WrittenServer[];

/** A way to a table of servers: key after key. */
export type Way = readonly string[];

/** The value at the end of a way, through own keys only. */
export function valueAt(root: unknown, way: Way): unknown {
  let value = root;
  for (const key of way) {
    const object = asObject(value);
    if (object === undefined || !Object.hasOwn(object, key)) return undefined;
    value = object[key];
  }
  return value;
}

/** The entries of all tables that there are, the first of each key. */
export function entriesAt(root: unknown, ways: readonly Way[]): [key: string, value: unknown][] {
  const found = new Map<string, unknown>();
  for (const way of ways) {
    for (const [key, value] of Object.entries(asObject(valueAt(root, way)) ?? {})) {
      if (!found.has(key)) found.set(key, value);
    }
  }
  return [...found];
}

/** The texts in the list at a way. */
export function namesAt(root: unknown, way: Way): string[] {
  const list = valueAt(root, way);
  return Array.isArray(list) ? list.filter((name) => typeof name === "string") : [];
}

const UNKNOWN = "It came with the project folder, and nothing shows that it was approved.";

/**
 * Entries that nothing but themselves switches off. What comes with a project is off unless a person is known to have
 * approved it: a person who unpacks a folder has not read its files.
 */
export function plainServers(
  { file, value: root }: ClientDocument,
  place: ClientPlace,
  ways: readonly Way[],
  isApproved = file.scope === "user",
): WrittenServer[] {
  return entriesAt(root, ways).map(([key, value]) => ({
    key,
    value,
    scope: file.scope,
    folder: place.cwd,
    isEnabled: isApproved,
    notes: isApproved ? [] : [UNKNOWN],
  }));
}
