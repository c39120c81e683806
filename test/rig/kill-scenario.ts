/** Ten steps that can be killed anywhere, as code and as a workflow, and what must be true of their end. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { CounterHome, Effect } from "./counter-home.ts";

export interface KillScenario {
  readonly kind: "code" | "workflow";
  /** The arguments of `execute`. */
  readonly request: object;
  /** The effects that must have happened once each, by their number. */
  readonly numbers: readonly number[];
  /** With those that may happen again. */
  readonly effectCount: number;
  /** Throws where the result is not what an undisturbed run gives, to what the server has on disk. */
  check(outputs: unknown, effects: readonly Effect[]): void;
}

/** What the server answers: it follows from the arguments. */
export function answerOf(args: Effect["args"]): Record<string, unknown> {
  return { ...args, double: 2 * args.n };
}

/** Kept first, so that a run below is crossed. */
export const TWICE = {
  name: "tally:twice",
  inputs: { n: 100 },
  code: `
const stamp = () => ({ at: Date.now(), id: Math.random() });
const first = await mcp.counter.add({ n: args.n, ...stamp() });
const second = await mcp.counter.add({ n: first.n + 1, ...stamp() });
return { first, second };`,
};

const TEN_STEPS = `
const stamp = (n) => ({ n, at: Date.now(), id: Math.random() });
const order = [];
const one = await mcp.counter.add(stamp(1));
const two = await mcp.counter.get({ n: one.double });
const three = await mcp.counter.put({ n: two.n + 1 });
const [four, five] = await Promise.all([4, 5].map(async (n) => {
  const answer = await mcp.counter.add({ ...stamp(n), delay_ms: (6 - n) * 6 });
  order.push(n);
  return answer;
}));
const { first: six, second: seven } = await mcp.tally.twice({ n: 6 });
const eight = await mcp.counter.add({ ...stamp(8), first: order[0], delay_ms: 4 });
const nine = await mcp.counter.put({ n: 9 });
const ten = await mcp.counter.add(stamp(10));
return { added: [one, four, five, six, seven, eight, ten], others: [two, three, nine], order, end: stamp(0) };`;

interface CodeOutputs {
  readonly added: readonly { readonly n: number; readonly at: number; readonly id: number }[];
  readonly others: unknown;
  readonly order: readonly number[];
  readonly end: { readonly at: number; readonly id: number };
}

export const CODE: KillScenario = {
  kind: "code",
  request: { code: TEN_STEPS },
  numbers: [1, 4, 5, 6, 7, 8, 10],
  effectCount: 10,
  check(outputs, effects) {
    const { added, others, order, end } = outputs as CodeOutputs;
    expect(added).toEqual(CODE.numbers.map((n) => expectedAnswer(n, effects)));
    expect(others).toEqual([2, 3, 9].map((n) => answerOf({ n })));
    expect(order.toSorted((a, b) => a - b)).toEqual([4, 5]);
    expect(added[5]).toMatchObject({ first: order[0] });
    // One clock and one randomness, as if nothing had happened.
    const times = [...added, end].map(({ at }) => at);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(new Set([...added, end].map(({ id }) => id)).size).toBe(added.length + 1);
  },
};

const FLOW = {
  ir_version: "1.0",
  inputs: {},
  nodes: [
    { id: "first", type: "counter__add", params: { n: 1 } },
    { id: "second", type: "counter__add", params: { n: 2, after: "${first.double}", delay_ms: 4 } },
    { id: "left", type: "counter__add", params: { n: 3, after: "${second.double}", delay_ms: 6 } },
    { id: "right", type: "counter__add", params: { n: 4, after: "${second.double}", delay_ms: 12 } },
    {
      id: "many",
      type: "counter__add",
      params: { n: "${item}", after: ["${left.n}", "${right.n}"], delay_ms: 4 },
      batch: { items: [5, 6, 7], concurrency: 2 },
    },
    { id: "look", type: "counter__get", params: { n: "${many[0].double}" } },
    {
      id: "inner",
      type: "code",
      params: {
        code: `const own = await mcp.counter.add({ n: 8, at: Date.now(), id: Math.random(), after: args.many.length });
return { own, put: await mcp.counter.put({ n: own.double }) };`,
        inputs: { many: "${many}" },
      },
    },
    { id: "kept", type: "mcp__tally__twice", params: { n: 9 } },
    { id: "last", type: "counter__put", params: { n: 11, after: "${kept.second.n}" } },
  ],
  outputs: {
    first: { source: "${first}" },
    second: { source: "${second}" },
    left: { source: "${left}" },
    right: { source: "${right}" },
    many: { source: "${many}" },
    look: { source: "${look}" },
    inner: { source: "${inner}" },
    kept: { source: "${kept}" },
    last: { source: "${last}" },
  },
  edges: [{ from: "inner", to: "kept" }],
};

export const WORKFLOW: KillScenario = {
  kind: "workflow",
  request: { name: "ten-steps" },
  numbers: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
  effectCount: 13,
  check(outputs, effects) {
    const added = (n: number) => expectedAnswer(n, effects);
    expect(outputs).toEqual({
      first: added(1),
      second: { ...added(2), after: 2 },
      left: { ...added(3), after: 4 },
      right: { ...added(4), after: 4 },
      many: [5, 6, 7].map((n) => ({ ...added(n), after: [3, 4] })),
      look: answerOf({ n: 10 }),
      inner: { own: { ...added(8), after: 3 }, put: answerOf({ n: 16 }) },
      kept: { first: added(9), second: added(10) },
      last: { n: 11, after: 10, double: 22 },
    });
  },
};

/** A person is asked between two effects. */
export const APPROVED: KillScenario = {
  kind: "workflow",
  request: { name: "approved" },
  numbers: [1, 2],
  effectCount: 2,
  check(outputs, effects) {
    expect(outputs).toEqual({ last: expectedAnswer(2, effects) });
  },
};

const APPROVED_FLOW = {
  ir_version: "1.0",
  inputs: {},
  nodes: [
    { id: "first", type: "counter__add", params: { n: 1 } },
    { id: "asked", type: "approve", params: { message: "Go on after ${first.n}?" } },
    { id: "last", type: "counter__add", params: { n: 2, approved: "${asked.approved}" } },
  ],
  outputs: { last: { source: "${last}" } },
};

const SLOW_FLOW = {
  ir_version: "1.0",
  inputs: { delay_ms: { type: "integer" } },
  nodes: [
    { id: "first", type: "counter__add", params: { n: 1, delay_ms: "${delay_ms}" } },
    { id: "last", type: "counter__add", params: { n: "${first.double}" } },
  ],
  outputs: { last: { source: "${last}" } },
};

export function writeDrafts({ home }: CounterHome): void {
  mkdirSync(join(home, "drafts"), { recursive: true, mode: 0o700 });
  writeFileSync(join(home, "drafts/ten-steps.json"), JSON.stringify(FLOW));
  writeFileSync(join(home, "drafts/approved.json"), JSON.stringify(APPROVED_FLOW));
  writeFileSync(join(home, "drafts/slow.json"), JSON.stringify(SLOW_FLOW));
}

/** What was answered to the effect of a number, as the disk says that it happened. */
function expectedAnswer(n: number, effects: readonly Effect[]): Record<string, unknown> {
  const effect = effects.find(({ tool, args }) => tool === "add" && args.n === n);
  return answerOf(effect?.args ?? { n: Number.NaN });
}
