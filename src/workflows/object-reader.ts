/**
 * One object of a workflow's text, read field by field. A field that is wrong is a problem and reads as if it were
 * absent, so that the rest can still be checked. Only own fields count.
 */
import { isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import { didYouMean } from "../text/nearest.ts";
import { quote } from "../text/quote.ts";
import type { Path } from "./place.ts";
import type { Problems } from "./problem.ts";

export interface ObjectReader {
  readonly value: JsonObject;
  readonly path: Path;
  readonly problems: Problems;
}

/** The object at a place, whose other keys are problems; undefined where there is no object. */
export function openObject(
  value: Json | undefined,
  path: Path,
  keys: readonly string[],
  problems: Problems,
): ObjectReader | undefined {
  if (!isJsonObject(value)) {
    problems.add(path, `must be an object, and is ${kindOf(value)}.`, `Write {…} with ${keys.join(", ")}.`);
    return undefined;
  }
  const object = { value, path, problems };
  for (const key of Object.keys(value)) if (!keys.includes(key)) addUnknownKey(key, keys, object);
  return object;
}

function addUnknownKey(key: string, keys: readonly string[], { path, problems }: ObjectReader): void {
  const meant = didYouMean(problems.near(key, keys));
  const fix = `Remove it, or use one of ${keys.join(", ")}.${meant}`;
  problems.add([...path, key], `the key ${quote(key)} is not known here.`, fix, "key");
}

/** The value of an own key of the object. */
export function fieldOf(object: ObjectReader, key: string): Json | undefined {
  return Object.hasOwn(object.value, key) ? object.value[key] : undefined;
}

export function textField(object: ObjectReader, key: string): string | undefined {
  const value = fieldOf(object, key);
  if (value === undefined || typeof value === "string") return value;
  return refuse(object, key, `must be a text, and is ${kindOf(value)}.`, "Write it in double quotes.");
}

/** A text that must be there and say something. */
export function requiredTextField(object: ObjectReader, key: string, example: string): string | undefined {
  if (fieldOf(object, key) !== undefined && fieldOf(object, key) !== "") return textField(object, key);
  return refuse(object, key, `"${key}" is missing.`, `Add "${key}": ${example}.`);
}

export function flagField(object: ObjectReader, key: string): boolean | undefined {
  const value = fieldOf(object, key);
  if (value === undefined || typeof value === "boolean") return value;
  return refuse(object, key, `must be true or false, and is ${kindOf(value)}.`, "Write true or false.");
}

export interface Range {
  readonly min: number;
  readonly max: number;
}

export function integerField(object: ObjectReader, key: string, { min, max }: Range): number | undefined {
  const value = fieldOf(object, key);
  if (value === undefined) return undefined;
  if (typeof value === "number" && Number.isInteger(value) && value >= min && value <= max) return value;
  const is = typeof value === "number" ? value : kindOf(value);
  const message = `must be a whole number from ${min} to ${max}, and is ${is}.`;
  return refuse(object, key, message, `Write a whole number from ${min} to ${max}.`);
}

export function choiceField<T extends string>(
  object: ObjectReader,
  key: string,
  choices: readonly T[],
): T | undefined {
  const value = fieldOf(object, key);
  if (value === undefined) return undefined;
  const chosen = choices.find((choice) => choice === value);
  if (chosen !== undefined) return chosen;
  const meant = typeof value === "string" ? didYouMean(object.problems.near(value, choices)) : "";
  return refuse(object, key, "is none of the allowed values.", `Write one of ${choices.join(", ")}.${meant}`);
}

function refuse(object: ObjectReader, key: string, message: string, fix: string): undefined {
  object.problems.add([...object.path, key], message, fix);
  return undefined;
}

/** The kind of a value in plain words; the value itself may be a secret. */
export function kindOf(value: Json | undefined): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return { object: "an object", string: "a text", number: "a number", boolean: "true or false" }[
    typeof value as "object" | "string" | "number" | "boolean"
  ];
}
