import { afterAll, expect, it } from "vitest";
import type { JsonObject } from "../core/json.ts";
import type { CallContext, ToolAnswer, ToolSource } from "../core/tool.ts";
import type { ToolResult } from "../core/result.ts";
import { describeToolSource } from "../registry/tool-source.testsuite.ts";
import { createArgumentCheck } from "../sandbox/schema/argument-check.ts";
import { createProgramSource } from "./program-source.ts";
import type { StaticTool } from "./public-gateway.ts";
import { readStaticTools } from "./static-tools.ts";

const check = createArgumentCheck();
afterAll(() => check.close());

function sourceOf(...tools: StaticTool[]): ToolSource {
  return createProgramSource(readStaticTools({ tools }), check);
}

function toolOf(call: StaticTool["call"], more: Partial<StaticTool> = {}): StaticTool {
  return { name: "t", description: "Is tested.", inputSchema: { type: "object" }, call, ...more };
}

function callOf(
  tool: StaticTool,
  args: JsonObject = {},
  context: Partial<CallContext> = {},
): Promise<ToolResult<ToolAnswer>> {
  return sourceOf(tool).call("t", args, { traceId: "x", signal: new AbortController().signal, ...context });
}

describeToolSource("the static tools of a program", async () => {
  let hasBegun = false;
  const hangs = toolOf(() => ((hasBegun = true), new Promise(() => {})), { name: "hangs" });
  return {
    source: sourceOf(
      toolOf(() => "done"),
      hangs,
    ),
    works: { tool: "t", args: {} },
    hangs: { tool: "hangs", args: {}, hasBegun: () => hasBegun },
  };
});

it.each<[string, unknown, string]>([
  ["an error", new Error("No 13 here."), "No 13 here."],
  ["an error without words", new Error(""), "t failed and did not say why."],
  ["nothing", undefined, "t failed and did not say why."],
  ["null", null, "t failed and did not say why."],
  ["a text", "broken", "broken"],
  ["a symbol", Symbol("s"), "Symbol(s)"],
  ["an object that has no words", Object.create(null), "t failed and did not say why."],
  ["an error whose message is no text", Object.assign(new Error("x"), { message: 5 }), "5"],
])("a handler that throws %s fails with what is to be said of it", async (_, thrown, message) => {
  const expected = { success: false, error: { code: "TOOL_EXECUTION_FAILED", message } };
  const now = toolOf(() => {
    // eslint-disable-next-line no-throw-literal, typescript/only-throw-error
    throw thrown;
  });
  expect(await callOf(now)).toMatchObject(expected);
  // eslint-disable-next-line prefer-promise-reject-errors, typescript/prefer-promise-reject-errors
  expect(await callOf(toolOf(() => Promise.reject(thrown)))).toMatchObject(expected);
});

it("the words of an error are cut", async () => {
  const failed = await callOf(toolOf(() => Promise.reject(new Error("x".repeat(1_000_000)))));
  expect(failed.success || failed.error.message.length).toBe(10_000);
});

const cycle: Record<string, unknown> = {};
cycle["self"] = cycle;

it.each<[string, unknown, RegExp]>([
  ["a cycle", cycle, /^What t returned is not plain JSON: JSON nests deeper than 64 levels\.$/],
  ["a BigInt", { n: 1n }, /^What t returned is not plain JSON: a bigint is not JSON data\.$/],
  ["a Map", new Map(), /^What t returned is not plain JSON: only plain objects are JSON data\.$/],
  ["10 MB", "x".repeat(10_000_000), /^What t returned is 10000002 bytes as JSON; the limit is 4194304\.$/],
])("a handler that returns %s fails, and may have done its work", async (_, value, message) => {
  expect(await callOf(toolOf(() => value))).toMatchObject({
    success: false,
    error: {
      code: "TOOL_EXECUTION_FAILED",
      message: expect.stringMatching(message),
      mayHaveHappened: true,
    },
  });
});

it("what a handler returns and is given is copied: neither changes afterwards", async () => {
  const kept = { items: [1] };
  const given = { list: [1] };
  const answer = await callOf(
    toolOf((args) => {
      (args["list"] as number[]).push(2);
      return kept;
    }),
    given,
  );
  kept.items.push(9);
  expect(given).toEqual({ list: [1] });
  expect(answer).toMatchObject({ success: true, data: { structuredContent: { items: [1] } } });
});

it("a tool that is listed does not change when the program changes what it gave", async () => {
  const tool = toolOf(() => null);
  const source = sourceOf(tool);
  (tool.inputSchema as Record<string, unknown>)["required"] = ["a"];
  const listed = await source.list({ traceId: "x", signal: new AbortController().signal });
  expect(listed).toMatchObject({ success: true, data: { tools: [{ inputSchema: { type: "object" } }] } });
  expect(listed.success && listed.data.tools[0]!.inputSchema).toEqual({ type: "object" });
});

it("a result must fit the outputSchema, whose promise code is checked against", async () => {
  const outputSchema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
  expect(await callOf(toolOf(() => ({ n: 1 }), { outputSchema }))).toMatchObject({ success: true });
  for (const [value, why] of [
    [{ n: "1" }, "n "],
    [{}, ""],
    [[1], "it must be an object"],
    [undefined, "it must be an object"],
  ] as const)
    expect(await callOf(toolOf(() => value, { outputSchema }))).toMatchObject({
      success: false,
      error: { message: expect.stringContaining(`What t returned does not fit its outputSchema: ${why}`) },
    });
});

it("a handler that takes longer than its timeoutMs is answered for, and told by its signal", async () => {
  let told: AbortSignal | undefined;
  const slow = toolOf((_, { signal }) => ((told = signal), new Promise(() => {})), { timeoutMs: 20 });
  expect(await callOf(slow)).toMatchObject({
    success: false,
    error: { code: "TOOL_TIMEOUT", retryable: false, mayHaveHappened: true },
  });
  expect(told?.aborted).toBe(true);
});

it("closing ends a call under way, which may have done its work", async () => {
  const begun = Promise.withResolvers<void>();
  const source = sourceOf(toolOf(() => (begun.resolve(), new Promise(() => {}))));
  const calling = source.call("t", {}, { traceId: "x", signal: new AbortController().signal });
  await begun.promise;
  await source.close();
  expect(await calling).toMatchObject({
    success: false,
    error: { code: "TOOL_UNAVAILABLE", mayHaveHappened: true },
  });
});

it("progress reaches the caller until the call ends; what is no progress is passed over", async () => {
  const heard: unknown[] = [];
  let later: (() => void) | undefined;
  const ending = new AbortController();
  const tool = toolOf((_, { onProgress }) => {
    const odd: unknown[] = [null, 5, "x", {}, { progress: "1" }, { progress: 1, total: 1n }, cycle];
    for (const one of odd) onProgress(one as JsonObject);
    onProgress({ progress: 1, total: 2 });
    later = () => onProgress({ progress: 2 });
    return new Promise(() => {});
  });
  const calling = callOf(tool, {}, { signal: ending.signal, onProgress: (one) => void heard.push(one) });
  await new Promise((resolve) => setImmediate(resolve));
  ending.abort();
  await calling;
  later?.();
  expect(heard).toEqual([{ progress: 1, total: 2 }]);
});

it("a tool may be an object of a class", async () => {
  class Counter implements StaticTool {
    readonly name = "t";
    readonly description = "Counts.";
    readonly inputSchema = { type: "object" };
    #count = 0;
    call(): number {
      return ++this.#count;
    }
  }
  expect(await callOf(new Counter())).toMatchObject({ success: true, data: { content: [{ text: "1" }] } });
});
