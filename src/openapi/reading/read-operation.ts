import { isJsonObject, type Json, type JsonObject } from "../../core/json.ts";
import type { ToolAnnotations, ToolDefinition } from "../../core/tool.ts";
import { cutToBytes, lineOf } from "../../text/cut.ts";
import { BODY_ARGUMENT, type CallPlan } from "../api-description.ts";
import type { ApiDocument, ApiDocuments } from "./api-documents.ts";
import { DESCRIPTION_LENGTH_MAX } from "./limits.ts";
import { readAnswer } from "./read-answer.ts";
import { readBody, type ReadBody } from "./read-body.ts";
import { readParameters, type ReadParameter } from "./read-parameters.ts";
import { readSecurity } from "./read-security.ts";
import { readServer } from "./read-server.ts";

export interface FoundOperation {
  /** The name of its tool. */
  readonly name: string;
  /** In small letters, as it is written. */
  readonly method: string;
  readonly path: string;
  readonly item: JsonObject;
  readonly operation: JsonObject;
  /** That of the path item, which may be another file than the description. */
  readonly document: ApiDocument;
}

/** What holds for every operation that does not say otherwise. */
export interface Common {
  readonly documents: ApiDocuments;
  readonly security: readonly (readonly string[])[];
}

/** The tool of one operation and how it is called. Throws `Unusable` or `BrokenReference` where it cannot be one. */
export function readOperation(
  found: FoundOperation,
  { documents, security }: Common,
): { readonly tool: ToolDefinition; readonly plan: CallPlan } {
  const { method, path, item, operation, document } = found;
  const lists = [item, operation].map(({ parameters }) => ({ list: parameters, document }));
  const parameters = readParameters(lists, path, documents);
  const body = readBody({ value: operation["requestBody"], document }, documents);
  const answer = readAnswer(operation["responses"], document, documents);
  const server = readServer(operation["servers"]) ?? readServer(item["servers"]);
  return {
    tool: {
      name: found.name,
      ...titleOf(found),
      description: descriptionOf(found),
      inputSchema: inputSchemaOf(parameters, body),
      ...(answer.schema !== undefined && { answerSchema: answer.schema }),
      annotations: ANNOTATIONS[method]!,
      ...tagsOf(operation["tags"]),
    },
    plan: {
      method: method.toUpperCase(),
      path,
      ...(server !== undefined && { server }),
      parameters: parameters.map(({ plan }) => plan),
      ...(body !== undefined && { body: body.plan }),
      security: readSecurity(operation["security"]) ?? security,
      accept: answer.accept,
    },
  };
}

const READS: ToolAnnotations = { readOnlyHint: true };
/** What HTTP says of its methods. Of a PUT and a PATCH it is not known whether something is lost by them. */
const ANNOTATIONS: Readonly<Record<string, ToolAnnotations>> = {
  get: READS,
  head: READS,
  options: READS,
  put: { readOnlyHint: false, idempotentHint: true },
  delete: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  post: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  patch: { readOnlyHint: false, idempotentHint: false },
};

export const METHODS = Object.keys(ANNOTATIONS);

/** A summary has a few words; a longer one is a description. */
const TITLE_LENGTH_MAX = 120;

/** The summary is a line that says what the operation does: people are shown it as a name, and it is found by it. */
function titleOf(found: FoundOperation): Pick<ToolDefinition, "title"> {
  const title = lineOf(textIn(found, "summary"), TITLE_LENGTH_MAX);
  return title === "" ? {} : { title };
}

function textIn({ operation, item }: FoundOperation, key: "summary" | "description"): string {
  const text = operation[key] ?? item[key];
  return typeof text === "string" ? text.trim() : "";
}

function descriptionOf(found: FoundOperation): string {
  const { operation, method, path } = found;
  const summary = textIn(found, "summary");
  const description = textIn(found, "description");
  const said = [summary, description === summary ? "" : description].filter((text) => text !== "");
  const words = said.length === 0 ? [`${method.toUpperCase()} ${path}`] : said;
  const whole = [...(operation["deprecated"] === true ? ["Deprecated."] : []), ...words].join("\n\n");
  return cutToBytes(whole, DESCRIPTION_LENGTH_MAX);
}

function inputSchemaOf(parameters: readonly ReadParameter[], body: ReadBody | undefined): JsonObject {
  const properties: [string, Json][] = parameters.map(({ plan, schema }) => [plan.argument, schema]);
  const required = parameters.filter(({ isRequired }) => isRequired).map(({ plan }) => plan.argument);
  if (body !== undefined) properties.push([BODY_ARGUMENT, body.schema]);
  if (body?.isRequired === true) required.push(BODY_ARGUMENT);
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

/** More tags than a person would give one operation. */
const TAG_COUNT_MAX = 10;
const TAG_LENGTH_MAX = 100;

function tagsOf(tags: unknown): { readonly metadata?: { readonly tags: readonly string[] } } {
  if (!Array.isArray(tags)) return {};
  const texts = tags.filter((tag) => typeof tag === "string").slice(0, TAG_COUNT_MAX);
  return texts.length === 0 ? {} : { metadata: { tags: texts.map((tag) => tag.slice(0, TAG_LENGTH_MAX)) } };
}

export function operationIn(item: JsonObject, method: string): JsonObject | undefined {
  const operation = item[method];
  return isJsonObject(operation) ? operation : undefined;
}
