/**
 * JSON Schema as the text of a TypeScript type: the one walker behind the signatures that are shown and the declarations
 * that code is checked against.
 *
 * A style says how much is written and what is written for the rest. Without an elision the text is valid TypeScript, whatever
 * the schema holds, and never narrower than the schema: what is left out becomes a wider type. Names and descriptions come
 * from strangers; they appear only inside string literals and comments, and cannot end them. The number of schemas walked
 * and the length of the text are bounded, whatever references do.
 */
import { isJsonObject, type JsonObject } from "../core/json.ts";
import { readPointer } from "./json-pointer.ts";
import { escapeUnprintable } from "./printable.ts";
import { SHOWN, type TypeStyle } from "./type-style.ts";
import {
  accessTo,
  docComment,
  indent,
  intersectionOf,
  joinUnion,
  listOf,
  propertyName,
  stringLiteral,
  wrap,
} from "./type-text.ts";

/** A name is longer than this only to do harm. */
const NAME_LENGTH_MAX = 200;
/** How deep `requiresSomething` looks through allOf, anyOf and references. */
const REQUIRED_DEPTH_MAX = 3;

interface Walk {
  readonly style: TypeStyle;
  /** What references are looked up in. */
  readonly root: unknown;
  /** The references that the walk is inside of, each with how often. */
  readonly inside: Map<string, number>;
  schemasLeft: number;
  textLeft: number;
}

/** The type of one schema. `root` is where its references point. */
export function typeText(schema: unknown, style: TypeStyle, depth = 0, root: unknown = schema): string {
  const walk = {
    style,
    root,
    inside: new Map(),
    schemasLeft: style.schemasMax,
    textLeft: style.textLengthMax,
  };
  return typeFor(schema, depth, walk);
}

/** The TypeScript signature that code would call, in one line. */
export function signatureOf(
  namespace: string,
  tool: string,
  inputSchema: JsonObject,
  outputSchema?: JsonObject,
): string {
  const target = `mcp${accessTo(namespace)}${accessTo(tool)}`;
  const optional = requiredOf(inputSchema).size === 0 ? "?" : "";
  const args = typeText(inputSchema, SHOWN);
  const answer = outputSchema === undefined ? "unknown" : typeText(outputSchema, SHOWN);
  return `${target}(${args === "object" ? "" : `args${optional}: ${args}`}): Promise<${answer}>`;
}

/** Whether `{}` cannot be right. In doubt it can. */
export function requiresSomething(schema: unknown, root: unknown = schema, depth = 0): boolean {
  if (!isJsonObject(schema) || depth > REQUIRED_DEPTH_MAX) return false;
  const below = (child: unknown): boolean => requiresSomething(child, root, depth + 1);
  const { properties } = schema;
  for (const name of requiredOf(schema)) if (!hasDefault(properties, name)) return true;
  if (typeof schema["$ref"] === "string" && below(readPointer(root, schema["$ref"]))) return true;
  if (listAt(schema, "allOf").some(below)) return true;
  return ["anyOf", "oneOf"].some((key) => listAt(schema, key).length > 0 && listAt(schema, key).every(below));
}

/** The properties that the schema itself requires, that have no default, and that are not among these. */
export function missingFrom(schema: JsonObject, keys: readonly string[]): string[] {
  return [...requiredOf(schema)].filter(
    (name) => !keys.includes(name) && !hasDefault(schema["properties"], name),
  );
}

function typeFor(schema: unknown, depth: number, walk: Walk): string {
  const { anything } = walk.style;
  if (schema === false) return "never";
  if (!isJsonObject(schema) || walk.schemasLeft-- <= 0 || walk.textLeft <= 0) return anything;
  const below = (child: unknown): string => typeFor(child, depth, walk);
  const around = [
    ...(typeof schema["$ref"] === "string" ? [referenceType(schema["$ref"], depth, walk)] : []),
    ...["anyOf", "oneOf"].map((key) => unionOf(listAt(schema, key), below, walk)),
    ...listAt(schema, "allOf").map(below),
  ].filter((type) => type !== anything);
  const own = ownType(schema, depth, walk);
  const saysLittle = own === anything || (own === walk.style.anyObject && around.length > 0);
  const type = intersectionOf(saysLittle ? around : [own, ...around], anything);
  return schema["nullable"] === true && type !== anything ? `${type} | null` : type;
}

/** What a schema says itself, without the schemas that it combines. */
function ownType(schema: JsonObject, depth: number, walk: Walk): string {
  const { type } = schema;
  if (Array.isArray(schema["enum"])) return enumType(schema["enum"], walk);
  if (schema["const"] !== undefined) return literalOf(schema["const"], walk);
  if (Array.isArray(type)) return unionOf(type, (name) => namedType(name, schema, depth, walk), walk);
  if (type !== undefined) return namedType(type, schema, depth, walk);
  if (isJsonObject(schema["properties"]) || requiredOf(schema).size > 0)
    return objectType(schema, depth, walk);
  const hasItems = schema["items"] !== undefined || schema["prefixItems"] !== undefined;
  return hasItems ? arrayType(schema, depth, walk) : walk.style.anything;
}

function namedType(type: unknown, schema: JsonObject, depth: number, walk: Walk): string {
  if (type === "object") return objectType(schema, depth, walk);
  if (type === "array") return arrayType(schema, depth, walk);
  if (type === "integer" || type === "number") return "number";
  return type === "string" || type === "boolean" || type === "null" ? type : walk.style.anything;
}

