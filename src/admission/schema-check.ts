/**
 * What a schema from outside must be before anything reads it further.
 *
 * Structure only: nothing is compiled and no pattern is run, so a hostile schema costs no more than one walk of its
 * bounded size. The walk keeps its own stack. References are followed inside the schema and nowhere else.
 */
import { type JsonObject, isJsonObject } from "../core/json.ts";
import { isLocalPointer, readPointer } from "../text/json-pointer.ts";
import { cutStart, cut } from "../text/cut.ts";
import { quote } from "../text/quote.ts";
import { measureJson, type MeasureLimits } from "./json-measure.ts";
import { branchesOf, findKeywordProblem } from "./schema-keywords.ts";

/** The largest real schema seen has 12 KB and nests 21 levels. 20,000 values leave room for a long enum. */
export const SCHEMA_LIMITS: MeasureLimits = { bytesMax: 256 * 1024, depthMax: 32, valueCountMax: 20_000 };
export const SUBSCHEMA_COUNT_MAX = 2000;

const DIALECT =
  /^https?:\/\/json-schema\.org\/(?:draft-0[467]\/schema|draft\/(?:2019-09|2020-12)\/schema)#?$/;

interface Subschema {
  readonly schema: JsonObject;
  readonly path: string;
  /** Reached from the root through `properties` alone. */
  readonly plain: boolean;
}

/** Says why a JSON Schema is refused; `undefined` when it is sound. */
export function findSchemaProblem(root: JsonObject): string | undefined {
  const measure = measureJson(root, SCHEMA_LIMITS);
  if (measure.kind === "beyond") return `the schema ${measure.problem}`;
  const steps = new Map<JsonObject, JsonObject[]>();
  // Most references are pointers: anchors are collected when the first is not.
  let anchors: ReadonlyMap<string, unknown> | undefined;
  const anchorOf = (reference: string) => (anchors ??= collectAnchors(root)).get(reference);
  const headers = new Set<string>();
  const stack: Subschema[] = [{ schema: root, path: "#", plain: true }];
  for (let visit = stack.pop(); visit !== undefined; visit = stack.pop()) {
    const { schema, path } = visit;
    if (steps.has(schema)) continue;
    if (steps.size >= SUBSCHEMA_COUNT_MAX)
      return `the schema has more than ${SUBSCHEMA_COUNT_MAX} subschemas`;
    const problem =
      findKeywordProblem(schema) ?? findDialectProblem(schema) ?? findHeaderProblem(schema, visit, headers);
    if (problem !== undefined) return `at ${shortPath(path)}: ${problem}`;
    const inPlace: JsonObject[] = [];
    steps.set(schema, inPlace);
    for (const branch of branchesOf(schema, path)) {
      if (!isJsonObject(branch.schema)) continue;
      if (branch.inPlace) inPlace.push(branch.schema);
      stack.push({ schema: branch.schema, path: branch.path, plain: visit.plain && branch.property });
    }
    for (const reference of referencesOf(schema)) {
      const target = resolve(root, reference, anchorOf);
      if (typeof target === "string") return `at ${shortPath(path)}: ${target}`;
      if (!isJsonObject(target)) continue;
      inPlace.push(target);
      stack.push({ schema: target, path: reference, plain: false });
    }
  }
  return findExpansionProblem(steps);
}

function findDialectProblem(schema: JsonObject): string | undefined {
  const dialect = schema["$schema"];
  if (dialect === undefined || (typeof dialect === "string" && DIALECT.test(dialect))) return undefined;
  return `"$schema" is ${cut(JSON.stringify(dialect), 80)}; known are draft-04, 06, 07, 2019-09 and 2020-12`;
}

function referencesOf(schema: JsonObject): string[] {
  const references = [schema["$ref"], schema["$dynamicRef"], schema["$recursiveRef"]];
  return references.filter((reference) => typeof reference === "string");
}

/** The schema that a reference names, or why it names none. */
function resolve(root: JsonObject, reference: string, anchorOf: (reference: string) => unknown): unknown {
  if (!reference.startsWith("#")) {
    return `$ref ${quote(reference)} leads outside the schema; only "#…" is followed`;
  }
  const target = isLocalPointer(reference) ? readPointer(root, reference) : anchorOf(reference);
  const found = isJsonObject(target) || typeof target === "boolean";
  return found ? target : `$ref ${quote(reference)} names nothing in the schema`;
}

