/**
 * A schema as it is meant, in the words of the class that compiles it.
 *
 * ajv stops at some harmless keywords (`id`, a lone `nullable`), passes over a property called `__proto__`, and reads the
 * drafts before 2019-09 by later rules. The copy that is made here says the same in a way that it takes.
 * Where a copy would have to guess, this throws, and the schema is not checked: the server checks for itself.
 */
import { type Json, type JsonObject, isJsonObject } from "../../core/json.ts";
import { cut } from "../../text/cut.ts";
import { dialectOf, refStandsAlone, unknownKeywordsOf, type Dialect } from "./dialect.ts";
import { compilePattern } from "./pattern.ts";

export interface SchemaReading {
  readonly dialect: Dialect;
  readonly schema: JsonObject;
  readonly hasDefaults: boolean;
  /** A pattern was dropped beside `not`, `oneOf` and the like, where to take more can mean to refuse more. */
  readonly isDoubtful: boolean;
}

interface Walk {
  readonly dialect: Dialect;
  readonly isDialectNamed: boolean;
  readonly ignored: ReadonlySet<string>;
  hasDefaults: boolean;
  hasDroppedPattern: boolean;
  hasNegation: boolean;
}

type SchemaCopy = Record<string, Json>;

const SCHEMA_MAPS = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);
const SCHEMA_LISTS = new Set(["prefixItems", "allOf", "anyOf", "oneOf"]);
const SCHEMAS = new Set([
  "items",
  "additionalItems",
  "unevaluatedItems",
  "contains",
  "additionalProperties",
  "unevaluatedProperties",
  "propertyNames",
  "not",
  "if",
  "then",
  "else",
]);
/** Keywords that constrain nothing; `$async` would turn a check into a promise, and ajv throws at `id`. */
const WITHOUT_EFFECT = [
  "$async",
  "$schema",
  "id",
  "format",
  "contentSchema",
  "description",
  "examples",
  "title",
];
const BESIDE_REF = new Set(["$ref", "$id", "$defs", "definitions", "default"]);
const NEGATIONS = ["not", "oneOf", "if", "maxContains"];

/** Throws with the reason when the schema cannot be checked. */
export function readSchema(schema: JsonObject): SchemaReading {
  const dialect = dialectOf(schema);
  if (dialect === undefined)
    throw new Error(`its "$schema" is ${shorten(schema["$schema"])}, which is unknown`);
  const types = schema["type"] === undefined ? ["object"] : [schema["type"]].flat();
  if (!types.includes("object")) throw new Error("it describes no object, and arguments are always one");
  const walk: Walk = {
    dialect,
    isDialectNamed: schema["$schema"] !== undefined,
    ignored: new Set([...WITHOUT_EFFECT, ...unknownKeywordsOf(dialect)]),
    hasDefaults: false,
    hasDroppedPattern: false,
    hasNegation: false,
  };
  const copy = readObject(schema, walk, true);
  return {
    dialect,
    schema: copy,
    hasDefaults: walk.hasDefaults,
    isDoubtful: walk.hasDroppedPattern && walk.hasNegation,
  };
}

function readAny(schema: Json | undefined, walk: Walk): Json {
  if (typeof schema === "boolean") return schema;
  if (!isJsonObject(schema)) throw new Error(`expected a schema, found ${shorten(schema)}`);
  return readObject(schema, walk, false);
}

function readObject(schema: JsonObject, walk: Walk, isRoot: boolean): JsonObject {
  requireSound(schema, walk, isRoot);
  const standsAlone = schema["$ref"] !== undefined && refStandsAlone(walk.dialect);
  const entries = Object.entries(schema).filter(
    ([keyword]) => !walk.ignored.has(keyword) && (!standsAlone || BESIDE_REF.has(keyword)),
  );
  const copy = Object.fromEntries(
    entries.map(([keyword, value]) => [keyword, readKeyword(keyword, value, walk)]),
  );
  if (copy["default"] !== undefined) walk.hasDefaults = true;
  if (NEGATIONS.some((keyword) => copy[keyword] !== undefined)) walk.hasNegation = true;
  readPatterns(copy, walk);
  moveProtoProperty(copy);
  dropTreacherousDefaults(copy);
  readLimits(copy);
  if (!walk.isDialectNamed) readTuple(copy);
  if (copy["nullable"] === false || copy["type"] === undefined) delete copy["nullable"];
  return copy;
}

