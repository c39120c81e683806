import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import type { RunStore } from "../../core/store.ts";
import { createTestRuns, LIMITS, type TestRuns } from "../runs.testkit.ts";
import { flow, runCount } from "./workflow.testkit.ts";

const folder = mkdtempSync(join(tmpdir(), "repertoire-test-"));
let kit: TestRuns;
/** How far the clock is ahead. */
let aheadMs = 0;
/** Hears of each step that is on record before it is done. */
let opened: (tool: string) => void = () => {};

const clock = { now: () => Date.now() + aheadMs, elapsed: () => performance.now() + aheadMs };

beforeAll(async () => {
  const around = (store: RunStore): RunStore => ({
    ...store,
    openStep: async (lease, step) => {
      const isOpened = await store.openStep(lease, step);
      opened(step.tool);
      return isOpened;
    },
  });
  kit = await createTestRuns(folder, () => LIMITS, undefined, undefined, { clock, around });
  kit.addSource("mail", { send: (args) => args });
});
afterAll(async () => {
  await kit.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  opened = () => {};
  kit.calls.length = 0;
});

function sent(): unknown[] {
  return kit.calls.map(({ args }) => args);
}

describe("a wait", () => {
  const HOUR_MS = 3_600_000;
  const around = (params: JsonObject) => [
    { id: "before", type: "mail__send", params: { at: "before" } },
    { id: "pause", type: "wait", params },
    { id: "after", type: "mail__send", params: { at: "after" } },
  ];
  const edges = [
    { from: "before", to: "pause" },
    { from: "pause", to: "after" },
  ];

  it("that is short is waited for", async () => {
    const report = await kit.executeWorkflow(flow(around({ ms: 20 }), { edges }));
    expect(report.result.success).toBe(true);
    expect(report.elapsedMs).toBeGreaterThanOrEqual(19);
    expect(sent()).toEqual([{ at: "before" }, { at: "after" }]);
  });

  it("that does not fit into the run pauses it, and before its time a resume starts nothing", async () => {
    const report = await kit.executeWorkflow(flow(around({ ms: HOUR_MS }), { edges }));
    expect(report.result).toMatchObject({ error: { reason: "waiting_until", node: "pause" } });
    expect(report.checkpoint?.waiting?.until).toBeGreaterThan(clock.now() + HOUR_MS - 10_000);
    expect(await kit.store.runs.find(report.runId!)).toMatchObject({ status: "paused" });
    const before = await runCount(kit);
    const early = await kit.resume(report.runId!);
    expect(early.runId).toBe(report.runId);
    expect(early.result).toEqual(report.result);
    expect(await runCount(kit)).toBe(before);
    aheadMs += HOUR_MS;
    const late = await kit.resume(report.runId!);
    expect(late.result.success).toBe(true);
    expect(sent()).toEqual([{ at: "before" }, { at: "after" }]);
  });

  it("until a time that is over is none", async () => {
    const report = await kit.executeWorkflow(flow(around({ until: "2020-01-01T00:00:00Z" }), { edges }));
    expect(report.result.success).toBe(true);
  });

  it("that was interrupted is no longer in all", async () => {
    const stop = new AbortController();
    const waits = Promise.withResolvers<void>();
    opened = (tool) => tool === "wait" && waits.resolve();
    const run = kit.executeWorkflow(flow(around({ ms: 8_000 }), { edges }), {}, { signal: stop.signal });
    await waits.promise;
    stop.abort();
    const stopped = await run;
    expect(stopped.result).toMatchObject({ error: { code: "CANCELLED" } });
    const until = stopped.checkpoint!.waiting!.until!;
    aheadMs += 8_000;
    const resumed = await kit.resume(stopped.runId!);
    expect(resumed.result.success).toBe(true);
    expect(resumed.elapsedMs).toBeLessThan(8_000);
    expect(clock.now()).toBeGreaterThanOrEqual(until);
    expect(sent()).toEqual([{ at: "before" }, { at: "after" }]);
  });

  it.each([
    ["beyond every calendar", 1e300],
    ["of more than 30 days", 31 * 24 * HOUR_MS],
    ["of less than nothing", -1],
    ["that is no number", "soon"],
  ])("%s fails the node", async (_, ms) => {
    const inputs = { ms: { type: "any" } };
    const report = await kit.executeWorkflow(flow(around({ ms: "${ms}" }), { edges, inputs }), {
      inputs: { ms },
    });
    expect(report.result).toMatchObject({ error: { code: "TOOL_INVALID_INPUT", node: "pause" } });
  });

  it("until something that is no time fails the node", async () => {
    const inputs = { when: { type: "string" } };
    const workflow = flow(around({ until: "${when}" }), { edges, inputs });
    const report = await kit.executeWorkflow(workflow, { inputs: { when: "tomorrow" } });
    expect(report.result).toMatchObject({ error: { code: "TOOL_INVALID_INPUT", node: "pause" } });
  });
});
