/** Each task undisturbed: call by call with the shop's own tools, as one script, and as a kept tool that is called once. */
import { isDeepStrictEqual } from "node:util";
import type { Lines } from "../lines.ts";
import { callTool, listTools, readExecute, valueOf, type Definition } from "./connection.ts";
import { searchFor, type Searched } from "./searching.ts";

import type { HashOf } from "./final-state.ts";
import { scriptOf, type DoneAction, type Script } from "./script.ts";
import type { Stand } from "./stand.ts";
import type { RetailTask } from "./task.ts";
import type { ToolCall } from "../tasks/conversation.ts";

interface Way {
  readonly calls: readonly ToolCall[];
  /** Of the database afterwards. */
  readonly hash: string;
}

/** What every other way of doing the task must come to. */
export interface Reference {
  readonly task: RetailTask;
  readonly done: readonly DoneAction[];
  readonly script: Script;
  readonly hash: string;
}

export interface Played {
  readonly reference: Reference;
  readonly direct: Way;
  /** What was searched for first, and the script. */
  readonly script: Way;
  /** What it took to keep it: counted apart. */
  readonly keeping: ToolCall;
  readonly kept: Way;
  readonly keptTool: Definition;
  readonly outputs: unknown;
  /** Whether the kept tool gave what the script gave. */
  readonly isSameResult: boolean;
}

export async function playDirect(
  stand: Stand,
  server: Lines,
  task: RetailTask,
  readOnly: ReadonlySet<string>,
  hashOf: HashOf,
): Promise<Reference> {
  const log = stand.choose(`direct-${task.id}`);
  const done: DoneAction[] = [];
  for (const action of task.actions) {
    const answer = await callTool(server, action.tool, action.args);
    done.push({ ...action, answer, readOnly: readOnly.has(action.tool) });
  }
  return { task, done, script: scriptOf(task, done), hash: hashOf(log) };
}

/** The script, then what it takes to keep it, then the kept tool on a shop of its own. */
export async function playThroughGateway(
  stand: Stand,
  searched: Searched,
  reference: Reference,
  hashOf: HashOf,
): Promise<Played> {
  const { gateway } = searched;
  const { task, script } = reference;
  const scriptLog = stand.choose(`script-${task.id}`);
  const found = await searchFor(searched, task);
  const ran = await makeCall(gateway, "execute", { code: script.code, inputs: script.inputs });
  const { draft, outputs } = requireSuccess(task, ran);
  const keep = {
    draft_name: draft,
    final_name: `shop:task_${task.id}`,
    description: "Does one task of the shop.",
  };
  const kept = await makeCall(gateway, "save_to_library", keep);
  requireSuccess(task, kept);
  const keptTool = (await listTools(gateway)).find(({ name }) => name.endsWith(`shop__task_${task.id}`));
  if (keptTool === undefined)
    throw new Error(`The tool that task ${task.id} was kept as is not in the list.`);
  const keptLog = stand.choose(`kept-${task.id}`);
  const called = await makeCall(gateway, keptTool.name, script.inputs);
  return {
    reference,
    direct: { calls: reference.done.map(asCall), hash: reference.hash },
    script: { calls: [...found, ran], hash: hashOf(scriptLog) },
    keeping: kept,
    kept: { calls: [called], hash: hashOf(keptLog) },
    keptTool,
    outputs,
    isSameResult: called.answer.isError !== true && isDeepStrictEqual(valueOf(called.answer), outputs),
  };
}

async function makeCall(lines: Lines, name: string, args: object): Promise<ToolCall> {
  return { name, args, answer: await callTool(lines, name, args) };
}

function requireSuccess({ id }: RetailTask, { name, answer }: ToolCall): ReturnType<typeof readExecute> {
  const told = readExecute(answer);
  if (told.success !== true) throw new Error(`Task ${id}: ${name} answered ${JSON.stringify(told)}`);
  return told;
}

function asCall({ tool, args, answer }: DoneAction): ToolCall {
  return { name: tool, args, answer };
}

export function readOnlyTools(tools: readonly Definition[]): ReadonlySet<string> {
  return new Set(
    tools.filter(({ annotations }) => annotations?.readOnlyHint === true).map(({ name }) => name),
  );
}
