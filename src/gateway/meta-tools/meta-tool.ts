/**
 * What the five meta-tools have in common: one zod schema gives the types, the check of the arguments and the JSON
 * Schema that clients see, so that the three cannot drift apart.
 */
import * as z from "zod";
import { isJsonObject, type Json, type JsonObject } from "../../core/json.ts";
import type { META_TOOL_NAMES } from "../../core/meta-tool-names.ts";
import { didYouMean, nearest } from "../../text/nearest.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import type { CallContext, ToolAnnotations, ToolDefinition } from "../../core/tool.ts";

type MetaToolName = (typeof META_TOOL_NAMES)[number];

/** The ids of servers that are configured and of no use as things are. */
export interface IdleServers {
  /** Those with a problem in the config. */
  readonly unusable: readonly string[];
  /** Those of a project file that is not trusted. */
  readonly untrusted: readonly string[];
  /** Those that are switched off. */
  readonly disabled?: readonly string[];
}

/** A meta-tool, ready to be listed and called. */
export interface MetaTool {
  readonly name: MetaToolName;
  /** Its definition as clients see it; `servers` go into the description, so that agents know what can be found. */
  define(servers: readonly string[], idle?: IdleServers): ToolDefinition;
  call(args: JsonObject, context: CallContext): Promise<ToolResult<JsonObject>>;
}

export interface MetaToolSpec<Input extends z.ZodObject, Output extends z.ZodObject> {
  readonly name: MetaToolName;
  readonly title: string;
  readonly describe: (servers: readonly string[], idle?: IdleServers) => string;
  readonly input: Input;
  readonly output: Output;
  readonly annotations: ToolAnnotations;
  /** What it is for, in words that a client which searches its tools by itself compares with a task. */
  readonly searchHint: string;
  /** Whether such a client is asked to have it at hand from the start: without it, nothing else is found. */
  readonly isAlwaysLoaded?: true;
  readonly run: (input: z.output<Input>, context: CallContext) => Promise<ToolResult<z.output<Output>>>;
}

export function createMetaTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  spec: MetaToolSpec<Input, Output>,
): MetaTool {
  let schemas: { inputSchema: JsonObject; outputSchema: JsonObject } | undefined;
  return {
    name: spec.name,
    define(servers, idle) {
      schemas ??= {
        inputSchema: withoutBounds(jsonSchemaOf(spec.input, "input")) as JsonObject,
        outputSchema: withFailure(withoutDepth(jsonSchemaOf(spec.output, "output"))),
      };
      return {
        name: spec.name,
        title: spec.title,
        description: spec.describe(servers, idle),
        ...schemas,
        annotations: spec.annotations,
        _meta: {
          ...(spec.isAlwaysLoaded && { "anthropic/alwaysLoad": true }),
          "anthropic/searchHint": spec.searchHint,
        },
      };
    },
    async call(args, context) {
      const input = parseArguments(spec.input, args);
      if (!input.success) return input;
      const result = await spec.run(input.data, context);
      // Every output schema is made of JSON types alone; zod's inferred type just cannot say so.
      return result as ToolResult<JsonObject>;
    },
  };
}

/**
 * The schema of an answer, or of a failure `{success, error}` in its place: clients check failures as well, and one
 * that does not fit is lost with its code and its hint.
 */
function withFailure({ required, additionalProperties: _closed, ...rest }: JsonObject): JsonObject {
  const failure = { required: ["success", "error"] };
  const own = required as readonly string[];
  // An answer that is a failure in its own fields, such as a run's, is one of the other kind already.
  if (failure.required.every((field) => own.includes(field))) return { ...rest, ...failure };
  return { ...rest, anyOf: [{ required: own }, failure] };
}

function jsonSchemaOf(schema: z.ZodType, io: "input" | "output"): JsonObject {
  const { $schema: _, ...jsonSchema } = z.toJSONSchema(schema, { io });
  return simplify(jsonSchema as JsonObject) as JsonObject;
}

/**
 * Takes out what says nothing and spells the rest as every client's dialect can carry it: one type for each value, no
 * empty schema for further properties. The list is part of every conversation, so each word counts.
 */
function simplify(value: Json): Json {
  if (Array.isArray(value)) return value.map(simplify);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value as JsonObject)
    .filter(([key, child]) => !SAYS_NOTHING.has(`${key}:${JSON.stringify(child)}`))
    .map(([key, child]): [string, Json] => {
      if (key === "type" && Array.isArray(child)) return ["anyOf", child.map((type: Json) => ({ type }))];
      return [key, simplify(child)];
    });
  return Object.fromEntries(entries);
}

/**
 * Bounds are checked and not shown: no honest argument comes near one, and the error of one that does names it. The
 * same holds for unknown arguments, and for null, which means that the argument is left out.
 */
const BOUNDS: ReadonlySet<string> = new Set([
  "additionalProperties",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "minimum",
  "maximum",
]);

