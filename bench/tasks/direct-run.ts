/**
 * A task as a model does it that calls tools by itself: it makes the calls that the task's code makes. Calls that the
 * code has under way at once are one turn of the model; what it does with the answers costs nothing.
 */
import { stripTypeScriptTypes } from "node:module";
import { createContext, runInContext } from "node:vm";
import type { Json, JsonObject } from "../../src/core/json.ts";
import { unwrapAnswer } from "../../src/runs/unwrap.ts";
import type { ToolAnswer } from "../../src/core/tool.ts";
import type { ToolCall, Turn } from "./conversation.ts";
import { toolsOf, type Answer, type Task } from "./task.ts";

/** How a tool is called, and under which name the model knows it. */
export interface DirectTools {
  nameOf(server: string, tool: string): string;
  call(server: string, tool: string, args: JsonObject): Promise<Answer>;
}

export interface DirectRun {
  readonly turns: readonly Turn[];
  readonly result: Json;
}

export async function runDirectly(task: Task, tools: DirectTools): Promise<DirectRun> {
  const turns: { calls: ToolCall[] }[] = [];
  let current: { calls: ToolCall[] } | undefined;
  const call = async (server: string, tool: string, args: JsonObject): Promise<Json> => {
    if (current === undefined) {
      turns.push((current = { calls: [] }));
      setImmediate(() => (current = undefined));
    }
    const turn = current;
    const place = turn.calls.push({ name: tools.nameOf(server, tool), args, answer: { content: [] } }) - 1;
    const answer = await tools.call(server, tool, args);
    turn.calls[place] = { ...turn.calls[place]!, answer };
    const unwrapped = unwrapAnswer(answer as unknown as ToolAnswer);
    if (!unwrapped.success) throw new Error(unwrapped.error.message);
    return unwrapped.data;
  };
  const context = createContext({ mcp: callables(task, call), args: task.inputs ?? {} });
  const code = stripTypeScriptTypes(`(async () => {${task.code}\n})()`);
  const result: unknown = await runInContext(code, context);
  return { turns, result: JSON.parse(JSON.stringify(result ?? null)) as Json };
}

type Call = (server: string, tool: string, args: JsonObject) => Promise<Json>;

/** `mcp.server.tool`, with `_` for what an identifier cannot have. */
function callables(task: Task, call: Call): object {
  const servers: Record<string, Record<string, (args: JsonObject) => Promise<Json>>> = {};
  for (const { server, tool } of toolsOf(task)) {
    const own = (servers[server] ??= {});
    const plain = (args: JsonObject = {}) =>
      call(server, tool, JSON.parse(JSON.stringify(args)) as JsonObject);
    own[tool] = plain;
    own[tool.replaceAll(/\W/g, "_")] = plain;
  }
  return servers;
}
