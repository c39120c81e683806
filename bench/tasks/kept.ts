/** What was kept: every task's run is kept under a name, and called by it. */
import { isDeepStrictEqual } from "node:util";
import type { Connection } from "./connection.ts";
import { startTokens, textOf, type ToolCall, type Turn } from "./conversation.ts";
import type { Definition } from "./definitions.ts";
import { callTool, draftOf, execute } from "./meta-tools.ts";
import { cheaper, repeat, REPEATS, type Conversation } from "./outcome.ts";
import type { Task } from "./task.ts";

/** How many tools are kept where there are many. */
const MANY = 20;
const NAMESPACE = "tasks";

interface KeptTask {
  /** The run that kept it, and what is listed since then. */
  readonly keeping: Turn;
  readonly calling: Turn;
  readonly definition: Definition;
}

/** The kept tools of one home, in the order in which they were kept. */
export interface Kept {
  keep(task: Task): Promise<void>;
  /** Keeps runs until there are many. */
  fill(tasks: readonly Task[]): Promise<void>;
  /** A new conversation in which it is the only one that was kept. */
  alone(task: Task, start: number): Conversation | undefined;
  /** A new conversation in which it is one of many: as many as the gateway lists then. */
  ofMany(task: Task, start: number): Conversation | undefined;
  /** A model that repeats a task runs the code again, or keeps the run and calls that: whatever is cheaper. */
  repeats(task: Task, conversation: Conversation): Conversation;
}

export function createKept(gateway: Connection): Kept {
  const kept = new Map<Task, KeptTask>();
  const isKept = ({ name }: Definition): boolean => name.startsWith(`mcp__${NAMESPACE}__`);
  let count = 0;
  let many: readonly Definition[] = [];

  async function keepAs(task: Task, action: string): Promise<{ call: ToolCall; definition: Definition }> {
    const call = await execute(gateway, task, `${NAMESPACE}:${action}`);
    const listed = (await gateway.listTools()).filter(isKept);
    const definition = listed.find(({ name }) => name === `mcp__${NAMESPACE}__${action}`);
    if (definition === undefined) throw new Error(`what was kept is not listed: ${textOf(call.answer)}`);
    count += 1;
    if (count === MANY) many = listed;
    return { call, definition };
  }

  /** Keeps what the task's last run left as a draft, which is cheaper than to run it again. */
  async function saveCopy(task: Task, action: string): Promise<void> {
    const name = `${NAMESPACE}:${action}`;
    const draft = draftOf(kept.get(task)!.keeping.calls[0]!.answer);
    const { answer } =
      draft === undefined
        ? await execute(gateway, task, name)
        : await callTool(gateway, "save_to_library", {
            draft_name: draft,
            final_name: name,
            description: task.intent,
          });
    if (answer.isError === true) throw new Error(textOf(answer));
    count += 1;
    if (count === MANY) many = (await gateway.listTools()).filter(isKept);
  }

  function conversation(start: number, tools: readonly Definition[], { calling }: KeptTask): Conversation {
    return { start: start + startTokens(tools), once: [calling], repeated: repeat([calling], REPEATS) };
  }

  return {
    async keep(task) {
      const { call, definition } = await keepAs(task, task.id.replaceAll("-", "_"));
      const calling = { calls: [await callKept(gateway, task, definition.name)] };
      kept.set(task, { keeping: { calls: [call], added: [definition] }, calling, definition });
    },
    async fill(tasks) {
      for (let copy = 1; count < MANY; copy++) await saveCopy(tasks[copy % tasks.length]!, `copy_${copy}`);
    },
    alone(task, start) {
      const own = kept.get(task);
      return own && conversation(start, [own.definition], own);
    },
    ofMany(task, start) {
      const own = kept.get(task);
      if (own === undefined || many.length === 0) return undefined;
      const others = many.filter(({ name }) => name !== own.definition.name).slice(0, many.length - 1);
      return conversation(start, [own.definition, ...others], own);
    },
    repeats(task, run) {
      const own = kept.get(task);
      if (own === undefined) return run;
      const searches = run.once.slice(0, -1);
      const byName = [...searches, own.keeping, ...repeat([own.calling], REPEATS - 1)];
      return { ...run, repeated: cheaper(run.start, run.repeated, byName) };
    },
  };
}

async function callKept(gateway: Connection, task: Task, name: string): Promise<ToolCall> {
  const call = await callTool(gateway, name, task.inputs ?? {});
  const shown = textOf(call.answer);
  if (!isDeepStrictEqual(JSON.parse(shown), task.result)) throw new Error(`${name} gave ${shown}`);
  return call;
}
