/**
 * The fields of an entry, read with tolerance for wrong types: each reader marks what it took, so that the rest can be
 * named.
 */
import { quoteKey } from "../../config/problem.ts";
import { asObject } from "../../config/entries/server-check.ts";
import type { ClientId, ClientPlace } from "../client.ts";
import type { Rewriting } from "./variables.ts";
import type { WrittenServer } from "../read/written-server.ts";

/** One entry while it is read. */
export interface Fields {
  /** The first of these keys that is there; all of them count as taken. */
  readonly take: (...keys: string[]) => unknown;
  readonly text: (...keys: string[]) => string | undefined;
  /** The names of what was never taken. */
  readonly rest: () => string[];
  readonly note: (note: string) => void;
}

export function createFields(entry: Record<string, unknown>, note: (note: string) => void): Fields {
  const taken = new Set<string>();
  const take = (...keys: string[]): unknown => {
    for (const key of keys) taken.add(key);
    const found = keys.find(
      (key) => Object.hasOwn(entry, key) && entry[key] !== null && entry[key] !== undefined,
    );
    return found === undefined ? undefined : entry[found];
  };
  return {
    take,
    note,
    text: (...keys) => {
      const value = take(...keys);
      return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
    },
    rest: () => Object.keys(entry).filter((key) => !taken.has(key)),
  };
}

/** A string, or a number or boolean as a string. */
export function scalarText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}

/**
 * A list of texts, undefined where one item is not a text: a command without one of its arguments is another command.
 */
export function scalarTexts(value: unknown): string[] | undefined {
  if (value === undefined) return [];
  if (!Array.isArray(value)) return typeof value === "string" ? [value] : undefined;
  const texts = value.map(scalarText);
  return texts.every((text) => text !== undefined) ? texts : undefined;
}

/** The names and texts of an object; what cannot be carried over is left out with a note. */
export function readPairs(
  value: unknown,
  { label, isName, note }: { label: string; isName: (name: string) => boolean; note: (note: string) => void },
): [name: string, text: string][] {
  if (value === undefined) return [];
  const object = asObject(value);
  if (object === undefined) {
    note(`Its ${label} is left out: it is not an object.`);
    return [];
  }
  const pairs: [string, string][] = [];
  const seen = new Set<string>();
  for (const [name, child] of Object.entries(object)) {
    const text = scalarText(child);
    // Header names are equal in any case; so are variables on some systems.
    const spelling = label === "headers" ? name.toLowerCase() : name;
    if (text === undefined || !isName(name) || seen.has(spelling)) {
      note(
        `${quoteKey(name)} of its ${label} is left out: its name is not valid, its value is not a string, or it is a duplicate.`,
      );
    } else pairs.push([name, text]);
    seen.add(spelling);
  }
  return pairs;
}

/** An entry on its way from a client's shape to ours. */
export interface EntryContext {
  readonly client: ClientId;
  readonly place: ClientPlace;
  readonly written: WrittenServer;
  readonly fields: Fields;
  readonly rewriting: Rewriting;
}
