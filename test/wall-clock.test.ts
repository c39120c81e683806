/** The system's time may jump: daylight saving by hand, a laptop that wakes up, NTP. Nothing that is waited for goes by it. */
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { systemClock } from "../src/core/clock.ts";
import { DEFAULT_SCOPE } from "../src/core/names.ts";
import { silentLog } from "../src/core/log.ts";
import { limitTime } from "../src/nodes/time-limit.ts";
import { createTestRuns } from "../src/runs/runs.testkit.ts";
import { createUpstreamServer } from "../src/upstream/upstream-server.ts";
import { temporaryFolder } from "./fixtures/temporary.ts";
import { evilCommand } from "./rig/evil-process.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const JUMPS = [
  ["forward", DAY_MS],
  ["back", -DAY_MS],
] as const;

// Only the date: timers and the monotonic clock go on as they are.
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: Date.now() }));
afterEach(() => void vi.useRealTimers());

const jump = (ms: number) => vi.setSystemTime(Date.now() + ms);

/** Runs over a real store and a real server's process, whose tool `slow` takes a while; `clock__jump` moves the date. */
async function open(jumpMs: number) {
  const kit = await createTestRuns(temporaryFolder());
  onTestFinished(() => kit.close());
  const upstream = createUpstreamServer(
    {
      id: "far",
      transport: { kind: "stdio", env: {}, ...evilCommand({ era: "legacy" }) },
      callTimeoutMs: 60_000,
      connectTimeoutMs: 30_000,
      idleMs: 0,
    },
    { clientInfo: { name: "t", version: "0" }, log: silentLog },
  );
  onTestFinished(() => upstream.close());
  kit.addSource("far", { slow: (args, context) => upstream.call("slow", args as never, context) });
  kit.addSource("clock", {
    jump: () => {
      jump(jumpMs);
      return "done";
    },
  });
  const steps = async (runId: string) =>
    (await kit.store.runs.steps(runId)).map(({ tool, status }) => `${tool} ${status}`);
  return { kit, steps };
}

describe.each(JUMPS)("S16: a jump of a day %s", (_, jumpMs) => {
  it(
    "during a run of code and a call of it ends neither, and no step is uncertain",
    { timeout: 60_000 },
    async () => {
      const { kit, steps } = await open(jumpMs);
      kit.addCapabilities({ "box:inner": `return await mcp.far.slow({ ms: 50 });` });
      const report = await kit.execute(`
      await Promise.all([mcp.far.slow({ ms: 300 }), mcp.clock.jump({})]);
      await mcp.far.slow({ ms: 50 });
      await mcp.box.inner({});
      return "done";
    `);
      expect(report.result).toEqual({ success: true, data: "done" });
      const told = await steps(report.runId!);
      expect(told).toHaveLength(4);
      for (const step of told) expect(step).toContain("succeeded");
    },
  );

  it("during a workflow ends none of its nodes", { timeout: 60_000 }, async () => {
    const { kit } = await open(jumpMs);
    const report = await kit.executeWorkflow({
      ir_version: "1.0",
      nodes: [
        { id: "first", type: "clock__jump", params: {} },
        { id: "pause", type: "wait", params: { ms: 20 } },
        { id: "last", type: "far__slow", params: { ms: 50 } },
      ],
    });
    expect(report.result).toMatchObject({ success: true });
    const runs = await kit.store.runs.list(DEFAULT_SCOPE, { limit: 10 });
    expect(runs.map(({ status }) => status)).toEqual(["succeeded"]);
  });

  it("leaves the time of a built-in node as it is", () => {
    const context = { traceId: "t", signal: new AbortController().signal };
    const deadlineAt = systemClock.elapsed() + 60_000;
    jump(jumpMs);
    expect(limitTime({ ...context, deadlineAt }, 60_000, "a setting").signal.aborted).toBe(false);
  });
});