function withoutBounds(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutBounds);
  if (!isJsonObject(value)) return value;
  const { anyOf, ...rest } = value;
  const isNull = (one: Json): boolean => isJsonObject(one) && one["type"] === "null";
  if (Array.isArray(anyOf) && anyOf.some(isNull)) {
    const others = anyOf.filter((one: Json) => !isNull(one));
    const only = others.length === 1 && isJsonObject(others[0]) ? others[0] : { anyOf: others };
    return withoutBounds({ ...rest, ...(only as JsonObject) });
  }
  const entries = Object.entries(value).filter(([key]) => !BOUNDS.has(key));
  return Object.fromEntries(entries.map(([key, child]) => [key, withoutBounds(child)]));
}

/** Which fields an answer has and of which type; what is in them, the reader of the answer sees. */
function withoutDepth({ properties, ...rest }: JsonObject): JsonObject {
  const fields = Object.entries(properties as JsonObject).map(([key, field]) => [key, outermost(field)]);
  return { ...rest, properties: Object.fromEntries(fields) };
}

function outermost(field: Json): Json {
  if (!isJsonObject(field)) return field;
  const { type, anyOf, items, enum: values } = field;
  if (Array.isArray(anyOf)) return { anyOf: anyOf.map(outermost) };
  return {
    ...(type !== undefined && { type }),
    ...(items !== undefined && { items: outermost(items) }),
    ...(values !== undefined && { enum: values }),
  };
}

const SAYS_NOTHING: ReadonlySet<string> = new Set([
  `minimum:${Number.MIN_SAFE_INTEGER}`,
  `maximum:${Number.MAX_SAFE_INTEGER}`,
  `propertyNames:{"type":"string"}`,
  "properties:{}",
  "additionalProperties:true",
  "additionalProperties:{}",
  "default:false",
  'default:"summary"',
]);

/**
 * Checks arguments against a strict schema; the error names the field and, for an unknown one, the nearest that
 * exists.
 */
export function parseArguments<Input extends z.ZodObject>(
  schema: Input,
  args: JsonObject,
): ToolResult<z.output<Input>> {
  const lost = findLostName(args);
  if (lost !== undefined) return cannotCarry(lost);
  const parsed = schema.safeParse(withoutNulls(schema, args), { reportInput: false });
  if (parsed.success) return succeed(parsed.data);
  const fields = Object.keys(schema.shape);
  const problems = parsed.error.issues.flatMap((issue) => explainIssue(issue, args, fields));
  // A misspelt argument is the mistake; that the right one is missing only follows from it.
  const { field, reason, near = [] } = problems.find((problem) => problem.near?.length) ?? problems[0]!;
  return fail("TOOL_INVALID_INPUT", problems.map((problem) => problem.message).join(" "), {
    field,
    reason,
    ...(near.length > 0 && { nearest: near }),
    hint: `The arguments are ${fields.join(", ")}.`,
  });
}

/** Models, and clients in strict mode, give null for what they leave out. */
function withoutNulls(schema: z.ZodObject, args: JsonObject): JsonObject {
  const isLeftOut = ([name, value]: [string, Json]): boolean =>
    value === null && (schema.shape[name] as z.ZodType | undefined)?.safeParse(undefined).success === true;
  return Object.fromEntries(Object.entries(args).filter((entry) => !isLeftOut(entry)));
}

const PROTO = "__proto__";

/**
 * The one name that the parser leaves out without a word, among the arguments or the names in one of them. Deeper it
 * is carried.
 */
function findLostName(args: JsonObject): string | undefined {
  if (Object.hasOwn(args, PROTO)) return PROTO;
  const found = Object.entries(args).find(([, value]) => isJsonObject(value) && Object.hasOwn(value, PROTO));
  return found === undefined ? undefined : `${found[0]}.${PROTO}`;
}

function cannotCarry(field: string): ToolResult<never> {
  return fail(
    "TOOL_INVALID_INPUT",
    `The argument ${JSON.stringify(field)} cannot be carried under this name.`,
    {
      field,
      hint: `Choose another name than ${PROTO}. Nothing has run.`,
    },
  );
}

interface ArgumentProblem {
  readonly field: string;
  readonly reason: "unknown_argument" | "missing_argument" | "invalid_argument";
  readonly message: string;
  /** The arguments that were probably meant. */
  readonly near?: readonly string[];
}

function explainIssue(
  issue: z.core.$ZodIssue,
  args: JsonObject,
  fields: readonly string[],
): ArgumentProblem[] {
  const field = issue.path.map(String).join(".");
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => {
      const path = field === "" ? key : `${field}.${key}`;
      const near = field === "" ? nearest(key, fields) : [];
      const message = `Unknown argument ${JSON.stringify(path)}.${didYouMean(near)}`;
      return { field: path, reason: "unknown_argument", message, near };
    });
  }
  if (issue.code === "invalid_type" && isMissing(args, issue.path)) {
    const message = `The argument ${JSON.stringify(field)} is missing.`;
    return [{ field, reason: "missing_argument", message }];
  }
  const subject = field === "" ? "The arguments are" : `The argument ${JSON.stringify(field)} is`;
  const message = `${subject} not valid: ${issue.message.replace(/^Invalid \w+: /, "")}.`;
  return [{ field, reason: "invalid_argument", message }];
}

function isMissing(args: JsonObject, path: readonly PropertyKey[]): boolean {
  let value: unknown = args;
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return true;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return false;
}
