import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createShutdown } from "./shutdown.ts";
import { createTestRuns } from "./runs.testkit.ts";

const never = new AbortController().signal;
const LONG_MS = 60_000;

/** A call, and how to end it. */
function callOf() {
  const { promise, resolve } = Promise.withResolvers<string>();
  return { promise, end: () => resolve("ended") };
}

describe("draining", () => {
  it("waits for the calls under way before it tells the runs to end", async () => {
    const shutdown = createShutdown();
    const call = callOf();
    const tracked = shutdown.track(call.promise);
    const draining = shutdown.drain(LONG_MS);
    expect(shutdown.signal.aborted).toBe(false);
    call.end();
    await draining;
    expect(shutdown.signal.aborted).toBe(true);
    expect(await tracked).toBe("ended");
  });

  it("waits for a call no longer than its grace", async () => {
    const shutdown = createShutdown();
    void shutdown.track(new Promise(() => {}));
    await shutdown.drain(1);
    expect(shutdown.signal.aborted).toBe(true);
  });

  it("waits for runs to write that they ended, and for no call that started one", async () => {
    const shutdown = createShutdown();
    const order: string[] = [];
    const { promise: told, resolve } = Promise.withResolvers<void>();
    shutdown.signal.addEventListener("abort", () => resolve());
    const run = shutdown.trackRun(told.then(() => order.push("run ended")));
    await shutdown.drain(LONG_MS);
    order.push("drained");
    await run;
    expect(order).toEqual(["run ended", "drained"]);
  });

  it("passes on what a call that failed threw, and does not wait for it any more", async () => {
    const shutdown = createShutdown();
    await expect(shutdown.track(Promise.reject(new Error("broken")))).rejects.toThrow("broken");
    await shutdown.drain(LONG_MS);
    expect(shutdown.signal.aborted).toBe(true);
  });
});

describe("entering", () => {
  it("is free until the drain begins", async () => {
    expect(await createShutdown().enter(never)).toBe(true);
  });

  it("is refused after that, and not before the run has been told to end", async () => {
    const shutdown = createShutdown();
    const call = callOf();
    void shutdown.track(call.promise);
    const draining = shutdown.drain(LONG_MS);
    const order: string[] = [];
    const entering = shutdown.enter(shutdown.signal).then((may) => order.push(`enter ${may}`));
    shutdown.signal.addEventListener("abort", () => order.push("told"));
    call.end();
    await Promise.all([draining, entering]);
    expect(order).toContain("enter false");
  });

  it("is refused at once in a run that was told to end", async () => {
    expect(await createShutdown().enter(AbortSignal.abort())).toBe(false);
  });
});

describe("a run under way when the gateway drains", () => {
  const folder = mkdtempSync(join(tmpdir(), "repertoire-test-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("records the call under way, begins no other, and goes on from there in the next process", async () => {
    const [draining, next] = await Promise.all([createTestRuns(folder), createTestRuns(folder)]);
    const made: unknown[] = [];
    const reached = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    for (const kit of [draining, next]) {
      kit.addSource("notes", {
        async add({ n }) {
          made.push(n);
          if (n === 2) reached.resolve();
          if (n === 2) await answer.promise;
          return { n };
        },
      });
    }
    const running = draining.execute("for (const n of [1, 2, 3]) await mcp.notes.add({ n }); return 'done'");
    await reached.promise;
    const drained = draining.runs.drain();
    answer.resolve();
    await drained;
    const report = await running;
    expect(report.result).toMatchObject({ success: false, error: { code: "CANCELLED", reason: "stopped" } });
    expect(report.checkpoint).toMatchObject({ completed: ["notes__add", "notes__add#2"], uncertain: [] });
    expect(made).toEqual([1, 2]);
    expect((await next.resume(report.runId!)).result).toEqual({ success: true, data: "done" });
    expect(made).toEqual([1, 2, 3]);
    await Promise.all([draining.close(), next.close()]);
  });
});
