/**
 * A task's actions as one script: what an agent writes that knows what is to be done. Literals are inputs; a user id, a product
 * and a payment method that an earlier answer holds are taken from there. It returns what is worth telling: what became of each
 * order, what was calculated, and the answers that hold what the user must be told.
 */
import { isDeepStrictEqual } from "node:util";
import { textOf } from "../tasks/conversation.ts";
import type { Answer } from "../tasks/task.ts";
import { valueOf } from "./connection.ts";
import type { Order } from "./records.ts";
import type { Action, RetailTask } from "./task.ts";

/** An action, and what came of it when the task was done undisturbed. */
export interface DoneAction extends Action {
  readonly answer: Answer;
  readonly readOnly: boolean;
}

export interface Script {
  readonly code: string;
  readonly inputs: Readonly<Record<string, unknown>>;
}

type Arg = string | readonly string[];

export function scriptOf(task: RetailTask, done: readonly DoneAction[]): Script {
  const inputs: Record<string, Arg> = {};
  const lines = done.map((action, at) => {
    const args = Object.entries(action.args).map(([key, value]) => {
      const source = sourceOf(key, value, done.slice(0, at)) ?? `args.${inputOf(inputs, key, value)}`;
      return `${key}: ${source}`;
    });
    // The shop refuses some: a good agent hears of it and goes on.
    const caught = action.answer.isError === true ? ".catch((error) => error.message)" : "";
    return `const ${nameOf(at)} = await mcp.retail.${action.tool}({ ${args.join(", ")} })${caught};`;
  });
  const returned = returnedOf(task, done).map(([at, path]) => `${nameOf(at)}${path}`);
  return { code: [...lines, `return [${returned.join(", ")}];`].join("\n"), inputs };
}

const nameOf = (at: number): string => `r${at + 1}`;

/** The same value under the same argument is one input. */
function inputOf(inputs: Record<string, Arg>, key: string, value: Arg): string {
  for (let count = 1; ; count++) {
    const name = count === 1 ? key : `${key}_${count}`;
    inputs[name] ??= value;
    if (isDeepStrictEqual(inputs[name], value)) return name;
  }
}

/** Where an earlier answer has the value. */
function sourceOf(key: string, value: Arg, before: readonly DoneAction[]): string | undefined {
  for (const [at, action] of before.entries()) {
    if (action.answer.isError === true) continue;
    const path = pathIn(action, key, value);
    if (path !== undefined) return `${nameOf(at)}${path}`;
  }
  return undefined;
}

function pathIn({ tool, answer }: DoneAction, key: string, value: Arg): string | undefined {
  if (key === "user_id" && tool.startsWith("find_user_id")) return valueOf(answer) === value ? "" : undefined;
  if (tool !== "get_order_details") return undefined;
  const { items, payment_history: paid } = valueOf(answer) as Order;
  if (key === "payment_method_id" && paid[0]?.payment_method_id === value) {
    return ".payment_history[0].payment_method_id";
  }
  const place = key === "product_id" ? items.findIndex((item) => item.product_id === value) : -1;
  return place === -1 ? undefined : `.items[${place}].product_id`;
}

/** Which answers, by place, and what of each. */
function returnedOf({ told }: RetailTask, done: readonly DoneAction[]): [number, string][] {
  const returned = done.flatMap(({ tool, readOnly, answer }, at): [number, string][] => {
    if (tool === "calculate") return [[at, ""]];
    if (readOnly) return [];
    return [[at, answer.isError !== true && tool.includes("_order_") ? ".status" : ""]];
  });
  const isReturned = (words: string) => returned.some(([at]) => textOf(done[at]!.answer).includes(words));
  for (const words of told) {
    if (isReturned(words)) continue;
    for (const at of holdersOf(words, done))
      if (!returned.some(([place]) => place === at)) returned.push([at, ""]);
  }
  const last = done.length - 1;
  return returned.length > 0 || last < 0 ? returned : [[last, ""]];
}

/** The first answer that holds the words; all details that were read where none does, because then they follow from them. */
function holdersOf(words: string, done: readonly DoneAction[]): number[] {
  const reads = done.flatMap(({ readOnly, tool, answer }, at) =>
    readOnly && tool.startsWith("get_") ? [{ at, text: textOf(answer) }] : [],
  );
  const holder = reads.find(({ text }) => text.includes(words));
  return holder === undefined ? reads.map(({ at }) => at) : [holder.at];
}
