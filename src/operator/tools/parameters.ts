/** What a tool takes, parameter by parameter, and a call of it that can be pasted. */
import { isJsonObject, type Json, type JsonObject } from "../../core/json.ts";
import { typeText } from "../../text/schema-type.ts";
import { SHOWN } from "../../text/type-style.ts";

export interface Parameter {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly description: string;
  readonly default?: Json;
  readonly schema: JsonObject;
}

/** Required ones first, each in the order of the schema. */
export function parametersOf(inputSchema: JsonObject): Parameter[] {
  const { properties, required } = inputSchema;
  if (!isJsonObject(properties)) return [];
  const needed = new Set(Array.isArray(required) ? required : []);
  const all = Object.entries(properties).map(([name, given]): Parameter => {
    const schema = isJsonObject(given) ? given : {};
    const { description } = schema;
    return {
      name,
      type: typeText(schema, SHOWN, 1, inputSchema),
      required: needed.has(name),
      description: typeof description === "string" ? description : "",
      ...(schema["default"] !== undefined && { default: schema["default"] }),
      schema,
    };
  });
  return [...all.filter((one) => one.required), ...all.filter((one) => !one.required)];
}

/** The words of a call that has what is required: an example or default of the schema, or a value of its type. */
export function exampleWords(written: string, parameters: readonly Parameter[]): string[] {
  const needed = parameters.filter(({ required }) => required);
  return ["call", written, ...needed.map((one) => `${one.name}=${exampleText(one)}`)];
}

function exampleText(parameter: Parameter): string {
  const value = exampleOf(parameter);
  return typeof value === "string" ? value : JSON.stringify(value);
}

function exampleOf({ name, schema, default: usual }: Parameter): Json {
  const examples = schema["examples"];
  const [first] = [
    ...(Array.isArray(examples) ? examples : []),
    ...(usual === undefined ? [] : [usual]),
    ...(Array.isArray(schema["enum"]) ? schema["enum"] : []),
    ...(schema["const"] === undefined ? [] : [schema["const"]]),
  ];
  if (first !== undefined) return first;
  const types = typesOf(schema);
  if (types.has("string") || types.size === 0) return name.toUpperCase();
  if (types.has("number") || types.has("integer")) return 1;
  if (types.has("boolean")) return true;
  return types.has("array") ? [] : {};
}

/** The types that a schema takes, as far as it says so itself or in its alternatives. */
export function typesOf(schema: unknown): Set<string> {
  if (!isJsonObject(schema)) return new Set();
  const { type, anyOf, oneOf, const: only } = schema;
  const listed = Array.isArray(schema["enum"]) ? schema["enum"] : only === undefined ? [] : [only];
  const named = typeof type === "string" ? [type] : Array.isArray(type) ? type.map(String) : [];
  const alternatives = [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
  return new Set([
    ...named,
    ...(named.length === 0 ? listed.map((value) => (value === null ? "null" : typeof value)) : []),
    ...alternatives.flatMap((one) => [...typesOf(one)]),
  ]);
}
