/**
 * Through an OpenAI-compatible endpoint. Its host is the one that the config names, so it may be private; it may not
 * send the question, or the key, anywhere else: redirects are not followed. The key is taken out of everything that is
 * shown.
 */
import { DATA_LIMITS, isJsonObject, parseJson, type Json, type JsonObject } from "../../core/json.ts";
import { createRedactor, REDACTED } from "../../text/redaction.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import { createAddressRule, type Resolve } from "../../net/address-policy.ts";
import type { HttpRequest } from "../../net/http-outcome.ts";
import { followRedirects, parseTarget } from "../../net/redirects.ts";
import { HTTP_LIMITS } from "../http/definition.ts";
import { isHeaderValue } from "../http/params.ts";
import { answerOf, statusFailure, textOf } from "../http/http-result.ts";
import type { LlmEndpoint } from "../policy.ts";
import { showExcerpt } from "../shown.ts";
import type { TimeLimit } from "../time-limit.ts";

export async function askEndpoint(
  question: LlmQuestion,
  endpoint: LlmEndpoint,
  limit: TimeLimit,
  deps: { readonly version: string; readonly resolve?: Resolve },
): Promise<ToolResult<LlmReply>> {
  const request = requestOf(question, endpoint, deps.version);
  if (!request.success) return request;
  const policy = createAddressRule(() => false, deps.resolve);
  const options = { policy, signal: limit.signal, bytesMax: HTTP_LIMITS.bytesMax, redirectCountMax: 0 };
  const journey = await followRedirects(request.data, options);
  return withoutKey(
    replyOf(journey.request, answerOf({ ...journey, happened: false }, limit)),
    endpoint.apiKey,
  );
}

function requestOf(question: LlmQuestion, endpoint: LlmEndpoint, version: string): ToolResult<HttpRequest> {
  const target = parseTarget(endpoint.url);
  const key = endpoint.apiKey ?? "";
  if (!target.ok || !isHeaderValue(key)) {
    return fail(
      "TOOL_UNAVAILABLE",
      "The endpoint in workflows.llm cannot be used: its url or apiKey is not valid.",
      {
        retryable: false,
      },
    );
  }
  target.url.pathname = `${target.url.pathname.replace(/\/+$/, "")}/chat/completions`;
  const headers = new Map([
    ["user-agent", `repertoire/${version}`],
    ["accept", "application/json"],
    ["accept-encoding", "identity"],
    ["content-type", "application/json"],
  ]);
  if (key !== "") headers.set("authorization", `Bearer ${key}`);
  const body = Buffer.from(JSON.stringify(bodyOf(question, endpoint.model)));
  return succeed({ url: target.url, method: "POST", headers, body });
}

function bodyOf({ prompt, system, tokensMax, temperature }: LlmQuestion, model: string): JsonObject {
  return {
    model,
    messages: [
      ...(system === undefined ? [] : [{ role: "system", content: system }]),
      { role: "user", content: prompt },
    ],
    max_tokens: tokensMax,
    ...(temperature === undefined ? {} : { temperature }),
  };
}

function replyOf(request: HttpRequest, answer: ReturnType<typeof answerOf>): ToolResult<LlmReply> {
  if (!answer.success) return answer;
  if (answer.data.status >= 300) return statusFailure(request, answer.data);
  const said = textOf(answer.data);
  const parsed = parseJson(said, DATA_LIMITS);
  const text = parsed.ok ? findText(parsed.value) : undefined;
  if (!parsed.ok || text === undefined) {
    const message = `The model's endpoint answered with something other than a chat completion: ${showExcerpt(said)}`;
    return fail("TOOL_EXECUTION_FAILED", message);
  }
  const model = isJsonObject(parsed.value) ? parsed.value["model"] : undefined;
  return succeed({ text, model: typeof model === "string" ? model : undefined });
}

/** `choices[0].message.content`, read step by step. */
function findText(value: Json): string | undefined {
  const choices = isJsonObject(value) ? value["choices"] : undefined;
  const first: Json | undefined = Array.isArray(choices) ? choices[0] : undefined;
  const message = isJsonObject(first) ? first["message"] : undefined;
  const content = isJsonObject(message) ? message["content"] : undefined;
  return typeof content === "string" ? content : undefined;
}

/** An endpoint that refuses a key likes to repeat it. The exact value goes, however short, and what looks like one. */
function withoutKey<T>(result: ToolResult<T>, key: string | undefined): ToolResult<T> {
  if (result.success || key === undefined || key === "") return result;
  const message = createRedactor([key]).text(result.error.message).replaceAll(key, REDACTED);
  return { success: false, error: { ...result.error, message } };
}

export interface LlmQuestion {
  readonly prompt: string;
  readonly system?: string;
  readonly tokensMax: number;
  readonly temperature?: number;
}

export interface LlmReply {
  readonly text: string;
  readonly model?: string;
}
