/**
 * What a conversation costs. These are the rules of every figure of the task bench:
 *
 * - A tool's definition is `{name, description, input_schema}` as JSON, under the name that its server lists, without
 *   a prefix of the client; a server's instructions are their text.
 * - A call of the model is the tool's name and its arguments as JSON.
 * - An answer is its text content, as most clients show it; `contextBoth` is for clients that show the structured
 *   content too.
 * - `context` counts once whatever enters the model's context: definitions, instructions, calls, answers. The user's
 *   words and the model's last words are the same in every mode and are not counted.
 * - `billed` is the input of all requests together: each request has what is in the context by then. Calls of one turn
 *   are one request, and one more request says the result.
 *
 * Tokens are those of o200k.
 */
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import type { Definition } from "./definitions.ts";
import type { Answer } from "./task.ts";

export interface ToolCall {
  readonly name: string;
  readonly args: object;
  readonly answer: Answer;
}

/** What a model asks for at once, and what it is answered. */
export interface Turn {
  readonly calls: readonly ToolCall[];
  /** Definitions that the client adds after the answers. */
  readonly added?: readonly Definition[];
}

export interface Figures {
  readonly context: number;
  readonly contextBoth: number;
  readonly billed: number;
  readonly requests: number;
}

/** `start` is what is in the context before the user says anything. */
export function countConversation(start: number, turns: readonly Turn[]): Figures {
  let context = start;
  let contextBoth = start;
  let billed = start;
  for (const { calls, added = [] } of turns) {
    const later = sum(added.map(definitionTokens));
    const asked = sum(calls.map(callTokens));
    context += asked + later + sum(calls.map(({ answer }) => answerTokens(answer)));
    contextBoth += asked + later + sum(calls.map(({ answer }) => answerTokens(answer, true)));
    billed += context;
  }
  return { context, contextBoth, billed, requests: turns.length + 1 };
}

export function startTokens(tools: readonly Definition[], instructions = ""): number {
  return tokensOf(instructions) + sum(tools.map(definitionTokens));
}

export function definitionText({ name, description = "", inputSchema }: Definition): string {
  return JSON.stringify({ name, description, input_schema: inputSchema });
}

function definitionTokens(tool: Definition): number {
  return tokensOf(definitionText(tool));
}

export function callTokens({ name, args }: Pick<ToolCall, "name" | "args">): number {
  return tokensOf(name) + tokensOf(JSON.stringify(args));
}

export function textOf({ content }: Answer): string {
  return content.map((block) => block.text ?? JSON.stringify(block)).join("\n");
}

export function answerTokens(answer: Answer, withStructure = false): number {
  const { structuredContent } = answer;
  const structure =
    withStructure && structuredContent !== undefined ? tokensOf(JSON.stringify(structuredContent)) : 0;
  return tokensOf(textOf(answer)) + structure;
}

/** The same definitions are in hundreds of conversations. */
const counted = new Map<string, number>();

export function tokensOf(text: string): number {
  const known = counted.get(text);
  if (known !== undefined) return known;
  const count = countTokens(text);
  counted.set(text, count);
  return count;
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
