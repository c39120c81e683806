import { isJsonObject, type JsonObject } from "../../core/json.ts";
import type { SecurityScheme } from "../api-description.ts";
import { objectOf, type ApiDocuments } from "./api-documents.ts";

/** More schemes, or ways to combine them, are no API's. */
const SCHEME_COUNT_MAX = 50;

export function readSchemes(root: JsonObject, documents: ApiDocuments): Map<string, SecurityScheme> {
  const components = isJsonObject(root["components"]) ? root["components"] : {};
  const written = isJsonObject(components["securitySchemes"]) ? components["securitySchemes"] : {};
  const schemes = Object.entries(written).slice(0, SCHEME_COUNT_MAX);
  return new Map(schemes.map(([name, value]) => [name, schemeOf(value, documents)]));
}

function schemeOf(value: unknown, documents: ApiDocuments): SecurityScheme {
  try {
    return readScheme(objectOf(documents.settle({ value, document: documents.main })));
  } catch {
    return { kind: "unknown", type: "a broken reference" };
  }
}

function readScheme({ type, scheme, in: place, name }: JsonObject): SecurityScheme {
  if (type === "oauth2" || type === "openIdConnect") return { kind: "bearer" };
  if (type === "http" && typeof scheme === "string") {
    const known = scheme.toLowerCase();
    if (known === "bearer" || known === "basic") return { kind: known };
    if (/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/.test(scheme)) return { kind: "http", scheme };
  }
  const isPlace = place === "header" || place === "query" || place === "cookie";
  if (type === "apiKey" && isPlace && typeof name === "string" && name !== "")
    return { kind: "apiKey", in: place, name };
  return { kind: "unknown", type: typeof type === "string" ? type.slice(0, 40) : "no type" };
}

/** Any one of the lists is enough; undefined says nothing, so what is outside of it counts. */
export function readSecurity(security: unknown): string[][] | undefined {
  if (!Array.isArray(security)) return undefined;
  return security
    .filter(isJsonObject)
    .slice(0, SCHEME_COUNT_MAX)
    .map((needed) => Object.keys(needed).slice(0, SCHEME_COUNT_MAX));
}
