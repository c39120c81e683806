import type { JsonObject } from "../core/json.ts";
import { isObject } from "./schema-keywords.ts";

/** Deeper objects are shown as `object`: a signature is read at a glance, and the whole schema is one call away. */
const DEPTH_MAX = 3;
const ENUM_SHOWN_MAX = 8;
const FIELDS_SHOWN_MAX = 40;
/** A longer literal says less than its type does. */
const LITERAL_LENGTH_MAX = 60;
/** References can name each other many times over; the text stays bounded whatever they do. */
const SCHEMAS_SHOWN_MAX = 300;

/** What references are looked up in, and how many schemas may still be shown. */
interface Walk {
  readonly root: unknown;
  left: number;
}

/** The TypeScript signature that code would call, in one line. */
export function signatureOf(
  server: string,
  tool: string,
  inputSchema: JsonObject,
  outputSchema?: JsonObject,
): string {
  const target = `mcp${memberOf(server)}${memberOf(tool)}`;
  const optional = requiredOf(inputSchema).size === 0 ? "?" : "";
  const args = typeOf(inputSchema, 0);
  const answer = outputSchema === undefined ? "unknown" : typeOf(outputSchema, 0);
  return `${target}(${args === "object" ? "" : `args${optional}: ${args}`}): Promise<${answer}>`;
}

/**
 * Brackets name a tool exactly. The member form, with `_` for what an identifier cannot have, could be another tool's
 * own name.
 */
function memberOf(name: string): string {
  return isIdentifier(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}

function isIdentifier(name: string): boolean {
  return /^[A-Za-z_$][\w$]*$/.test(name);
}

/**
 * The type of one schema, for people: it says what helps and gives `unknown` for the rest. `root` is where its
 * references point.
 */
export function typeOf(schema: unknown, depth: number, root: unknown = schema): string {
  return show(schema, depth, { root, left: SCHEMAS_SHOWN_MAX });
}

function show(schema: unknown, depth: number, walk: Walk): string {
  if (!isObject(schema) || walk.left-- <= 0) return "unknown";
  if (typeof schema["$ref"] === "string") return showReference(schema["$ref"], depth, walk);
  if (Array.isArray(schema["enum"]))
    return unionOf(schema["enum"].slice(0, ENUM_SHOWN_MAX + 1).map(literalOf));
  if (schema["const"] !== undefined) return literalOf(schema["const"]);
  const branches = schema["anyOf"] ?? schema["oneOf"];
  if (Array.isArray(branches)) {
    return unionOf(branches.slice(0, ENUM_SHOWN_MAX + 1).map((branch) => show(branch, depth, walk)));
  }
  const { type } = schema;
  if (Array.isArray(type)) return unionOf(type.map((name) => show({ ...schema, type: name }, depth, walk)));
  if (type === "array") return listOf(show(schema["items"], depth + 1, walk));
  if (type === "object" || isObject(schema["properties"])) return objectOf(schema, depth, walk);
  if (type === "integer" || type === "number") return "number";
  return type === "string" || type === "boolean" || type === "null" ? type : "unknown";
}

function showReference(reference: string, depth: number, walk: Walk): string {
  let target = walk.root;
  for (const part of reference.split("/").slice(1)) {
    target = isObject(target) && Object.hasOwn(target, part) ? target[part] : undefined;
  }
  return reference.startsWith("#") && depth < DEPTH_MAX ? show(target, depth + 1, walk) : "unknown";
}

function objectOf(schema: JsonObject, depth: number, walk: Walk): string {
  const { properties, additionalProperties } = schema;
  if (depth >= DEPTH_MAX) return "object";
  const fields = isObject(properties) ? Object.entries(properties) : [];
  if (fields.length === 0) {
    return isObject(additionalProperties)
      ? `Record<string, ${show(additionalProperties, depth + 1, walk)}>`
      : "object";
  }
  const required = requiredOf(schema);
  const shown = fields.slice(0, FIELDS_SHOWN_MAX).map(([key, value]) => {
    const name = isIdentifier(key) ? key : JSON.stringify(key);
    return `${name}${required.has(key) ? "" : "?"}: ${show(value, depth + 1, walk)}`;
  });
  return `{ ${[...shown, ...(fields.length > shown.length ? ["…"] : [])].join("; ")} }`;
}

function requiredOf(schema: JsonObject): Set<unknown> {
  return new Set(Array.isArray(schema["required"]) ? schema["required"] : []);
}

function literalOf(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length <= LITERAL_LENGTH_MAX ? text : typeof value === "string" ? "string" : "object";
}

function unionOf(types: readonly string[]): string {
  const distinct = [...new Set(types)];
  const shown = distinct.slice(0, ENUM_SHOWN_MAX);
  return [...shown, ...(distinct.length > shown.length ? ["…"] : [])].join(" | ") || "unknown";
}

/** A union, an object of one line or a signature with spaces needs its parentheses. */
function listOf(item: string): string {
  return item.includes(" ") ? `(${item})[]` : `${item}[]`;
}
