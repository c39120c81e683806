/**
 * One check for each kind of entry that a server lists. A check never throws on JSON, and says what it changed or why
 * it refused.
 *
 * Clients check a list as a whole: one field of the wrong kind costs them all of it, the tools of every other server
 * too. So an entry is refused where what it cannot do without is wrong (its name, its URI, its inputSchema), and comes
 * in without any other field that is wrong. Annotations that are left out allow nothing: without them a tool may be
 * destructive and is not repeated.
 */
import { anyObject, flag, listOf, Misfit, oneOf, record, text, type Fit } from "../text/fit.ts";
import { type Json, type JsonObject, isJsonObject } from "../core/json.ts";
import { ICONS, RESOURCE_FIELDS, TOOL_ANNOTATIONS } from "../text/mcp-fields.ts";
import type { ToolDefinition } from "../core/tool.ts";
import { cut } from "../text/cut.ts";
import { hasNul } from "../text/nul.ts";
import { repairTexts } from "./entry-texts.ts";
import { findSchemaProblem } from "./schema-check.ts";
import type { TextNote } from "./finding-code.ts";

export type Verdict<T> =
  | {
      readonly kind: "admitted";
      readonly entry: T;
      /** The entry before its texts were repaired: the very same object where every field is of the right kind. */
      readonly shaped: JsonObject;
      /** The fields that were left out, with why. */
      readonly drops: readonly string[];
      readonly notes: readonly TextNote[];
    }
  | { readonly kind: "refused"; readonly reason: string };

/** Exposed names end at 64; what is much longer is no name. */
export const NAME_LENGTH_MAX = 1024;
const URI_LENGTH_MAX = 8 * 1024;
const MIME_LENGTH_MAX = 255;

/** What a tool without an input schema is taken to accept. */
const ANY_OBJECT: JsonObject = Object.freeze({ type: "object" });

