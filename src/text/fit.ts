/**
 * Shapes of JSON from outside, as small functions that are put together: each takes a value and returns it, the very same object
 * where it fits, a repaired copy where the meaning is certain, or a `Misfit` that says where and why it does not fit.
 *
 * What fits costs no allocation: every answer of every server passes here.
 */
import { isJsonObject, type Json, type JsonObject } from "../core/json.ts";

/** `drops` is told of every field that was left out of a repaired copy, with its place. */
export type Fit = (value: unknown, drops?: string[]) => unknown;

export class Misfit {
  /** The way to the place and what is wrong there: `.content[0].text must be a string`. */
  readonly problem: string;

  constructor(problem: string) {
    this.problem = problem;
  }

  in(key: string | number): Misfit {
    return new Misfit(placed(key, this.problem));
  }
}

export interface RecordFields {
  /** Without it, or with a misfit in it, the record does not fit. */
  readonly needs?: Readonly<Record<string, Fit>>;
  /** May be missing; a misfit in it is one of the record. */
  readonly may?: Readonly<Record<string, Fit>>;
  /** May be missing; a misfit is left out, because the rest means the same without it. */
  readonly hints?: Readonly<Record<string, Fit>>;
}

interface Field {
  readonly key: string;
  readonly fit: Fit;
  readonly kind: keyof RecordFields;
}

/** An object with these fields and any others. `null` in a field that may be missing is how some languages write that it is. */
export function record(fields: RecordFields): Fit {
  const { needs, may, hints } = fields;
  const all: readonly Field[] = [
    ...fieldsOf("needs", needs),
    ...fieldsOf("may", may),
    ...fieldsOf("hints", hints),
  ];
  return (value, drops) => {
    if (!isJsonObject(value)) return new Misfit(" must be an object");
    let fitted: JsonObject = value;
    for (const { key, fit, kind } of all) {
      const given = value[key];
      if (given === undefined && kind !== "needs") continue;
      if (given === null && kind !== "needs") {
        fitted = without(fitted, key);
        continue;
      }
      const before = drops?.length ?? 0;
      const part = fit(given, drops);
      if (part === given) continue;
      if (!(part instanceof Misfit)) fitted = { ...fitted, [key]: part as Json };
      else if (kind !== "hints") return part.in(key);
      else {
        fitted = without(fitted, key);
        drops?.push(part.problem);
      }
      placeDrops(drops, before, key);
    }
    return fitted;
  };
}

function fieldsOf(kind: keyof RecordFields, fields: Readonly<Record<string, Fit>> = {}): Field[] {
  return Object.entries(fields).map(([key, fit]) => ({ key, fit, kind }));
}

export function listOf(fit: Fit): Fit {
  return (value, drops) => {
    if (!Array.isArray(value)) return new Misfit(" must be a list");
    let fitted: readonly unknown[] = value;
    for (let at = 0; at < value.length; at++) {
      const before = drops?.length ?? 0;
      const part = fit(value[at], drops);
      if (part === value[at]) continue;
      if (part instanceof Misfit) return part.in(at);
      fitted = fitted.with(at, part);
      placeDrops(drops, before, at);
    }
    return fitted;
  };
}

export const text: Fit = (value) => (typeof value === "string" ? value : new Misfit(" must be a string"));

export const flag: Fit = (value) =>
  typeof value === "boolean" ? value : new Misfit(" must be true or false");

export const number: Fit = (value) => (typeof value === "number" ? value : new Misfit(" must be a number"));

/** zod takes no integer beyond what a double holds exactly. */
export const integer: Fit = (value) =>
  Number.isSafeInteger(value) ? value : new Misfit(" must be an integer");

export const anyObject: Fit = (value) => (isJsonObject(value) ? value : new Misfit(" must be an object"));

export function numberWithin(min: number, max: number): Fit {
  return (value) =>
    typeof value === "number" && value >= min && value <= max
      ? value
      : new Misfit(` must be a number from ${min} to ${max}`);
}

export function oneOf(...words: readonly string[]): Fit {
  return (value) =>
    words.includes(value as string) ? value : new Misfit(` must be one of ${words.join(", ")}`);
}

/** The first that fits. */
export function either(first: Fit, second: Fit): Fit {
  return (value, drops) => {
    const fitted = first(value, drops);
    return fitted instanceof Misfit ? second(value, drops) : fitted;
  };
}

function without(value: JsonObject, key: string): JsonObject {
  const { [key]: _, ...rest } = value;
  return rest;
}

function placed(key: string | number, problem: string): string {
  return typeof key === "number" ? `[${key}]${problem}` : `.${key}${problem}`;
}

function placeDrops(drops: string[] | undefined, from: number, key: string | number): void {
  if (drops === undefined) return;
  for (let at = from; at < drops.length; at++) drops[at] = placed(key, drops[at]!);
}