function readKeyword(keyword: string, value: Json, walk: Walk): Json {
  if (SCHEMA_MAPS.has(keyword)) return readMap(keyword, value, (child) => readAny(child, walk));
  if (keyword === "dependencies") {
    return readMap(keyword, value, (child) => (Array.isArray(child) ? child : readAny(child, walk)));
  }
  if (SCHEMA_LISTS.has(keyword)) return readList(keyword, value, walk);
  if (keyword === "items" && Array.isArray(value)) return readList(keyword, value, walk);
  return SCHEMAS.has(keyword) ? readAny(value, walk) : value;
}

function readMap(keyword: string, value: Json, read: (child: Json) => Json): Json {
  if (!isJsonObject(value)) throw new Error(`its "${keyword}" is not an object`);
  return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, read(child)]));
}

function readList(keyword: string, value: Json, walk: Walk): Json {
  if (!Array.isArray(value) || value.length === 0)
    throw new Error(`its "${keyword}" is not a list of schemas`);
  return value.map((child: Json) => readAny(child, walk));
}

/** What ajv would take and then answer wrongly. */
function requireSound(schema: JsonObject, walk: Walk, isRoot: boolean): void {
  const { required, multipleOf, id } = schema;
  if (Array.isArray(required) && !required.every((name) => typeof name === "string")) {
    throw new Error('its "required" is not a list of names');
  }
  if (typeof multipleOf === "number" && multipleOf <= 0) throw new Error('its "multipleOf" is not above 0');
  // In draft-04 an `id` below the root changes what the references under it mean.
  if (walk.dialect === "draft-04" && !isRoot && typeof id === "string") {
    throw new Error('it has an "id" below its root');
  }
}

/** A pattern that cannot be checked constrains nothing; a property whose name it governs is known, whatever its value. */
function readPatterns(copy: SchemaCopy, walk: Walk): void {
  const { pattern, patternProperties } = copy;
  if (typeof pattern === "string" && compilePattern(pattern) === undefined) {
    delete copy["pattern"];
    walk.hasDroppedPattern = true;
  }
  if (!isJsonObject(patternProperties)) return;
  const kept = Object.entries(patternProperties).filter(([name]) => compilePattern(name) !== undefined);
  if (kept.length === Object.keys(patternProperties).length) return;
  walk.hasDroppedPattern = true;
  copy["patternProperties"] = { ...Object.fromEntries(kept), [EVERY_NAME]: true };
}

const EVERY_NAME = "^";
const PROTO_NAME = "^__proto__$";

/** ajv does not see a property of this name, and would call it unknown. */
function moveProtoProperty(copy: SchemaCopy): void {
  const { properties, patternProperties } = copy;
  if (!isJsonObject(properties) || !Object.hasOwn(properties, "__proto__")) return;
  const { ["__proto__"]: proto, ...others } = properties;
  copy["properties"] = others;
  copy["patternProperties"] = {
    ...(isJsonObject(patternProperties) ? patternProperties : {}),
    [PROTO_NAME]: proto!,
  };
}

/** Defaults that would make good arguments wrong are not filled in. */
function dropTreacherousDefaults(copy: SchemaCopy): void {
  const { properties } = copy;
  if (!isJsonObject(properties)) return;
  for (const [name, child] of Object.entries(properties)) {
    if (!isJsonObject(child) || !isTreacherous(name, child)) continue;
    const own: SchemaCopy = child;
    delete own["default"];
  }
}

/**
 * Every object inherits names like `constructor`: ajv takes them for given, fills nothing in and judges what is inherited.
 * And some generators write `default: null` for "no default", whatever the type.
 */
function isTreacherous(name: string, child: JsonObject): boolean {
  if (name in Object.prototype) return true;
  const { type, nullable } = child;
  return (
    child["default"] === null && type !== undefined && nullable !== true && ![type].flat().includes("null")
  );
}

/** Draft-04 and OpenAPI write `exclusiveMinimum: true` beside `minimum`. */
function readLimits(copy: SchemaCopy): void {
  for (const [exclusive, inclusive] of [
    ["exclusiveMinimum", "minimum"],
    ["exclusiveMaximum", "maximum"],
  ] as const) {
    const flag = copy[exclusive];
    if (typeof flag !== "boolean") continue;
    const limit = copy[inclusive];
    delete copy[exclusive];
    if (!flag || limit === undefined) continue;
    delete copy[inclusive];
    copy[exclusive] = limit;
  }
}

/** A schema that names no dialect may be older than 2020-12, where a list in `items` became `prefixItems`. */
function readTuple(copy: SchemaCopy): void {
  const { items, additionalItems } = copy;
  if (!Array.isArray(items)) return;
  delete copy["items"];
  copy["prefixItems"] = items;
  if (additionalItems !== undefined) copy["items"] = additionalItems;
}

function shorten(value: unknown): string {
  return cut(JSON.stringify(value) ?? "nothing", 80);
}
