/** The words for one failed keyword, for a model that will try again. */
import type { ErrorObject } from "ajv";
import type { Json, JsonObject } from "../../core/json.ts";
import { nearest } from "../../text/nearest.ts";
import { cut } from "../../text/cut.ts";

const LISTED_VALUE_COUNT_MAX = 20;
const VALUE_LENGTH_MAX = 80;
const PATTERN_LENGTH_MAX = 200;

const TYPE_WORDS: Readonly<Record<string, string>> = {
  array: "an array",
  boolean: "a boolean",
  integer: "an integer",
  null: "null",
  number: "a number",
  object: "an object",
  string: "a string",
};

/** What is wrong at the place of the error. `required` and its like speak of another place and are not here. */
export function wordsFor(error: ErrorObject): string {
  const { keyword, params } = error;
  switch (keyword) {
    case "type":
      return `must be ${typeWords(params["type"])}`;
    case "enum":
      return notOneOf(params["allowedValues"] as Json[], error.data);
    case "const":
      return `must be ${valueWords(params["allowedValue"] as Json)}`;
    case "additionalProperties":
      return unknownProperty(String(params["additionalProperty"]), error.parentSchema);
    case "unevaluatedProperties":
      return unknownProperty(String(params["unevaluatedProperty"]), error.parentSchema);
    case "pattern":
      return `does not match the pattern ${cut(String(params["pattern"]), PATTERN_LENGTH_MAX)}`;
    case "multipleOf":
      return `must be a multiple of ${params["multipleOf"]}`;
    case "uniqueItems":
      return `must not hold the same item twice; items ${params["j"]} and ${params["i"]} are equal`;
    case "not":
      return "has a form that the schema excludes";
    case "false schema":
      return "is not allowed here";
    case "contains":
      return containsWords(params["minContains"] as number, params["maxContains"] as number | undefined);
    default:
      return limitWords(keyword, params["limit"] as number) ?? error.message ?? "does not fit the schema";
  }
}

function limitWords(keyword: string, limit: number): string | undefined {
  switch (keyword) {
    case "minimum":
      return `must be at least ${limit}`;
    case "maximum":
      return `must be at most ${limit}`;
    case "exclusiveMinimum":
      return `must be above ${limit}`;
    case "exclusiveMaximum":
      return `must be below ${limit}`;
    case "minLength":
      return `must have at least ${count(limit, "character")}`;
    case "maxLength":
      return `must have at most ${count(limit, "character")}`;
    case "minItems":
      return `must have at least ${count(limit, "item")}`;
    case "maxItems":
    case "items":
    case "additionalItems":
    case "unevaluatedItems":
      return `must have at most ${count(limit, "item")}`;
    case "minProperties":
      return `must have at least ${count(limit, "property")}`;
    case "maxProperties":
      return `must have at most ${count(limit, "property")}`;
    default:
      return undefined;
  }
}

/** `a string, a number or null`. */
export function typeWords(types: unknown): string {
  return listed(
    [types].flat().map((type) => TYPE_WORDS[String(type)] ?? String(type)),
    " or ",
  );
}

/** A long list is cut to its beginning; the nearest values are named in any case. */
export function notOneOf(allowed: readonly Json[], given: unknown): string {
  const shown = allowed.slice(0, LISTED_VALUE_COUNT_MAX).map(valueWords).join(", ");
  if (allowed.length <= LISTED_VALUE_COUNT_MAX) return `is not one of ${shown}`;
  const near =
    typeof given === "string"
      ? nearest(
          given,
          allowed.filter((value) => typeof value === "string"),
        )
      : [];
  return `is not one of ${allowed.length} values: ${shown}, …${question(near)}`;
}

export function valueWords(value: Json): string {
  return cut(JSON.stringify(value), VALUE_LENGTH_MAX);
}

/** `; did you mean "a" or "b"?`, or nothing. */
function question(names: readonly string[]): string {
  return names.length === 0 ? "" : `; did you mean ${names.map(valueWords).join(" or ")}?`;
}

/** `a, b or c`. */
export function listed(words: readonly string[], last: string): string {
  const unique = [...new Set(words)];
  return unique.length < 2 ? (unique[0] ?? "") : `${unique.slice(0, -1).join(", ")}${last}${unique.at(-1)}`;
}

function unknownProperty(name: string, parent: JsonObject | undefined): string {
  return `unknown property ${valueWords(name)}${question(nearest(name, propertyNames(parent)))}`;
}

export function propertyNames(schema: JsonObject | undefined): string[] {
  return Object.keys((schema?.["properties"] as JsonObject | undefined) ?? {});
}

function containsWords(min: number, max: number | undefined): string {
  const most = max === undefined ? "" : ` and at most ${max}`;
  return `must have at least ${min}${most} of its items in the form that the schema asks for`;
}

function count(amount: number, noun: "character" | "item" | "property"): string {
  if (amount === 1) return `1 ${noun}`;
  return `${amount} ${noun === "property" ? "properties" : `${noun}s`}`;
}
