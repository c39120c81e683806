/** What a schema says about the names of its object. Only its top level counts; references are not followed. */
import { isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import type { Problems } from "./problem.ts";

/** A slip in a shorter word is as likely to be another word. */
const SLIP_LENGTH_MIN = 3;
/** A name that is longer by more contains the word, and is no other spelling of it. */
const SLIP_LENGTH_DIFFERENCE_MAX = 2;

export interface Members {
  readonly properties: JsonObject;
  /** Whether no other names are allowed. */
  readonly isClosed: boolean;
}

export function membersOfSchema(schema: JsonObject): Members {
  const { properties, patternProperties } = schema;
  const isClosed = schema["additionalProperties"] === false && patternProperties === undefined;
  return { properties: isJsonObject(properties) ? properties : {}, isClosed };
}

export function memberSchema({ properties }: Members, name: string): Json | undefined {
  return Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/**
 * Whether a name that is not declared is wrong, with the names that were probably meant. Where other names are allowed
 * it is wrong only if it looks like a slip of the finger.
 */
export function judgeUndeclared(
  name: string,
  isClosed: boolean,
  candidates: readonly string[],
  problems: Problems,
): { readonly isWrong: boolean; readonly near: readonly string[] } {
  const near = problems.near(name, candidates);
  if (isClosed) return { isWrong: true, near };
  const slips = near.filter((declared) => isSlip(name, declared));
  return { isWrong: slips.length > 0, near: slips };
}

function isSlip(name: string, declared: string): boolean {
  return (
    name.length >= SLIP_LENGTH_MIN && Math.abs(name.length - declared.length) <= SLIP_LENGTH_DIFFERENCE_MAX
  );
}
