import { isJsonObject, type Json, type JsonObject } from "../../core/json.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import type { ClientHandle } from "../../core/tool.ts";
import type { LlmQuestion, LlmReply } from "./question.ts";
import type { TimeLimit } from "../time-limit.ts";

/** Through the client's sampling: its user sees the question and may refuse it. */
export async function askClient(
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
