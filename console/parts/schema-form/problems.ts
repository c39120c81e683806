import { Validator, type Schema } from "@cfworker/json-schema";

/** What is wrong with a value; `path` is a JSON Pointer. */
export interface FormProblem {
  readonly path: string;
  readonly message: string;
}

const PROBLEMS_MAX = 50;

/** Checks a value against a schema, without eval. A schema that cannot be checked has no problems here: the gateway checks again. */
export function problemsOf(schema: unknown, value: unknown): readonly FormProblem[] {
  try {
    const { errors } = new Validator(schema as Schema, "2020-12", false).validate(value);
    return errors
      .filter(({ keyword }) => !["properties", "items", "$ref", "allOf"].includes(keyword))
      .slice(0, PROBLEMS_MAX)
      .map(({ instanceLocation, error, keyword }) =>
        problemOf(instanceLocation.replace(/^#/, ""), keyword, error),
      );
  } catch {
    return [];
  }
}

/** A missing field is a problem of the field, not of the object around it. */
function problemOf(path: string, keyword: string, error: string): FormProblem {
  const missing = keyword === "required" ? /"([^"]+)"/.exec(error)?.[1] : undefined;
  return missing === undefined
    ? { path, message: error }
    : { path: `${path}/${escapeStep(missing)}`, message: "It is required." };
}

/** A step of a JSON Pointer. */
export function escapeStep(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}
