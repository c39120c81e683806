/** A token that the environment gives: for gateways that are started by a machine, and on record nowhere. */
import { RepertoireError } from "../../core/errors.ts";
import { PERMISSIONS } from "../../core/principal.ts";
import { digestOf, type TokenEntry } from "./token.ts";

export const ENVIRONMENT_TOKEN_NAME = "environment";
const VARIABLE = "REPERTOIRE_TOKEN";
/** As many bits as a guess could never find, also in hex. */
const LENGTH_MIN = 32;
/** Random hex of that length has fewer in three of a million cases. */
const DISTINCT_MIN = 9;
/** Of words that are repeated, most groups of three letters are the same. */
const DISTINCT_GROUPS_MIN = 0.5;

/** Undefined where it is not set. Throws where it is one that could be guessed, or that no header can carry. */
export function readEnvironmentToken(env: NodeJS.ProcessEnv = process.env): TokenEntry | undefined {
  const token = env[VARIABLE]?.trim() ?? "";
  if (token === "") return undefined;
  const problem = findProblem(token);
  if (problem !== undefined) {
    throw new RepertoireError("CONFIG_INVALID", `${VARIABLE} cannot be a token: ${problem}.`, {
      hint: "Make one with: openssl rand -hex 32",
    });
  }
  const createdAt = new Date(0).toISOString();
  const hash = digestOf(token).toString("hex");
  return { name: ENVIRONMENT_TOKEN_NAME, permissions: PERMISSIONS, hash, createdAt };
}

function findProblem(token: string): string | undefined {
  if (!/^[\w.~+/-]+=*$/.test(token)) return "it has characters other than letters, digits and - . _ ~ + / =";
  if (token.length < LENGTH_MIN)
    return `it has ${token.length} characters, and must have ${LENGTH_MIN} at least`;
  const groups = Array.from({ length: token.length - 2 }, (_, at) => token.slice(at, at + 3));
  const isRepeated = new Set(groups).size < groups.length * DISTINCT_GROUPS_MIN;
  return new Set(token).size < DISTINCT_MIN || isRepeated ? "it does not look random" : undefined;
}
