import type { JsonObject } from "../core/json.ts";

/** Deeper objects are shown as `object`: a signature is read at a glance, and the whole schema is one call away. */
const DEPTH_MAX = 3;
const ENUM_SHOWN_MAX = 8;

/** The TypeScript signature that code would call, in one line. */
export function signatureOf(
  server: string,
  tool: string,
  inputSchema: JsonObject,
  outputSchema?: JsonObject,
): string {
  const target = `mcp${memberOf(server)}${memberOf(tool)}`;
  const properties = isObject(inputSchema["properties"]) ? Object.keys(inputSchema["properties"]) : [];
  const optional = requiredOf(inputSchema).size === 0 ? "?" : "";
  const args = properties.length === 0 ? "" : `args${optional}: ${typeOf(inputSchema, 0)}`;
  const answer = outputSchema === undefined ? "unknown" : typeOf(outputSchema, 0);
  return `${target}(${args}): Promise<${answer}>`;
}

function memberOf(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}

/** The type of one schema, for people: it says what helps and gives `unknown` for the rest. */
export function typeOf(schema: unknown, depth: number): string {
  if (!isObject(schema)) return "unknown";
  if (Array.isArray(schema["enum"])) return unionOf(schema["enum"].map((value) => JSON.stringify(value)));
  if (schema["const"] !== undefined) return JSON.stringify(schema["const"]);
  const alternatives = schema["anyOf"] ?? schema["oneOf"];
  if (Array.isArray(alternatives)) return unionOf(alternatives.map((branch) => typeOf(branch, depth)));
  const type = schema["type"];
  if (Array.isArray(type)) return unionOf(type.map((name) => typeOf({ ...schema, type: name }, depth)));
  if (type === "array") return listOf(typeOf(schema["items"], depth + 1));
  if (type === "object" || isObject(schema["properties"])) return objectOf(schema, depth);
  if (type === "integer" || type === "number") return "number";
  return type === "string" || type === "boolean" || type === "null" ? type : "unknown";
}

function objectOf(schema: JsonObject, depth: number): string {
  const properties = schema["properties"];
  if (!isObject(properties) || depth >= DEPTH_MAX) return "object";
  const required = requiredOf(schema);
  const fields = Object.entries(properties).map(([key, value]) => {
    const name = /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key);
    return `${name}${required.has(key) ? "" : "?"}: ${typeOf(value, depth + 1)}`;
  });
  return fields.length === 0 ? "object" : `{ ${fields.join("; ")} }`;
}

function requiredOf(schema: JsonObject): Set<unknown> {
  return new Set(Array.isArray(schema["required"]) ? schema["required"] : []);
}

function unionOf(types: readonly string[]): string {
  const distinct = [...new Set(types)];
  const shown = distinct.slice(0, ENUM_SHOWN_MAX);
  return [...shown, ...(distinct.length > shown.length ? ["…"] : [])].join(" | ") || "unknown";
}

function listOf(item: string): string {
  return item.includes(" ") ? `(${item})[]` : `${item}[]`;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
