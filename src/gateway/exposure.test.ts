import { expect, it } from "vitest";
import { toolOf } from "../../test/fixtures/tool-source.ts";
import { estimateTokens } from "../core/token-estimate.ts";
import type { ToolDefinition } from "../core/tool.ts";
import {
  AUTO_TOKENS_MAX,
  createExposureChoice,
  judgeSize,
  modelText,
  modeFor,
  type ToolTokens,
} from "./exposure.ts";

/** One tool that has exactly so many bytes as a model gets it. */
function toolOfBytes(bytes: number): ToolDefinition {
  return toolOf("t", "x".repeat(bytes - modelText(toolOf("t")).length));
}

/** Counts that are known, in the store, or to be counted. */
function tokensOf(costs: { known?: number; stored?: number; counted?: number }) {
  let known = costs.known;
  let countStarted = 0;
  const waiting: (() => void)[] = [];
  const tokens: ToolTokens = {
    known: () => known,
    recall: async () => void (known ??= costs.stored),
    countOf: (tools) => {
      countStarted++;
      return new Promise((resolve) => {
        waiting.push(() => {
          known ??= costs.counted;
          resolve(tools.map(() => known!));
        });
      });
    },
  };
  return {
    tokens,
    countStarted: () => countStarted,
    async arrive() {
      for (const tell of waiting.splice(0)) tell();
      await Promise.resolve();
    },
  };
}

const never: ToolTokens = {
  known: () => expect.unreachable(),
  recall: () => expect.unreachable(),
  countOf: () => expect.unreachable(),
};

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

it("shows all tools while that is no dearer than searching: just under, at and just over", () => {
  expect([AUTO_TOKENS_MAX - 1, AUTO_TOKENS_MAX, AUTO_TOKENS_MAX + 1].map(modeFor)).toEqual([
    "full",
    "full",
    "lean",
  ]);
  expect(modeFor(0)).toBe("full");
});

it("decides by size alone below two and above eight bytes a token, and counts nothing then", async () => {
  const [few, many] = [AUTO_TOKENS_MAX * 2, AUTO_TOKENS_MAX * 8];
  expect(judgeSize([])).toEqual({ mode: "full" });
  expect(judgeSize([toolOfBytes(few - 1)])).toEqual({ mode: "full" });
  expect(judgeSize([toolOfBytes(few)])).toEqual({ mode: "full", bytes: few });
  expect(judgeSize([toolOfBytes(many)])).toEqual({ mode: "lean", bytes: many });
  expect(judgeSize([toolOfBytes(many + 1)])).toEqual({ mode: "lean" });
  const choice = createExposureChoice(never);
  for (const tools of [[], [toolOfBytes(few - 1)], [toolOfBytes(many + 1)]]) {
    expect(await choice.settle(tools)).toBe(choice.choose(tools));
  }
});

it("measures bytes and not characters, and stops where the answer is clear", () => {
  const characters = AUTO_TOKENS_MAX * 2 - 200;
  expect(judgeSize([toolOf("t", "x".repeat(characters))]).bytes).toBeUndefined();
  expect(judgeSize([toolOf("t", "漢".repeat(characters))]).bytes).toBeGreaterThan(characters * 3);
  const unread = new Proxy(toolOf("t"), { get: () => expect.unreachable() });
  expect(judgeSize([toolOfBytes(AUTO_TOKENS_MAX * 8 + 1), unread])).toEqual({ mode: "lean" });
});

it("goes by the counts where they are known, and by an estimate where nobody counts", () => {
  const small = [toolOfBytes(AUTO_TOKENS_MAX * 3)];
  expect(createExposureChoice().choose(small)).toBe("full");
  expect(createExposureChoice(tokensOf({ known: AUTO_TOKENS_MAX }).tokens).choose(small)).toBe("full");
  expect(createExposureChoice(tokensOf({ known: AUTO_TOKENS_MAX + 1 }).tokens).choose(small)).toBe("lean");
  expect(estimateTokens(435)).toBe(100);
});

it("estimates until the counts arrive, and tells when they say something else", async () => {
  const tools = [toolOfBytes(AUTO_TOKENS_MAX * 4)];
  for (const [counted, expected, turns] of [
    [AUTO_TOKENS_MAX, "full", 0],
    [AUTO_TOKENS_MAX + 1, "lean", 1],
  ] as const) {
    let turned = 0;
    const rig = tokensOf({ counted });
    const choice = createExposureChoice(rig.tokens, () => void turned++);
    expect(choice.choose(tools)).toBe("full");
    expect(await choice.settle(tools)).toBe("full");
    await rig.arrive();
    expect([choice.choose(tools), turned, rig.countStarted()]).toEqual([expected, turns, 1]);
  }
});

it("goes by what an earlier process counted before it answers, and counts nothing again", async () => {
  const tools = [toolOfBytes(AUTO_TOKENS_MAX * 4)];
  const rig = tokensOf({ stored: AUTO_TOKENS_MAX + 1 });
  const choice = createExposureChoice(rig.tokens, () => expect.unreachable());
  expect(await choice.settle(tools)).toBe("lean");
  expect(rig.countStarted()).toBe(0);
});

it("does not turn for counts of tools that are no longer there", async () => {
  const rig = tokensOf({ counted: AUTO_TOKENS_MAX + 1 });
  const choice = createExposureChoice(rig.tokens, () => expect.unreachable());
  expect(choice.choose([toolOfBytes(AUTO_TOKENS_MAX * 4)])).toBe("full");
  const none: ToolDefinition[] = [];
  expect(choice.choose(none)).toBe("full");
  await rig.arrive();
  expect(choice.choose(none)).toBe("full");
});
