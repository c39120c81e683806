import { normalize, upgrade } from "@scalar/openapi-parser";
import { messageOf } from "../../core/errors.ts";
import { findParsedProblem, isJsonObject, type JsonObject } from "../../core/json.ts";
import { cut } from "../../text/cut.ts";
import { quote } from "../../text/quote.ts";
import { DOCUMENT_LIMITS } from "./limits.ts";

type Parsed =
  | { readonly ok: true; readonly root: JsonObject }
  | { readonly ok: false; readonly message: string };

/**
 * JSON or YAML, brought to OpenAPI 3.1: what 2.0 and 3.0 say in their own words is JSON Schema from there on. A file beside the
 * description names no version; `versionOf` is the description that refers to it.
 */
export function parseDescription(text: string, { versionOf }: { readonly versionOf?: unknown } = {}): Parsed {
  try {
    const document: unknown = normalize(text);
    if (!isJsonObject(document)) return { ok: false, message: "it is neither JSON nor YAML of an object" };
    const shape = findParsedProblem(document, DOCUMENT_LIMITS)?.message;
    if (shape !== undefined) return { ok: false, message: `it is larger than any description: ${shape}` };
    const problem = versionOf === undefined ? findVersionProblem(document) : undefined;
    if (problem !== undefined) return { ok: false, message: problem };
    // Of what is 3.1 by now, it is not known what it was: the words of 3.0 mean the same wherever they are left.
    const asked = versionOf === undefined ? document : { ...document, openapi: "3.0.3" };
    const { specification } = upgrade(asked);
    return isJsonObject(specification)
      ? { ok: true, root: specification }
      : { ok: false, message: "it could not be brought to OpenAPI 3.1" };
  } catch (error) {
    return { ok: false, message: `it cannot be read: ${cut(messageOf(error), 300)}` };
  }
}

function findVersionProblem({ openapi, swagger }: JsonObject): string | undefined {
  if (swagger === "2.0" || (typeof openapi === "string" && /^3\.[012](?:\.|$)/.test(openapi)))
    return undefined;
  const named = openapi ?? swagger;
  if (named === undefined) return 'it has no "openapi": it is no OpenAPI description';
  return `its version is ${quote(JSON.stringify(named))}; known are OpenAPI 3.0, 3.1, 3.2 and Swagger 2.0`;
}
