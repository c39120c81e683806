import { expect, it, vi } from "vitest";
import { toolOf } from "../../test/fixtures/tool-source.ts";
import { estimateTokens } from "../text/token-estimate.ts";
import type { ToolDefinition } from "../core/tool.ts";
import {
  createExposureChoice,
  judge,
  judgeSize,
  modelText,
  modeFor,
  type KnownTools,
  type ToolTokens,
} from "./exposure.ts";
import { ASKING_TOKENS, findingTokens } from "./finding-cost.ts";

/** One tool that has exactly so many bytes as a model gets it, in a text that no answer shows. */
function toolOfBytes(bytes: number): ToolDefinition {
  const inputSchema = { type: "object", description: "" };
  const rest = modelText({ name: "srv__t", inputSchema }).length;
  return { name: "srv__t", inputSchema: { ...inputSchema, description: "x".repeat(bytes - rest) } };
}

/** Where the estimates of both ways are equal. */
const EVEN_BYTES = Math.round(findingTokens([toolOfBytes(1_000)]) * 4.35);
const OPEN = [toolOfBytes(EVEN_BYTES)];

/** Tokens that are counted when the test says so. */
function countsOf(listed: number, answer: number) {
  const arrived = Promise.withResolvers<void>();
  const tokens: ToolTokens = {
    countOf: (tools) => arrived.promise.then(() => tools.map(() => listed / tools.length)),
    countTexts: (texts) => arrived.promise.then(() => texts.map(() => answer)),
  };
  return { tokens, arrive: arrived.resolve };
}

const never: ToolTokens = { countOf: () => expect.unreachable(), countTexts: () => expect.unreachable() };

it("weighs a tool as the API of a model gets it, without what reaches no model", () => {
  const tool = { ...toolOf("t", "Does it."), outputSchema: { type: "object" }, annotations: { title: "T" } };
  expect(modelText(tool)).toBe(
    '{"description":"Does it.","input_schema":{"properties":{},"required":[],"type":"object"},"name":"t"}',
  );
  expect(modelText({ name: "t", inputSchema: {} })).toBe('{"description":"","input_schema":{},"name":"t"}');
});

it("weighs what a server sends and what was kept of it alike, whatever the order of the keys", () => {
  const sent = { name: "t", description: "d", inputSchema: { type: "object", additionalProperties: false } };
  const kept = { inputSchema: { additionalProperties: false, type: "object" }, description: "d", name: "t" };
  expect(modelText(sent)).toBe(modelText(kept));
});

it("shows all tools while that is no dearer than finding them: just under, at and just over", async () => {
  const modes = [99, 100, 101].map((listed) => modeFor({ listed, found: 100 }));
  expect(modes).toEqual(["full", "full", "lean"]);
  for (const [listed, expected] of [
    [ASKING_TOKENS + 49, "full"],
    [ASKING_TOKENS + 50, "full"],
    [ASKING_TOKENS + 51, "lean"],
  ] as const) {
    const { tokens, arrive } = countsOf(listed, 50);
    arrive();
    expect(await judge(OPEN, tokens)).toBe(expected);
  }
  expect(
    [EVEN_BYTES - 10, EVEN_BYTES, EVEN_BYTES + 10].map((bytes) => judgeSize([toolOfBytes(bytes)]).mode),
  ).toEqual(["full", "full", "lean"]);
  expect(estimateTokens(435)).toBe(100);
});

it("decides by size alone where no count could say anything else, and counts nothing then", async () => {
  for (const [tools, mode] of [
    [[], "full"],
    [[toolOfBytes(200)], "full"],
    [[toolOfBytes(20_000)], "lean"],
    [[toolOfBytes(70_000)], "lean"],
  ] as const) {
    expect(judgeSize(tools)).toEqual({ mode, isSure: true });
    expect(await judge(tools, never)).toBe(mode);
  }
  expect(judgeSize(OPEN).isSure).toBe(false);
});

it("looks no further where a list is longer than any answer", () => {
  const unread = new Proxy(toolOf("t"), { get: () => expect.unreachable() });
  expect(judgeSize([toolOfBytes(70_000), unread])).toEqual({ mode: "lean", isSure: true });
});

