import { isJsonObject, type Json, type JsonObject } from "../../core/json.ts";
import { objectOf, type ApiDocument, type ApiDocuments, type Located } from "./api-documents.ts";
import { boundedSchema } from "./bounded-schema.ts";
import { ANSWER_BOUNDS } from "./limits.ts";
import { isJsonType } from "../media-type.ts";
import { mediaOf } from "./media.ts";

interface ReadAnswer {
  /** What a successful answer is, as a type for code; undefined where it is not known. */
  readonly schema?: JsonObject;
  readonly accept: string;
}

/** More kinds of success than one operation has. */
const SUCCESS_COUNT_MAX = 4;

/** An answer is no promise: what cannot be read of it makes the type wider, and costs no operation. */
export function readAnswer(responses: unknown, document: ApiDocument, documents: ApiDocuments): ReadAnswer {
  const successes = successesIn(responses).map((value) => settle({ value, document }, documents));
  const medias = successes.map((answer) => ({ answer, media: mediaOf(objectOf(answer)["content"]) }));
  const types = [...new Set(medias.flatMap(({ media }) => media.map(({ type }) => type)))];
  const schemas = medias.flatMap(({ answer, media }) => {
    const json = media.find(({ type }) => isJsonType(type));
    if (json !== undefined)
      return json.schema === undefined ? [] : [typeOf({ ...answer, value: json.schema }, documents)];
    return media.length > 0 && media.every(({ type }) => type.startsWith("text/"))
      ? [{ type: "string" }]
      : [];
  });
  const schema = unionOf(schemas);
  return { accept: acceptOf(types), ...(schema !== undefined && { schema }) };
}

function successesIn(responses: unknown): unknown[] {
  if (!isJsonObject(responses)) return [];
  return Object.entries(responses)
    .filter(([status]) => /^2(?:\d\d|XX)$/i.test(status))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .slice(0, SUCCESS_COUNT_MAX)
    .map(([, response]) => response);
}

function settle(located: Located, documents: ApiDocuments): Located {
  try {
    return documents.settle(located);
  } catch {
    return { ...located, value: {} };
  }
}

function typeOf({ value, document }: Located, documents: ApiDocuments): Json {
  return boundedSchema(value, document, {
    documents,
    bounds: ANSWER_BOUNDS,
    hides: "writeOnly",
    isType: true,
  });
}

function unionOf(schemas: readonly Json[]): JsonObject | undefined {
  const distinct = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
  const [only, ...others] = distinct;
  if (only === undefined) return undefined;
  if (others.length > 0) return { anyOf: distinct };
  return isJsonObject(only) && Object.keys(only).length > 0 ? only : undefined;
}

/** JSON first; what else the operation can answer is taken as well. */
function acceptOf(types: readonly string[]): string {
  const json = types.filter(isJsonType);
  const first = json.length > 0 ? json.slice(0, 2) : types.slice(0, 3);
  return first.length === 0 || first.includes("*/*") ? "*/*" : `${first.join(", ")}, */*;q=0.1`;
}
