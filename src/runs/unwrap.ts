import { toolErrorIn, type ToolError } from "../core/errors.ts";
import { DATA_LIMITS, parseJson, type Json, type JsonObject } from "../core/json.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import type { ToolAnswer } from "../core/tool.ts";

/** In `_meta` of an answer whose structure holds the result under `result`, because MCP wants an object there. */
export const WRAPPED_KEY = "repertoire/wrapped";

/**
 * What a tool's answer is in code: its structured content, else its one text, as data where the text is JSON, else its
 * blocks. An answer that is an error is one here too, in the tool's own words.
 */
export function unwrapAnswer(answer: ToolAnswer): ToolResult<Json> {
  if (answer["resultType"] === "input_required") {
    return fail("TOOL_EXECUTION_FAILED", "The tool asks for input from a person, which code cannot give.", {
      hint: "Call this tool directly instead of in code.",
    });
  }
  if (answer.isError === true) return { success: false, error: errorOf(answer) };
  if (answer._meta?.[WRAPPED_KEY] === true) return succeed(answer.structuredContent?.["result"] ?? null);
  if (answer.structuredContent !== undefined) return succeed(answer.structuredContent);
  const [only, ...others] = answer.content;
  if (only?.["type"] !== "text" || others.length > 0) return succeed(answer.content);
  const text = textOf(only);
  const parsed = parseJson(text, DATA_LIMITS);
  return succeed(parsed.ok ? parsed.value : text);
}

/** In `_meta` of a capability's answer. */
export const WARNINGS_KEY = "repertoire/warnings";

/** What a capability had to say beside its result. */
export function warningsOf({ _meta }: ToolAnswer): string[] {
  const told = _meta?.[WARNINGS_KEY];
  return Array.isArray(told) ? told.filter((line) => typeof line === "string").slice(0, WARNINGS_MAX) : [];
}

const WARNINGS_MAX = 20;

/** A gateway's own failures carry their code; a server's are only words. */
function errorOf(answer: ToolAnswer): ToolError {
  const own = toolErrorIn(answer);
  if (own !== undefined) return own;
  const words = answer.content.flatMap((block) => (block["type"] === "text" ? [textOf(block)] : []));
  return fail("TOOL_EXECUTION_FAILED", words.join("\n") || "The tool failed and did not say why.").error;
}

function textOf({ text }: JsonObject): string {
  return typeof text === "string" ? text : JSON.stringify(text ?? "");
}
