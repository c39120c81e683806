import type { ErrorObject } from "ajv";
import type { Json, JsonObject } from "../../core/json.ts";
import { cut } from "../../text/cut.ts";
import { nearest } from "../../text/nearest.ts";
import { pointerParts } from "../../text/json-pointer.ts";
import { propertyNames, valueWords, wordsFor } from "./schema-words.ts";

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
const PATH_LENGTH_MAX = 200;

/** One thing that is wrong: `path` is a place such as `labels[0].name`, or empty for the arguments as a whole. */
export interface ArgumentProblem {
  readonly path: string;
  readonly message: string;
}

/** An error of ajv, with words in its place where there are better ones. */
export interface ArgumentFinding {
  readonly error: ErrorObject;
  readonly words?: string;
}

/** Says one finding as a problem. */
export function toProblem({ error, words }: ArgumentFinding, args: Json): ArgumentProblem {
  const parts = pointerParts(error.instancePath);
  const missing: unknown = error.params["missingProperty"];
  if (words === undefined && typeof missing === "string") {
    return { path: argumentPath(args, [...parts, missing]), message: missingWords(error, missing) };
  }
  return { path: argumentPath(args, parts), message: words ?? wordsFor(error) };
}

function missingWords({ keyword, params, parentSchema, data }: ErrorObject, missing: string): string {
  if (keyword !== "required")
    return `is missing; it is needed beside ${valueWords(String(params["property"]))}`;
  const known = new Set(propertyNames(parentSchema));
  // With `additionalProperties: false` the misspelt name is a problem of its own, with this same hint.
  if (known.size === 0 || parentSchema?.["additionalProperties"] === false) return "is missing";
  const strangers = Object.keys((data as JsonObject | null) ?? {}).filter((name) => !known.has(name));
  const near = nearest(missing, strangers, 1);
  return near.length === 0 ? "is missing" : `is missing; did you give it as ${valueWords(near[0]!)}?`;
}

/** A place in arguments as one writes it in code: `labels[0].name`. The arguments tell an index from a name. */
function argumentPath(args: Json, parts: readonly string[]): string {
  let path = "";
  let value: unknown = args;
  for (const part of parts) {
    path += Array.isArray(value) ? `[${part}]` : step(part, path === "");
    value = childOf(value, part);
  }
  return cut(path, PATH_LENGTH_MAX);
}

function step(name: string, isFirst: boolean): string {
  if (!IDENTIFIER.test(name)) return `[${JSON.stringify(name)}]`;
  return isFirst ? name : `.${name}`;
}

function childOf(value: unknown, part: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return undefined;
  return (value as Record<string, unknown>)[part];
}