function referenceType(reference: string, depth: number, walk: Walk): string {
  const { style, inside } = walk;
  const count = inside.get(reference) ?? 0;
  if (depth >= style.depthMax || count >= style.recursionMax) return style.anything;
  inside.set(reference, count + 1);
  const type = typeFor(readPointer(walk.root, reference), depth + 1, walk);
  inside.set(reference, count);
  return type;
}

function objectType(schema: JsonObject, depth: number, walk: Walk): string {
  const { style } = walk;
  const { additionalProperties: additional } = schema;
  if (depth >= style.depthMax) return style.anyObject;
  const all = fieldsOf(schema);
  if (all.length === 0) {
    return isJsonObject(additional)
      ? `Record<string, ${typeFor(additional, depth + 1, walk)}>`
      : style.anyObject;
  }
  const fields = fieldLines(all.slice(0, style.fieldsMax), schema, depth, walk);
  const isOpen = additional === true || isJsonObject(additional) || isJsonObject(schema["patternProperties"]);
  if (fields.length < all.length) fields.push(style.elision ?? "[key: string]: any");
  // Of `any`, because a narrower one would have to hold for the named properties too.
  else if (isOpen && style.elision === undefined) fields.push("[key: string]: any");
  if (!style.docs) return `{ ${fields.join("; ")} }`;
  return `{${fields.map((field) => indent(`\n${field};`)).join("")}\n}`;
}

/** The properties with their schemas, and those that are only required. */
function fieldsOf(schema: JsonObject): (readonly [name: string, schema: unknown])[] {
  const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
  const unnamed = [...requiredOf(schema)].filter((name) => !Object.hasOwn(properties, name));
  return [...Object.entries(properties), ...unnamed.map((name) => [name, true] as const)];
}

function fieldLines(
  fields: readonly (readonly [name: string, schema: unknown])[],
  schema: JsonObject,
  depth: number,
  walk: Walk,
): string[] {
  const required = requiredOf(schema);
  const lines: string[] = [];
  for (const [key, value] of fields) {
    if (key.length > NAME_LENGTH_MAX || walk.textLeft <= 0) continue;
    const isOptional =
      !required.has(key) || (walk.style.defaultsOptional && hasDefault(schema["properties"], key));
    const doc = walk.style.docs && isJsonObject(value) ? docComment(value["description"]) : "";
    const head = `${doc}${propertyName(key)}${isOptional ? "?" : ""}: `;
    walk.textLeft -= head.length;
    lines.push(`${head}${typeFor(value, depth + 1, walk)}`);
  }
  return lines;
}

function arrayType(schema: JsonObject, depth: number, walk: Walk): string {
  const { items, prefixItems } = schema;
  const below = (child: unknown): string => typeFor(child, depth + 1, walk);
  const first = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : undefined;
  if (first === undefined) return listOf(below(items));
  const rest = Array.isArray(prefixItems) ? items : schema["additionalItems"];
  const shown = first.slice(0, walk.style.membersMax);
  const least = typeof schema["minItems"] === "number" ? schema["minItems"] : 0;
  const members = shown.map((item, i) => (i < least ? below(item) : `${wrap(below(item))}?`));
  if (rest !== false || shown.length < first.length) {
    members.push(`...${listOf(shown.length < first.length ? walk.style.anything : below(rest))}`);
  }
  return `[${members.join(", ")}]`;
}

function enumType(values: readonly unknown[], walk: Walk): string {
  const { membersMax, elision } = walk.style;
  const literals = [...new Set(values.slice(0, membersMax + 1).map((value) => literalOf(value, walk)))];
  if (values.length <= membersMax || literals.length <= membersMax)
    return joinUnion(literals, walk.style.anything);
  const rest =
    elision === undefined ? new Set(values.slice(membersMax).map((value) => baseOf(value, walk))) : [elision];
  return joinUnion([...literals.slice(0, membersMax), ...rest], walk.style.anything);
}

function literalOf(value: unknown, walk: Walk): string {
  const text = typeof value === "string" ? stringLiteral(value) : JSON.stringify(value);
  const isScalar = value === null || typeof value !== "object";
  if (text.length > walk.style.literalLengthMax || (!isScalar && walk.style.elision === undefined)) {
    return baseOf(value, walk);
  }
  walk.textLeft -= text.length;
  return isScalar ? text : escapeUnprintable(text);
}

/** The type of a value that is too long to be written, or that has no literal type. */
function baseOf(value: unknown, walk: Walk): string {
  if (value === null) return "null";
  if (typeof value !== "object") return typeof value;
  return walk.style.elision === undefined ? walk.style.anything : "object";
}

/** What one of the members allows is allowed, so a member that says nothing makes the rest say nothing. */
function unionOf(members: readonly unknown[], typeOf: (member: unknown) => string, walk: Walk): string {
  const { membersMax, elision, anything } = walk.style;
  const types = [...new Set(members.slice(0, membersMax + 1).map(typeOf))];
  if (types.includes(anything)) return anything;
  if (members.length <= membersMax || types.length <= membersMax) return joinUnion(types, anything);
  return elision === undefined ? anything : joinUnion([...types.slice(0, membersMax), elision], anything);
}

function requiredOf(schema: JsonObject): Set<string> {
  return new Set(listAt(schema, "required").filter((name) => typeof name === "string"));
}

function hasDefault(properties: unknown, name: string): boolean {
  const property = isJsonObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
  return isJsonObject(property) && property["default"] !== undefined;
}

function listAt(schema: JsonObject, key: string): readonly unknown[] {
  const list = schema[key];
  return Array.isArray(list) ? list : [];
}
