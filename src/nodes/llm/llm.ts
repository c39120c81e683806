/** Asks a language model: the client's own where it offers sampling, otherwise the endpoint of the config. */
import { DATA_LIMITS, isJsonObject, parseJson, type Json, type JsonObject } from "../../core/json.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import type { CallContext, NodeType } from "../../core/tool.ts";
import type { Resolve } from "../../net/address-policy.ts";
import { LLM_LIMITS, llmDefinition } from "./llm-definition.ts";
import { askEndpoint } from "./endpoint.ts";
import type { LlmQuestion, LlmReply } from "./question.ts";
import { askClient } from "./sampling.ts";
import { readCount, readFlag, readParam, readText } from "../param.ts";
import type { NodePolicy } from "../policy.ts";
import { showExcerpt } from "../shown.ts";
import { limitTime, type TimeLimit } from "../time-limit.ts";

export interface LlmDeps {
  readonly policy: () => NodePolicy;
  readonly version: string;
  readonly resolve?: Resolve;
}

const JSON_ONLY = "Answer with one JSON value and nothing else: no explanation, no code fence.";

export function createLlm(deps: LlmDeps): NodeType {
  return {
    definition: llmDefinition,
    rawParams: [],
    isRepeatable: () => true,
    call: (params, context) => callLlm(params, context, deps),
  };
}

async function callLlm(params: JsonObject, context: CallContext, deps: LlmDeps): Promise<ToolResult<Json>> {
  const asJson = readFlag(params, "json", false);
  const limit = limitTime(context, LLM_LIMITS.timeoutMs, "the limit for an answer");
  if (limit.signal.aborted) return limit.failure("The question to the model", false);
  const reply = await ask(questionOf(params, asJson), context, limit, deps);
  if (!reply.success) return reply;
  const json = asJson ? parseReply(reply.data.text) : undefined;
  if (json?.success === false) return json;
  const said: JsonObject = json === undefined ? { text: reply.data.text } : { json: json.data };
  return succeed(reply.data.model === undefined ? said : { ...said, model: reply.data.model });
}

async function ask(
  question: LlmQuestion,
  context: CallContext,
  limit: TimeLimit,
  deps: LlmDeps,
): Promise<ToolResult<LlmReply>> {
  const { client } = context;
  if (client !== undefined && isJsonObject(readParam(client.capabilities, "sampling"))) {
    return askClient(question, client, limit);
  }
  const { llm } = deps.policy();
  if (llm !== undefined) return askEndpoint(question, llm, limit, deps);
  return fail(
    "TOOL_UNAVAILABLE",
    "There is no language model to ask: the client offers no sampling and the config no endpoint.",
    {
      retryable: false,
      hint: "Use a client with sampling, or ask the owner of the gateway to set workflows.llm (url, model, apiKey) in its config.",
    },
  );
}

function questionOf(params: JsonObject, asJson: boolean): LlmQuestion {
  const system = [readText(params, "system"), asJson ? JSON_ONLY : undefined].filter(
    (part) => part !== undefined,
  );
  const temperature = readParam(params, "temperature");
  return {
    prompt: readText(params, "prompt") ?? "",
    tokensMax: readCount(params, "max_tokens", LLM_LIMITS.tokens, LLM_LIMITS.tokensMax),
    system: system.length === 0 ? undefined : system.join("\n\n"),
    temperature: typeof temperature === "number" ? temperature : undefined,
  };
}

/** A code fence around the whole answer is the one habit that models do not drop when asked. */
function parseReply(text: string): ToolResult<Json> {
  const bare = /^\s*```[a-z]*\s*\n([\s\S]*)\n\s*```\s*$/i.exec(text)?.[1] ?? text;
  const parsed = parseJson(bare, DATA_LIMITS);
  if (parsed.ok) return succeed(parsed.value);
  return fail(
    "TOOL_EXECUTION_FAILED",
    `The model did not answer with JSON (${parsed.message}). It said: ${showExcerpt(text)}`,
    {
      retryable: true,
      reason: "not_json",
      hint: "Say in the prompt what the JSON looks like. If the answer is cut off, raise max_tokens.",
    },
  );
}
