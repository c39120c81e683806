/**
 * One check for each kind of entry that a server lists. A check never throws on JSON, and says what it changed or why
 * it refused.
 */
import { type JsonObject, isJsonObject } from "../core/json.ts";
import type { ToolDefinition } from "../core/tool.ts";
import { repairTexts, type RepairedEntry } from "./entry-texts.ts";
import { findSchemaProblem } from "./schema-check.ts";
import type { TextNote } from "./text-repair.ts";
import { findTemplateProblem } from "./uri-template.ts";

export type Verdict<T> =
  | { readonly kind: "admitted"; readonly entry: T; readonly notes: readonly TextNote[] }
  | { readonly kind: "refused"; readonly reason: string };

/** Exposed names end at 64; what is much longer is no name. */
export const NAME_LENGTH_MAX = 1024;
const URI_LENGTH_MAX = 8 * 1024;
const MIME_LENGTH_MAX = 255;

/** What a tool without an input schema is taken to accept. */
const ANY_OBJECT: JsonObject = Object.freeze({ type: "object" });

const MIME_TYPE =
  /^[A-Za-z0-9!#$&^_.+-]+\/[A-Za-z0-9!#$&^_.+*-]+(?: ?; ?[A-Za-z0-9!#$&^_.+-]+=(?:[A-Za-z0-9!#$&^_.+:/-]+|"[^"\\\u0000-\u001f]*"))*$/;

export function checkTool(tool: JsonObject): Verdict<ToolDefinition> {
  const problem = findNameProblem(tool["name"]) ?? findFieldProblem(tool);
  if (problem !== undefined) return refuse(problem);
  const input = tool["inputSchema"] ?? ANY_OBJECT;
  if (!isJsonObject(input)) return refuse("inputSchema must be a JSON Schema of type object");
  if (input["type"] !== undefined && input["type"] !== "object") {
    return refuse(
      `inputSchema has type ${JSON.stringify(input["type"]).slice(0, 80)}; a tool's arguments are an object`,
    );
  }
  const inputProblem = findSchemaProblem(input);
  if (inputProblem !== undefined) return refuse(`inputSchema: ${inputProblem}`);
  const output = tool["outputSchema"];
  if (output !== undefined && output !== null) {
    const outputProblem = isJsonObject(output) ? findSchemaProblem(output) : "must be an object";
    if (outputProblem !== undefined) return refuse(`outputSchema: ${outputProblem}`);
  }
  return admit<ToolDefinition>(repairTexts(repairTool(tool, input)));
}

/** Clients check the whole list at once: one tool with a field of the wrong kind would cost them all of it. */
function findFieldProblem(tool: JsonObject): string | undefined {
  if (tool["title"] !== undefined && typeof tool["title"] !== "string") return "title must be a text";
  const objects = ["annotations", "_meta", "metadata", "execution"];
  const wrong = objects.find((field) => tool[field] !== undefined && !isJsonObject(tool[field]));
  return wrong === undefined ? undefined : `${wrong} must be an object`;
}

/** The very same object where nothing is to be repaired. */
function repairTool(tool: JsonObject, input: JsonObject): JsonObject {
  const { outputSchema, ...rest } = tool;
  const whole = outputSchema === null ? rest : tool;
  const typed = input["type"] === undefined ? { type: "object", ...input } : input;
  return tool["inputSchema"] === typed ? whole : { ...whole, inputSchema: typed };
}

export function checkResource(resource: JsonObject): Verdict<JsonObject> {
  const problem =
    findNameProblem(resource["name"]) ?? findUriProblem(resource["uri"]) ?? findMimeProblem(resource);
  return problem === undefined ? admit(repairTexts(resource, "name")) : refuse(problem);
}

export function checkResourceTemplate(template: JsonObject): Verdict<JsonObject> {
  const uriTemplate = template["uriTemplate"];
  const problem =
    findNameProblem(template["name"]) ??
    findLengthProblem("uriTemplate", uriTemplate) ??
    prefixed("uriTemplate", findTemplateProblem(uriTemplate as string)) ??
    findMimeProblem(template);
  return problem === undefined ? admit(repairTexts(template, "name")) : refuse(problem);
}

export function checkPrompt(prompt: JsonObject): Verdict<JsonObject> {
  const problem = findNameProblem(prompt["name"]);
  if (problem !== undefined) return refuse(problem);
  const args = prompt["arguments"];
  const sound = args === undefined || (Array.isArray(args) && args.every(isNamed));
  return sound ? admit(repairTexts(prompt)) : refuse("arguments must be a list of {name, …}");
}

function isNamed(value: unknown): boolean {
  return isJsonObject(value) && typeof value["name"] === "string";
}

function findNameProblem(name: unknown): string | undefined {
  if (typeof name !== "string" || name === "") return "it has no name";
  return name.length > NAME_LENGTH_MAX ? `the name is longer than ${NAME_LENGTH_MAX} characters` : undefined;
}

function findUriProblem(uri: unknown): string | undefined {
  return (
    findLengthProblem("uri", uri) ?? (URL.canParse(uri as string) ? undefined : "uri is not an absolute URI")
  );
}

function findLengthProblem(field: string, text: unknown): string | undefined {
  if (typeof text !== "string" || text === "") return `it has no ${field}`;
  return text.length > URI_LENGTH_MAX ? `${field} is longer than ${URI_LENGTH_MAX} characters` : undefined;
}

function findMimeProblem(entry: JsonObject): string | undefined {
  const type = entry["mimeType"];
  if (type === undefined) return undefined;
  const sound = typeof type === "string" && type.length <= MIME_LENGTH_MAX && MIME_TYPE.test(type);
  return sound ? undefined : `mimeType ${JSON.stringify(type).slice(0, 80)} is not type/subtype`;
}

function prefixed(field: string, problem: string | undefined): string | undefined {
  return problem === undefined ? undefined : `${field} ${problem}`;
}

function admit<T = JsonObject>({ entry, notes }: RepairedEntry): Verdict<T> {
  return { kind: "admitted", entry: entry as T, notes };
}

function refuse(reason: string): Verdict<never> {
  return { kind: "refused", reason };
}
