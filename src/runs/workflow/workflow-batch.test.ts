import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { fail } from "../../core/result.ts";
import { retryDelayMs, sleep } from "./retry.ts";
import { createTestRuns, LIMITS, type TestRuns } from "../runs.testkit.ts";

const folder = mkdtempSync(join(tmpdir(), "repertoire-test-"));
let limits = LIMITS;
let kit: TestRuns;
let underWay = 0;
let most = 0;
/** How often tools still fail before they work. */
let failuresLeft = 0;

beforeAll(async () => {
  kit = await createTestRuns(folder, () => limits);
  const flaky = (): unknown => (failuresLeft-- > 0 ? fail("TOOL_UNAVAILABLE", "down") : "up");
  const silent = (): unknown =>
    failuresLeft-- > 0 ? fail("TOOL_TIMEOUT", "no answer", { mayHaveHappened: true }) : "heard";
  kit.addSource(
    "list",
    {
      add: (args) => args,
      backwards: async ({ n }) => {
        // The later an item, the earlier it is done.
        for (let turn = Number(n); turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
        return { n };
      },
      counted: async () => {
        most = Math.max(most, ++underWay);
        await new Promise((resolve) => setImmediate(resolve));
        underWay--;
        return {};
      },
      odd: ({ n }) => (Number(n) % 2 === 1 ? fail("TOOL_UNAVAILABLE", `no ${String(n)}`) : { n }),
      flaky,
      refuse: () => fail("SECURITY_ERROR", "not allowed"),
      invalid: () => fail("TOOL_INVALID_INPUT", "not like this"),
      send: silent,
      read: silent,
    },
    { read: { annotations: { readOnlyHint: true } } },
  );
});
afterAll(async () => {
  await kit.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  limits = LIMITS;
  underWay = 0;
  most = 0;
  failuresLeft = 0;
  kit.calls.length = 0;
});

/** One node that is called `many`, and its result as the output. */
function many(node: JsonObject, more: JsonObject = {}): JsonObject {
  return {
    ir_version: "1.0",
    outputs: { many: { source: "${many}" } },
    nodes: [{ id: "many", params: { n: "${item}" }, ...node }],
    ...more,
  };
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, n) => n);
}

describe("a batch", () => {
  it("keeps the order of its items, whichever is done first", async () => {
    const node = { type: "list__backwards", batch: { items: numbers(8), concurrency: 8 } };
    const report = await kit.executeWorkflow(many(node));
    expect(report.result).toEqual({ success: true, data: { many: numbers(8).map((n) => ({ n })) } });
    expect(report.calls[0]?.node).toBe("many[7]");
  });

  it("has no more items under way than it says", async () => {
    const node = { type: "list__counted", batch: { items: numbers(12), concurrency: 3 } };
    await kit.executeWorkflow(many(node));
    expect(kit.calls).toHaveLength(12);
    expect(most).toBe(3);
  });

  it("gives each performance its item and its number", async () => {
    const batch = { items: ["${first}", { deep: "b" }] };
    const node = {
      type: "list__add",
      params: { at: "${index}", item: "${item}", text: "${index}: ${item}" },
      batch,
    };
    const report = await kit.executeWorkflow(many(node, { inputs: { first: { type: "string" } } }), {
      inputs: { first: "a" },
    });
    expect(report.result).toEqual({
      success: true,
      data: {
        many: [
          { at: 0, item: "a", text: "0: a" },
          { at: 1, item: { deep: "b" }, text: '1: {"deep":"b"}' },
        ],
      },
    });
  });

  it("of nothing is an empty list", async () => {
    const report = await kit.executeWorkflow(many({ type: "list__add", batch: { items: [] } }));
    expect(report.result).toEqual({ success: true, data: { many: [] } });
    expect(kit.calls).toEqual([]);
  });

  it("can have 1,000 items and not one more", async () => {
    limits = { ...LIMITS, callsMax: 2_000 };
    const node = { type: "list__add", batch: { items: "${list}", concurrency: 16 } };
    const workflow = many(node, { inputs: { list: { type: "array" } } });
    const full = await kit.executeWorkflow(workflow, { inputs: { list: numbers(1_000) } });
    expect(full.result).toMatchObject({ success: true });
    expect(kit.calls).toHaveLength(1_000);
    const over = await kit.executeWorkflow(workflow, { inputs: { list: numbers(1_001) } });
    expect(over.result).toMatchObject({
      error: { code: "TOOL_INVALID_INPUT", reason: "batch_limit", node: "many" },
    });
    expect(kit.calls).toHaveLength(1_000);
  });

  it("of something that is no list fails", async () => {
    const node = { type: "list__add", batch: { items: "${list}" } };
    const report = await kit.executeWorkflow(many(node, { inputs: { list: { type: "any" } } }), {
      inputs: { list: "abc" },
    });
    expect(report.result).toMatchObject({ error: { code: "TOOL_INVALID_INPUT", node: "many" } });
  });

  it("fails with its first failure and begins no more items", async () => {
    const node = { type: "list__odd", batch: { items: numbers(10), concurrency: 1 } };
    const report = await kit.executeWorkflow(many(node));
    expect(report.result).toMatchObject({ error: { message: "no 1", node: "many" } });
    expect(report.checkpoint).toMatchObject({ completed: ["many[0]"], failed: "many[1]" });
    expect(kit.calls).toHaveLength(2);
  });

  it("has errors among its results where on_error is continue", async () => {
    const node = { type: "list__odd", batch: { items: numbers(4), on_error: "continue" } };
    const error = (n: number) => ({ error: { code: "TOOL_UNAVAILABLE", message: `no ${n}` } });
    const report = await kit.executeWorkflow(many(node));
    expect(report.result).toEqual({
      success: true,
      data: { many: [{ n: 0 }, error(1), { n: 2 }, error(3)] },
    });
  });

  it("of code runs it once for each item", async () => {
    const params = { code: "return args.n * args.n", inputs: { n: "${item}" } };
    const report = await kit.executeWorkflow(many({ type: "code", params, batch: { items: [1, 2, 3] } }));
    expect(report.result).toEqual({ success: true, data: { many: [1, 4, 9] } });
  });
});

