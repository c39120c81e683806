/**
 * What a proxy saw in the headers of a call must be what the tool gets: a header that is missing or says something
 * else than the argument is refused.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { JsonObject } from "../../core/json.ts";
import { argumentAt, declaredHeaders, decodeHeader, type ParamHeader } from "../../net/param-headers.ts";

const DECIMAL = /^-?\d+(?:\.\d+)?$/;

/** Which header disagrees with the arguments, and how. */
export function findParamHeaderProblem(
  inputSchema: JsonObject,
  args: JsonObject,
  headers: IncomingHttpHeaders,
): string | undefined {
  for (const declared of declaredHeaders(inputSchema)) {
    const problem = compare(declared, args, headers[declared.header.toLowerCase()]);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function compare(
  { header, path, type }: ParamHeader,
  args: JsonObject,
  given: string | string[] | undefined,
): string | undefined {
  const value = argumentAt(path, args);
  if (value === undefined) return undefined;
  const name = path.join(".");
  if (typeof given !== "string") return `the arguments have ${name}, but the header ${header} is missing`;
  const said = decodeHeader(given);
  if (said === undefined) return `the header ${header} is not valid base64`;
  const isNumber = type === "integer" || type === "number";
  const isSame = isNumber && DECIMAL.test(said) ? Number(said) === value : said === String(value);
  return isSame ? undefined : `the header ${header} does not say what the argument ${name} says`;
}
