/**
 * What calls cost. A definition is `{name, description, input_schema}` as JSON, a call its name and its arguments as JSON, an answer
 * its text; tokens are those of o200k. `context` counts once what enters a conversation: the server's instructions, definitions,
 * calls, answers. `billed` is the input of all requests together, each with what is in the context by then: one request for each
 * call, and one more that says the result. The words of the user and of the model are the same in each way and are left out.
 */
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { textOf, type Answer, type Definition } from "./connection.ts";

/** What a model asks for, and what it is answered. */
export interface ToolCall {
  readonly name: string;
  readonly args: object;
  readonly answer: Answer;
}

export interface Cost {
  readonly context: number;
  readonly billed: number;
  readonly requests: number;
}

export function startTokens(instructions: string, definitions: readonly Definition[]): number {
  return tokensOf(instructions) + sum(definitions.map((definition) => tokensOf(definitionText(definition))));
}

export function callTokens({ name, args, answer }: ToolCall): number {
  return tokensOf(name) + tokensOf(JSON.stringify(args)) + tokensOf(textOf(answer));
}

export function costOf(start: number, calls: readonly ToolCall[]): Cost {
  let context = start;
  let billed = start;
  for (const call of calls) {
    context += callTokens(call);
    billed += context;
  }
  return { context, billed, requests: calls.length + 1 };
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function definitionText({ name, description = "", inputSchema }: Definition): string {
  return JSON.stringify({ name, description, input_schema: inputSchema });
}

/** The same definitions and answers are in many conversations. */
const counted = new Map<string, number>();

function tokensOf(text: string): number {
  const known = counted.get(text);
  if (known !== undefined) return known;
  const count = countTokens(text);
  counted.set(text, count);
  return count;
}
