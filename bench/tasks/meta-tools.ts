/** What a client makes of the answers of the meta-tools, whatever else stands in them. */
import { isDeepStrictEqual } from "node:util";
import { isJsonObject, type Json, type JsonObject } from "../../src/core/json.ts";
import type { Connection } from "./connection.ts";
import { answerTokens, textOf, tokensOf, type ToolCall, type Turn } from "./conversation.ts";
import { toolsOf, type Answer, type Task } from "./task.ts";

export interface Hit {
  readonly name: string;
  /** Empty where a hit is only named: code cannot be written from that. */
  readonly signature: string;
}

export function exposedName(server: string, tool: string): string {
  return `${server}__${tool}`;
}

export function neededBy(task: Task): string[] {
  return toolsOf(task).map(({ server, tool }) => exposedName(server, tool));
}

function hitsOf(answer: Answer): Hit[] {
  const said = structureOf(answer);
  const listOf = (key: string): JsonObject[] => {
    const list = said[key];
    return Array.isArray(list) ? list.filter(isJsonObject) : [];
  };
  const hits = [...listOf("nodes"), ...listOf("workflows")];
  return hits.map((hit) => ({
    name: words(hit["type"]) || words(hit["tool"]) || words(hit["name"]),
    signature: words(hit["signature"]),
  }));
}

function words(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

function structureOf(answer: Answer): JsonObject {
  const value = answer.structuredContent ?? (JSON.parse(textOf(answer)) as Json);
  return isJsonObject(value) ? value : {};
}

/** How the needed tools were found. */
export interface Search {
  readonly turns: readonly Turn[];
  /** Of the needed tools, how many were among the first five hits of a question of the task. */
  readonly inFirstFive: number;
  readonly needed: number;
  /** Those that no question found. */
  readonly missing: readonly string[];
}

/** How a model goes on that has not found a tool: it asks for it in other words, and knows about its name. */
const NAMED_QUERIES_MAX = 2;
const FIRST = 5;

/**
 * Asks until every needed tool is known well enough to be called: with the task's own questions, and then with the
 * words of the names that are still missing.
 */
export async function searchFor(
  task: Task,
  ask: (query: string) => Promise<{ call: ToolCall; hits: readonly Hit[] }>,
): Promise<Search> {
  const needed = neededBy(task);
  const known = new Set<string>();
  const first = new Set<string>();
  const turns: Turn[] = [];
  const missing = (): string[] => needed.filter((name) => !known.has(name));
  const own = task.queries.filter((query) => query !== undefined);
  for (let index = 0; missing().length > 0 && index < own.length + NAMED_QUERIES_MAX; index++) {
    const { call, hits } = await ask(own[index] ?? wordsOf(missing()[0]!));
    turns.push({ calls: [call] });
    for (const { name, signature } of hits) if (signature !== "") known.add(name);
    if (index < own.length) for (const { name } of hits.slice(0, FIRST)) first.add(name);
  }
  const inFirstFive = needed.filter((name) => first.has(name)).length;
  return { turns, inFirstFive, needed: needed.length, missing: missing() };
}

function wordsOf(name: string): string {
  return name.replaceAll(/[\W_]+/g, " ");
}

export async function browse(
  gateway: Connection,
  query: string,
): Promise<{ call: ToolCall; hits: readonly Hit[] }> {
  const call = await callTool(gateway, "browse_components", { query });
  return { call, hits: hitsOf(call.answer) };
}

export async function callTool(gateway: Connection, name: string, args: JsonObject): Promise<ToolCall> {
  return { name, args, answer: await gateway.call(name, args) };
}

/** The model says what the run is for, as it is asked to. */
export async function execute(gateway: Connection, task: Task, saveAs?: string): Promise<ToolCall> {
  const call = await callTool(gateway, "execute", {
    code: task.code,
    ...(task.inputs !== undefined && { inputs: task.inputs }),
    intent: task.intent,
    ...(saveAs !== undefined && { save_as: saveAs }),
  });
  if (!isDeepStrictEqual(outputsOf(call.answer), task.result)) {
    throw new Error(`execute gave ${textOf(call.answer).slice(0, 2_000)}`);
  }
  return call;
}

function outputsOf(answer: Answer): Json | undefined {
  return structureOf(answer)["outputs"];
}

/** What `save_to_library` can keep of a run. */
export function draftOf(answer: Answer): string | undefined {
  return words(structureOf(answer)["draft"]) || undefined;
}

/** What an answer of `execute` has beside the result. */
export function overheadOf(answer: Answer): number {
  return answerTokens(answer) - tokensOf(JSON.stringify(outputsOf(answer) ?? null));
}