it("measures bytes and not characters", () => {
  const inputSchema = (text: string) => ({ type: "object", description: text.repeat(EVEN_BYTES * 0.8) });
  expect(judgeSize([{ name: "srv__t", inputSchema: inputSchema("x") }]).mode).toBe("full");
  expect(judgeSize([{ name: "srv__t", inputSchema: inputSchema("漢") }]).mode).toBe("lean");
});

it("waits for counts only so long, and then an estimate has decided", async () => {
  const { tokens } = countsOf(10_000, 0);
  const startedAt = performance.now();
  expect(await judge(OPEN, tokens)).toBe("full");
  expect(performance.now() - startedAt).toBeGreaterThan(500);
});

/** A choice whose config and servers the test changes. */
function openChoice(tokens?: ToolTokens) {
  const config = { basis: "a" };
  const known: { now: KnownTools } = { now: { tools: [toolOfBytes(200)], isWhole: true } };
  const turned = vi.fn();
  const choice = createExposureChoice({ basis: () => config.basis, tokens, turned });
  const know = vi.fn(async () => known.now);
  return {
    config,
    known,
    turned,
    know,
    current: () => choice.current(know),
    decide: () => choice.decide(know),
  };
}

it("decides once, and stays with it when a server grows or comes late", async () => {
  const { known, know, turned, current, decide } = openChoice();
  expect(await decide()).toBe("full");
  known.now = { tools: [toolOfBytes(70_000)], isWhole: true };
  expect([await decide(), current()]).toEqual(["full", "full"]);
  const late = openChoice();
  late.known.now = { tools: [], isWhole: false };
  expect(await late.decide()).toBe("lean");
  late.known.now = { tools: [toolOfBytes(200)], isWhole: true };
  expect([await late.decide(), late.current()]).toEqual(["lean", "lean"]);
  expect([know, late.know].map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
  expect([turned, late.turned].map(({ mock }) => mock.calls.length)).toEqual([0, 0]);
});

it("stays with the estimate when the counts come later", async () => {
  const { tokens, arrive } = countsOf(10_000, 0);
  const { known, turned, current, decide } = openChoice(tokens);
  known.now = { tools: OPEN, isWhole: true };
  expect(await decide()).toBe("full");
  arrive();
  await new Promise(setImmediate);
  expect([await decide(), current(), turned.mock.calls.length]).toEqual(["full", "full", 0]);
});

it("is one decision for all who ask at the same time", async () => {
  const { tokens, arrive } = countsOf(10_000, 0);
  const { known, know, decide } = openChoice(tokens);
  known.now = { tools: OPEN, isWhole: true };
  const modes = [decide(), decide(), decide()];
  arrive();
  expect(await Promise.all(modes)).toEqual(["lean", "lean", "lean"]);
  expect(know).toHaveBeenCalledTimes(1);
});

it("decides again when a person changes the config, and tells it where that turns it", async () => {
  const { config, known, turned, current, decide } = openChoice();
  expect(current()).toBe("lean");
  expect(await decide()).toBe("full");
  config.basis = "b";
  expect(current()).toBe("full");
  await new Promise(setImmediate);
  expect([current(), turned.mock.calls.length]).toEqual(["full", 0]);
  known.now = { tools: [toolOfBytes(70_000)], isWhole: true };
  config.basis = "c";
  expect(current()).toBe("full");
  await new Promise(setImmediate);
  expect([current(), turned.mock.calls.length]).toEqual(["lean", 1]);
});

it("answers the config of now where it has changed during a decision", async () => {
  const { tokens, arrive } = countsOf(10_000, 0);
  const { config, known, decide } = openChoice(tokens);
  known.now = { tools: OPEN, isWhole: true };
  const first = decide();
  config.basis = "b";
  known.now = { tools: [], isWhole: true };
  expect(await decide()).toBe("full");
  arrive();
  expect(await first).toBe("lean");
  expect(await decide()).toBe("full");
});