describe("a retry", () => {
  const retry = { max: 3, delay_ms: 0, max_delay_ms: 0 };

  it("is made until it works, and each attempt is a step", async () => {
    failuresLeft = 2;
    const report = await kit.executeWorkflow(many({ type: "list__flaky", params: {}, retry }));
    expect(report.result).toEqual({ success: true, data: { many: "up" } });
    const steps = await kit.store.runs.steps(report.runId!);
    expect(steps.map(({ key, status }) => [key.slice(0, key.indexOf("@")), status])).toEqual([
      ["many", "failed"],
      ["many~2", "failed"],
      ["many~3", "succeeded"],
    ]);
  });

  it("is made as often as the node says and no more", async () => {
    failuresLeft = 100;
    const report = await kit.executeWorkflow(many({ type: "list__flaky", params: {}, retry }));
    expect(report.result).toMatchObject({ error: { code: "TOOL_UNAVAILABLE", node: "many" } });
    expect(kit.calls).toHaveLength(4);
  });

  it.each(["invalid", "refuse"])("is not made of a call that is refused: %s", async (tool) => {
    await kit.executeWorkflow(many({ type: `list__${tool}`, params: {}, retry }));
    expect(kit.calls).toHaveLength(1);
  });

  it("is not made when the budget of calls is spent", async () => {
    limits = { ...LIMITS, callsMax: 1 };
    failuresLeft = 100;
    const report = await kit.executeWorkflow(many({ type: "list__flaky", params: {}, retry }));
    expect(report.result).toMatchObject({ error: { reason: "call_limit" } });
    expect(await kit.store.runs.steps(report.runId!)).toHaveLength(2);
  });

  it("is not made of a call that may have taken effect", async () => {
    failuresLeft = 1;
    const report = await kit.executeWorkflow(many({ type: "list__send", params: {}, retry }));
    expect(report.result).toMatchObject({ success: false });
    expect(report.checkpoint?.uncertain).toMatchObject([{ name: "many", tool: "list__send" }]);
    expect(kit.calls).toHaveLength(1);
  });

  it("is made where making it twice does no harm", async () => {
    failuresLeft = 1;
    const report = await kit.executeWorkflow(many({ type: "list__read", params: {}, retry }));
    expect(report.result).toEqual({ success: true, data: { many: "heard" } });
    expect(kit.calls).toHaveLength(2);
  });

  it("of a run below goes on with it, and what it had done is not done again", async () => {
    failuresLeft = 2;
    const code = "await mcp.list.add({ once: true }); return await mcp.list.flaky();";
    const report = await kit.executeWorkflow(many({ type: "code", params: { code }, retry }));
    expect(report.result).toEqual({ success: true, data: { many: "up" } });
    expect(kit.calls.filter(({ tool }) => tool === "list__add")).toHaveLength(1);
    expect(kit.calls.filter(({ tool }) => tool === "list__flaky")).toHaveLength(3);
  });

  it("is not made where a run below made a call that may have taken effect", async () => {
    failuresLeft = 1;
    const code = "return await mcp.list.send();";
    const report = await kit.executeWorkflow(many({ type: "code", params: { code }, retry }));
    expect(report.result).toMatchObject({ success: false, error: { node: "many" } });
    expect(report.checkpoint?.uncertain).toMatchObject([{ tool: "list__send" }]);
    expect(kit.calls).toHaveLength(1);
    const resumed = await kit.resume(report.runId!, { uncertain: { result: "seen" } });
    expect(resumed.result).toEqual({ success: true, data: { many: "seen" } });
    expect(kit.calls).toHaveLength(1);
  });

  it("counts for each item of a batch", async () => {
    failuresLeft = 2;
    const node = { type: "list__flaky", params: {}, retry, batch: { items: [1, 2], concurrency: 1 } };
    const report = await kit.executeWorkflow(many(node));
    expect(report.result).toEqual({ success: true, data: { many: ["up", "up"] } });
    expect(kit.calls).toHaveLength(4);
  });
});

describe("the delay before a retry", () => {
  const retry = { max: 10, delayMs: 100, maxDelayMs: 1_000 };

  it("doubles, up to the limit", () => {
    const longest = [1, 2, 3, 4, 5, 6].map((attempt) => retryDelayMs(retry, attempt, 1));
    expect(longest).toEqual([100, 200, 400, 800, 1_000, 1_000]);
  });

  it("is anywhere in the upper half of that", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (attempt, random) => {
          const longest = retryDelayMs(retry, attempt, 1);
          const delayMs = retryDelayMs(retry, attempt, random);
          expect(delayMs).toBeGreaterThanOrEqual(longest / 2);
          expect(delayMs).toBeLessThanOrEqual(longest);
        },
      ),
    );
    expect(retryDelayMs(retry, 3, 0)).toBe(200);
  });

  it("is cut short by the signal", async () => {
    const stop = new AbortController();
    const slept = sleep(60_000, stop.signal);
    stop.abort();
    expect(await slept).toBe(false);
    expect(await sleep(60_000, stop.signal)).toBe(false);
    expect(await sleep(0, new AbortController().signal)).toBe(true);
  });
});
