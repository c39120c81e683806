import type { JsonObject } from "../../core/json.ts";

export type Dialect = "draft-04" | "draft-06" | "draft-07" | "2019-09" | "2020-12";

const DIALECT =
  /^https?:\/\/json-schema\.org\/(?:(draft-0[467])\/schema|draft\/(2019-09|2020-12)\/schema)#?$/;

/** The dialect that a schema names; without a name it is 2020-12, as MCP says. `undefined` when the name is unknown. */
export function dialectOf(schema: JsonObject): Dialect | undefined {
  const name = schema["$schema"];
  if (name === undefined) return "2020-12";
  const match = typeof name === "string" ? DIALECT.exec(name) : null;
  return match === null ? undefined : ((match[1] ?? match[2]) as Dialect);
}

/** Up to draft-07, `$ref` is alone: the keywords beside it have no effect. */
export function refStandsAlone(dialect: Dialect): boolean {
  return dialect === "draft-04" || dialect === "draft-06" || dialect === "draft-07";
}

const SINCE_DRAFT_06 = ["const", "contains", "propertyNames"];
const SINCE_DRAFT_07 = ["if", "then", "else"];

/** Keywords that a dialect does not know yet and therefore passes over, though the class that reads it knows them. */
export function unknownKeywordsOf(dialect: Dialect): readonly string[] {
  if (dialect === "draft-04") return [...SINCE_DRAFT_06, ...SINCE_DRAFT_07];
  return dialect === "draft-06" ? SINCE_DRAFT_07 : [];
}