/** Every `$anchor`, and every `$id` that is only a fragment, as drafts up to 07 write it. */
function collectAnchors(root: JsonObject): Map<string, unknown> {
  const anchors = new Map<string, unknown>();
  const stack: unknown[] = [root];
  for (let value = stack.pop(); value !== undefined; value = stack.pop()) {
    if (typeof value !== "object" || value === null) continue;
    if (isJsonObject(value)) {
      for (const key of ["$anchor", "$dynamicAnchor"]) {
        if (typeof value[key] === "string") anchors.set(`#${value[key]}`, value);
      }
      for (const id of [value["$id"], value["id"]]) {
        if (typeof id === "string" && id.startsWith("#")) anchors.set(id, value);
      }
    }
    stack.push(...Object.values(value));
  }
  return anchors;
}

function shortPath(path: string): string {
  return cutStart(path, 120);
}

/** A token of RFC 9110: no space, no line end, no delimiter. */
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,64}$/;
const HEADER_TYPES: ReadonlySet<unknown> = new Set(["string", "integer", "boolean"]);
/** A header is seen by every proxy on the way, so what looks like a secret must not become one. */
const SECRET = /passw|secret|token|api[-_]?key|credential|authorization|private[-_]?key/i;

/**
 * Says why a tool's `x-mcp-header` is refused. `headers` collects the names of one tool, to find one that is used
 * twice.
 */
function findHeaderProblem(
  schema: JsonObject,
  at: { readonly path: string; readonly plain: boolean },
  headers: Set<string>,
): string | undefined {
  if (!Object.hasOwn(schema, "x-mcp-header")) return undefined;
  const name = schema["x-mcp-header"];
  if (typeof name !== "string" || !HEADER_NAME.test(name)) return "x-mcp-header is not the name of a header";
  if (!at.plain || at.path === "#")
    return "x-mcp-header is allowed on properties only, not below a combination, list or $ref";
  if (!HEADER_TYPES.has(schema["type"]))
    return "x-mcp-header needs a property of type string, integer or boolean";
  if (SECRET.test(name) || SECRET.test(at.path))
    return "x-mcp-header would put what looks like a secret into a header";
  if (headers.has(name.toLowerCase())) return `x-mcp-header ${name} is used twice`;
  headers.add(name.toLowerCase());
  return undefined;
}

/**
 * In-place steps for one value. The busiest real schema seen makes about 200; 10,000 still validate in milliseconds.
 */
export const EXPANSION_MAX = 10_000;

/** Each schema with those that judge the same value. */
type InPlaceSteps = ReadonlyMap<JsonObject, readonly JsonObject[]>;

/**
 * How much work a schema can make of one value.
 *
 * `allOf`, `anyOf`, `$ref` and their like judge the same value again. A circle of them never ends, and a ladder of
 * them, each rung naming the next one twice, doubles with every rung. Both are found in the graph of such steps, in
 * time linear in its size, without compiling or running anything.
 */
function findExpansionProblem(steps: InPlaceSteps): string | undefined {
  const sizes = new Map<JsonObject, number>();
  const open = new Set<JsonObject>();
  for (const start of steps.keys()) {
    const stack = [start];
    while (stack.length > 0) {
      const schema = stack.at(-1)!;
      const next = steps.get(schema) ?? [];
      if (!sizes.has(schema) && !open.has(schema)) {
        open.add(schema);
        if (next.some((child) => open.has(child)))
          return "a $ref leads back to itself without going into the value";
        for (const child of next) if (!sizes.has(child)) stack.push(child);
        continue;
      }
      stack.pop();
      if (!open.delete(schema)) continue;
      const size = next.reduce((sum, child) => sum + sizes.get(child)!, 1);
      if (size > EXPANSION_MAX)
        return `its combined schemas expand to more than ${EXPANSION_MAX} steps for one value`;
      sizes.set(schema, size);
    }
  }
  return undefined;
}
