/** Asks a language model: the client's own where it offers sampling, otherwise the endpoint of the config. */
import { DATA_LIMITS, isJsonObject, parseJson, type Json, type JsonObject } from "../../core/json.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import type { CallContext, NodeType, ClientHandle, ToolDefinition } from "../../core/tool.ts";
import type { Resolve } from "../../net/address-policy.ts";
import { askEndpoint, type LlmQuestion, type LlmReply } from "./endpoint.ts";
import { readCount, readFlag, readParam, readText } from "../param.ts";
import type { NodePolicy } from "../policy.ts";
import { showExcerpt } from "../shown.ts";
import { limitTime, type TimeLimit } from "../time-limit.ts";

/** A long answer of a slow model takes minutes, and so does a person who is asked whether the question may go out. */
const LLM_LIMITS = { timeoutMs: 300_000, tokens: 1024, tokensMax: 32_768 } as const;

const llmDefinition: ToolDefinition = {
  name: "llm",
  title: "Ask a language model",
  description:
    "Asks a language model and returns {text, model}, or {json, model} if json is true. The model is the client's own " +
    "(sampling) where it offers that, otherwise the one in workflows.llm of the config. It sees only prompt and system.",
  inputSchema: {
    type: "object",
    properties: {
      prompt: { type: "string", description: "The question, with everything that the model needs to know." },
      system: { type: "string", description: "How the model should behave." },
      max_tokens: {
        type: "integer",
        minimum: 1,
        maximum: LLM_LIMITS.tokensMax,
        default: LLM_LIMITS.tokens,
        description: "How long the answer may be, in tokens.",
      },
      temperature: { type: "number", minimum: 0, maximum: 2, description: "0 for the likeliest answer." },
      json: {
        type: "boolean",
        default: false,
        description: "Whether the answer must be JSON; it is parsed, and anything else is a failure.",
      },
    },
    required: ["prompt"],
    additionalProperties: false,
  },
  outputSchema: {
    type: "object",
    properties: {
      text: { type: "string", description: "The answer, unless json is true." },
      json: { description: "The parsed answer, if json is true." },
      model: { type: "string", description: "The model that answered, where it is known." },
    },
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
};

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

/** Through the client's sampling: its user sees the question and may refuse it. */
async function askClient(
  question: LlmQuestion,
  client: ClientHandle,
  limit: TimeLimit,
): Promise<ToolResult<LlmReply>> {
  const answer = await client.request("sampling/createMessage", paramsOf(question), limit.signal);
  if (limit.signal.aborted) return limit.failure("The question to the client's model", false);
  if (!answer.success) {
    const { error } = answer;
    return {
      success: false,
      error: { ...error, message: `The client did not answer the question: ${error.message}` },
    };
  }
  const text = textOf(answer.data["content"]);
  if (text === undefined) {
    return fail("TOOL_EXECUTION_FAILED", "The client's model answered with something other than text.");
  }
  const { model } = answer.data;
  return succeed({ text, model: typeof model === "string" ? model : undefined });
}

function paramsOf({ prompt, system, tokensMax, temperature }: LlmQuestion): JsonObject {
  return {
    messages: [{ role: "user", content: { type: "text", text: prompt } }],
    maxTokens: tokensMax,
    ...(system === undefined ? {} : { systemPrompt: system }),
    ...(temperature === undefined ? {} : { temperature }),
  };
}

/** One block in the earlier versions of the protocol, one or a list of them in the later. */
function textOf(content: Json | undefined): string | undefined {
  const blocks: readonly Json[] = Array.isArray(content) ? content : content === undefined ? [] : [content];
  const texts = blocks.flatMap((block) => {
    const text = isJsonObject(block) && block["type"] === "text" ? block["text"] : undefined;
    return typeof text === "string" ? [text] : [];
  });
  return texts.length === 0 ? undefined : texts.join("");
}
