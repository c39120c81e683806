/**
 * What code takes and gives, as schemas, from what is known: how it reads its inputs, the schemas of the tools that
 * these go into, and a run that worked.
 *
 * What is taken over from a tool's schema is copied (copied-schema.ts) and then loosened until it surely accepts what
 * the run was given (loosened-schema.ts). What no tool speaks of is described by its value (value-schema.ts).
 */
import { type Json, type JsonObject, isJsonObject } from "../../core/json.ts";
import { ANNOTATIONS, copySchemaAt, WEIGHT_MAX, type Budget } from "./copied-schema.ts";
import { ownValue } from "../json-object.ts";
import { loosen } from "./loosened-schema.ts";
import { PROPERTY_COUNT_MAX, schemaOfValue } from "./value-schema.ts";

export interface InferenceSource {
  readonly inputs: readonly {
    readonly name: string;
    readonly isOptional: boolean;
    readonly defaultValue?: Json;
    readonly flows: readonly Flow[];
  }[];
  readonly hasOpenInputs: boolean;
  /** `without` are names that the code sets itself beside `args`. */
  readonly wholeFlows: readonly {
    readonly namespace: string;
    readonly tool: string;
    readonly without?: readonly string[];
  }[];
}

interface Flow {
  readonly namespace: string;
  readonly tool: string;
  readonly path: readonly string[];
}

type SchemaOf = (namespace: string, tool: string) => JsonObject | undefined;

/**
 * The input schema of code that was kept without one. `schemaOf` is a tool's input schema; `given` are the inputs of a
 * run that worked: the result accepts them, but for inputs that the code does not read.
 */
export function inferInputSchema(
  source: InferenceSource,
  schemaOf: SchemaOf,
  given?: JsonObject,
): JsonObject {
  const budget = { weightLeft: WEIGHT_MAX };
  const whole = wholeSchema(source, schemaOf, budget);
  const properties = new Map<string, JsonObject>();
  const required = new Set<string>();
  const add = (name: string, schema: JsonObject, isRequired: boolean): void => {
    const value = ownValue(given, name);
    properties.set(name, value === undefined ? schema : loosen(schema, value));
    if (isRequired && (given === undefined || value !== undefined)) required.add(name);
  };
  for (const { name, isOptional, flows, ...input } of source.inputs) {
    const taken = flowSchema(flows, schemaOf, budget) ?? whole.properties.get(name);
    const value = ownValue(given, name) ?? input.defaultValue ?? null;
    const schema = taken ?? schemaOfValue(value);
    add(name, withDefault(schema, input.defaultValue), !isOptional);
  }
  for (const [name, schema] of whole.properties) {
    if (!properties.has(name)) add(name, schema, whole.required.has(name));
  }
  for (const [name, value] of Object.entries(source.hasOpenInputs ? (given ?? {}) : {})) {
    if (properties.size >= PROPERTY_COUNT_MAX) break;
    if (!properties.has(name)) add(name, schemaOfValue(value), false);
  }
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.size > 0 && { required: [...required] }),
    additionalProperties: source.hasOpenInputs,
  };
}

/** For a tool's outputSchema, which MCP wants to be an object: undefined for any other value. */
export function inferOutputSchema(result: Json): JsonObject | undefined {
  return isJsonObject(result) ? schemaOfValue(result) : undefined;
}

function withDefault(schema: JsonObject, value: Json | undefined): JsonObject {
  return value === undefined ? schema : { ...loosen(schema, value), default: value };
}

/**
 * The schema of the first place that an input goes into and that says what it must be; else of the first that says
 * anything.
 */
function flowSchema(flows: readonly Flow[], schemaOf: SchemaOf, budget: Budget): JsonObject | undefined {
  let described: JsonObject | undefined;
  for (const { namespace, tool, path } of flows) {
    const root = schemaOf(namespace, tool);
    const schema = root && copySchemaAt(root, path, budget);
    if (schema === undefined) continue;
    if (Object.keys(schema).some((keyword) => !ANNOTATIONS.has(keyword))) return schema;
    if (Object.keys(schema).length > 0) described ??= schema;
  }
  return described;
}

/** What `args` must be where it goes as a whole into one tool. Into several, each takes a part that is not known. */
function wholeSchema({ wholeFlows }: InferenceSource, schemaOf: SchemaOf, budget: Budget) {
  const [flow, ...others] = wholeFlows;
  const isOne = others.every(({ namespace, tool }) => namespace === flow?.namespace && tool === flow.tool);
  const root = flow && isOne ? schemaOf(flow.namespace, flow.tool) : undefined;
  const copy = root && copySchemaAt(root, [], budget);
  const isTaken = (name: string): boolean => flow?.without?.includes(name) !== true;
  const properties = isJsonObject(copy?.["properties"]) ? Object.entries(copy["properties"]) : [];
  const required = (copy?.["required"] ?? []) as readonly string[];
  return {
    properties: new Map(properties.filter(([name]) => isTaken(name)) as [string, JsonObject][]),
    required: new Set(required.filter((name) => isTaken(name))),
  };
}
