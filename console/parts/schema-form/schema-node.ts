/**
 * A JSON Schema as a tree of fields. Schemas come from servers and are not trusted: references are followed only within the schema,
 * and one that is recursive, deeper than people fill in, or has hundreds of fields gets no form but an editor for JSON (T150).
 */

type JsonSchema = Readonly<Record<string, unknown>>;

/** More fields are no form that somebody fills in. */
export const FIELD_COUNT_MAX = 200;
const DEPTH_MAX = 8;

interface NodeText {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly fallback?: unknown;
}

export type SchemaNode = NodeText &
  (
    | { readonly kind: "string"; readonly format?: string | undefined; readonly isLong: boolean }
    | {
        readonly kind: "number";
        readonly isInteger: boolean;
        readonly min?: number | undefined;
        readonly max?: number | undefined;
      }
    | { readonly kind: "boolean" }
    | { readonly kind: "choice"; readonly values: readonly unknown[] }
    | { readonly kind: "const"; readonly value: unknown }
    | { readonly kind: "array"; readonly item: SchemaNode }
    | { readonly kind: "object"; readonly fields: readonly SchemaField[]; readonly isOpen: boolean }
    | { readonly kind: "oneOf"; readonly options: readonly SchemaNode[] }
    /** Anything: written as JSON. */
    | { readonly kind: "json" }
  );

interface SchemaField {
  readonly name: string;
  readonly required: boolean;
  readonly node: SchemaNode;
}

/** The tree of a schema, or undefined where a form would not serve. */
export function schemaNodeOf(schema: unknown): SchemaNode | undefined {
  const walk: Walk = { root: isSchema(schema) ? schema : {}, count: 0 };
  try {
    return read(schema, walk, 0, new Set());
  } catch (error) {
    if (error === NO_FORM) return undefined;
    throw error;
  }
}

interface Walk {
  readonly root: JsonSchema;
  count: number;
}

/** Thrown within this file only: it ends the walk from any depth. */
const NO_FORM = Symbol("no form");

function read(given: unknown, walk: Walk, depth: number, refs: ReadonlySet<string>): SchemaNode {
  walk.count += 1;
  if (walk.count > FIELD_COUNT_MAX || depth > DEPTH_MAX) throw NO_FORM;
  if (!isSchema(given)) return { kind: "json" };
  const ref = given["$ref"];
  if (typeof ref === "string") {
    // Within itself: it has no end.
    if (refs.has(ref)) throw NO_FORM;
    return read(
      { ...without(given, "$ref"), ...resolve(walk.root, ref) },
      walk,
      depth,
      new Set(refs).add(ref),
    );
  }
  return { ...textOf(given), ...shapeOf(given, (each) => read(each, walk, depth + 1, refs)) };
}

type ReadPart = (schema: unknown) => SchemaNode;

function shapeOf(schema: JsonSchema, readPart: ReadPart): SchemaNode {
  if ("const" in schema) return { kind: "const", value: schema["const"] };
  if (Array.isArray(schema["enum"])) return { kind: "choice", values: schema["enum"] };
  const options = [schema["oneOf"], schema["anyOf"]].find(Array.isArray) as readonly unknown[] | undefined;
  if (options !== undefined && options.length > 0) return unionOf(options, readPart);
  if (Array.isArray(schema["allOf"])) return { kind: "json" };
  const type = schema["type"];
  if (Array.isArray(type))
    return unionOf(
      type.map((each) => ({ ...schema, type: each })),
      readPart,
    );
  return typedShapeOf(type, schema, readPart);
}

function typedShapeOf(type: unknown, schema: JsonSchema, readPart: ReadPart): SchemaNode {
  switch (type) {
    case "string":
      return { kind: "string", format: stringOf(schema["format"]), isLong: isLongText(schema) };
    case "number":
    case "integer":
      return {
        kind: "number",
        isInteger: type === "integer",
        min: numberOf(schema["minimum"]),
        max: numberOf(schema["maximum"]),
      };
    case "boolean":
      return { kind: "boolean" };
    case "null":
      return { kind: "const", value: null };
    case "array":
      return "items" in schema && isSchema(schema["items"])
        ? { kind: "array", item: readPart(schema["items"]) }
        : { kind: "json" };
    default:
      return type === "object" || isSchema(schema["properties"])
        ? objectOf(schema, readPart)
        : { kind: "json" };
  }
}

function objectOf(schema: JsonSchema, readPart: ReadPart): SchemaNode {
  const properties = isSchema(schema["properties"]) ? Object.entries(schema["properties"]) : [];
  const required = new Set(Array.isArray(schema["required"]) ? (schema["required"] as unknown[]) : []);
  if (properties.length === 0 && schema["additionalProperties"] !== false) return { kind: "json" };
  return {
    kind: "object",
    fields: properties.map(([name, each]) => ({ name, required: required.has(name), node: readPart(each) })),
    isOpen: schema["additionalProperties"] !== false,
  };
}

/** A choice of constants is one list; of shapes, a list with a form for each. */
function unionOf(options: readonly unknown[], readPart: ReadPart): SchemaNode {
  const nodes = options.map(readPart);
  if (nodes.length === 1) return nodes[0]!;
  if (nodes.every((node) => node.kind === "const"))
    return { kind: "choice", values: nodes.map((node) => node.value) };
  return { kind: "oneOf", options: nodes };
}

function textOf(schema: JsonSchema): NodeText {
  return {
    title: stringOf(schema["title"]),
    description: stringOf(schema["description"]),
    fallback: schema["default"],
  };
}

/** `#/$defs/name`; anything outside of the schema is not looked up. */
function resolve(root: JsonSchema, ref: string): JsonSchema {
  if (ref !== "#" && !ref.startsWith("#/")) return {};
  const steps = ref
    .split("/")
    .slice(1)
    .map((step) => decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~"));
  const found = steps.reduce<unknown>(
    (at, step) => (isSchema(at) && Object.hasOwn(at, step) ? at[step] : undefined),
    root,
  );
  return isSchema(found) ? found : {};
}

function isLongText({ maxLength, contentMediaType, format }: JsonSchema): boolean {
  return (
    format === "textarea" ||
    contentMediaType !== undefined ||
    (typeof maxLength === "number" && maxLength > 500)
  );
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function without(schema: JsonSchema, key: string): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => name !== key));
}

function stringOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}