const MIME_TYPE =
  /^[A-Za-z0-9!#$&^_.+-]+\/[A-Za-z0-9!#$&^_.+*-]+(?: ?; ?[A-Za-z0-9!#$&^_.+-]+=(?:[A-Za-z0-9!#$&^_.+:/-]+|"[^"\\\u0000-\u001f]*"))*$/;

const SHOWN = { title: text, description: text, icons: ICONS, _meta: anyObject };

const mimeType: Fit = (value) =>
  typeof value === "string" && value.length <= MIME_LENGTH_MAX && MIME_TYPE.test(value)
    ? value
    : new Misfit(` ${cut(JSON.stringify(value), 80)} is not type/subtype`);

const outputSchema: Fit = (value) => {
  if (!isJsonObject(value)) return new Misfit(" must be an object");
  if (value["type"] !== "object") return new Misfit(' must have the type "object"');
  const problem = findSchemaProblem(value);
  return problem === undefined ? spellOutBooleans(value) : new Misfit(`: ${problem}`);
};

/**
 * It is listed to no client and validates nothing: the only reader is the walker of types, which is bounded whatever the schema
 * says. So it may be of any type, and its size is all that is checked, with that of the entry.
 */
const answerSchema: Fit = (value) => (isJsonObject(value) ? value : new Misfit(" must be an object"));

const TOOL = record({
  hints: {
    ...SHOWN,
    annotations: TOOL_ANNOTATIONS,
    execution: record({ may: { taskSupport: oneOf("required", "optional", "forbidden") } }),
    metadata: anyObject,
    outputSchema,
    answerSchema,
  },
});
/** Of resources and of templates. */
const RESOURCE = record({ hints: { ...RESOURCE_FIELDS.hints, mimeType } });
const PROMPT = record({
  hints: {
    ...SHOWN,
    arguments: listOf(
      record({ needs: { name: text }, hints: { title: text, description: text, required: flag } }),
    ),
  },
});

export function checkTool(tool: JsonObject): Verdict<ToolDefinition> {
  const problem = findNameProblem(tool["name"]);
  if (problem !== undefined) return refuse(problem);
  const input = tool["inputSchema"] ?? ANY_OBJECT;
  if (!isJsonObject(input)) return refuse("inputSchema must be a JSON Schema of type object");
  if (input["type"] !== undefined && input["type"] !== "object") {
    return refuse(
      `inputSchema has type ${cut(JSON.stringify(input["type"]), 80)}; a tool's arguments are an object`,
    );
  }
  const inputProblem = findSchemaProblem(input);
  if (inputProblem !== undefined) return refuse(`inputSchema: ${inputProblem}`);
  const typed = input["type"] === undefined ? { type: "object", ...input } : input;
  const inputSchema = spellOutBooleans(typed);
  return admit<ToolDefinition>(tool["inputSchema"] === inputSchema ? tool : { ...tool, inputSchema }, TOOL);
}

/**
 * SDK 1.x takes only objects for the schemas of properties. `true` and `false` are written as the objects that mean the
 * same.
 */
function spellOutBooleans(schema: JsonObject): JsonObject {
  const { properties } = schema;
  if (!isJsonObject(properties) || !Object.values(properties).some((one) => typeof one === "boolean")) {
    return schema;
  }
  const entries = Object.entries(properties).map(([name, one]): [string, Json] => [
    name,
    typeof one === "boolean" ? (one ? {} : { not: {} }) : one,
  ]);
  return { ...schema, properties: Object.fromEntries(entries) };
}

export function checkResource(resource: JsonObject): Verdict<JsonObject> {
  const problem = findNameProblem(resource["name"]) ?? findUriProblem(resource["uri"]);
  return problem === undefined ? admit(resource, RESOURCE, "name") : refuse(problem);
}

export function checkResourceTemplate(template: JsonObject): Verdict<JsonObject> {
  const uriTemplate = template["uriTemplate"];
  const problem =
    findNameProblem(template["name"]) ??
    findLengthProblem("uriTemplate", uriTemplate) ??
    prefixed("uriTemplate", findTemplateProblem(uriTemplate as string));
  return problem === undefined ? admit(template, RESOURCE, "name") : refuse(problem);
}

export function checkPrompt(prompt: JsonObject): Verdict<JsonObject> {
  const problem = findNameProblem(prompt["name"]);
  return problem === undefined ? admit(prompt, PROMPT) : refuse(problem);
}

function findNameProblem(name: unknown): string | undefined {
  if (typeof name !== "string" || name === "") return "it has no name";
  if (hasNul(name)) return "the name has a NUL character";
  return name.length > NAME_LENGTH_MAX ? `the name is longer than ${NAME_LENGTH_MAX} characters` : undefined;
}

function findUriProblem(uri: unknown): string | undefined {
  return (
    findLengthProblem("uri", uri) ?? (URL.canParse(uri as string) ? undefined : "uri is not an absolute URI")
  );
}

function findLengthProblem(field: string, value: unknown): string | undefined {
  if (typeof value !== "string" || value === "") return `it has no ${field}`;
  return value.length > URI_LENGTH_MAX ? `${field} is longer than ${URI_LENGTH_MAX} characters` : undefined;
}

function prefixed(field: string, problem: string | undefined): string | undefined {
  return problem === undefined ? undefined : `${field} ${problem}`;
}

function admit<T = JsonObject>(entry: JsonObject, shape: Fit, shown?: string): Verdict<T> {
  const drops: string[] = [];
  const shaped = shape(entry, drops) as JsonObject;
  const repaired = repairTexts(shaped, shown);
  return { kind: "admitted", entry: repaired.entry as T, shaped, drops, notes: repaired.notes };
}

function refuse(reason: string): Verdict<never> {
  return { kind: "refused", reason };
}

/**
 * What a template may not have outside of an expression: spaces, controls and the characters that RFC 6570 leaves out.
 */
const LITERAL_REFUSED = /[\u0000-\u0020"<>\\^`{|}\u007f]/;
const OPERATORS = "+#./;?&";
const VARIABLE =
  /^(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})+(?:\.(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})+)*(?::[1-9][0-9]{0,3}|\*)?$/;

/** Says why a text is not a template of RFC 6570. Every character is looked at a bounded number of times. */
export function findTemplateProblem(template: string): string | undefined {
  let at = 0;
  while (at < template.length) {
    const open = template.indexOf("{", at);
    const literal = open === -1 ? template.slice(at) : template.slice(at, open);
    if (LITERAL_REFUSED.test(literal)) return `has a character that no URI has near position ${at}`;
    if (open === -1) return undefined;
    const close = template.indexOf("}", open);
    if (close === -1) return `has a "{" without its "}" at position ${open}`;
    if (!isExpression(template.slice(open + 1, close))) return `has no valid expression at position ${open}`;
    at = close + 1;
  }
  return undefined;
}

function isExpression(inner: string): boolean {
  const variables = inner !== "" && OPERATORS.includes(inner[0]!) ? inner.slice(1) : inner;
  return variables.split(",").every((variable) => VARIABLE.test(variable));
}
