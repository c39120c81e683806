import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createDeparture } from "./departure.ts";
import { createTestRuns } from "./runs.testkit.ts";

const never = new AbortController().signal;
const LONG_MS = 60_000;

/** A call, and how to end it. */
function callOf() {
  const { promise, resolve } = Promise.withResolvers<string>();
  return { promise, end: () => resolve("ended") };
}

describe("leaving", () => {
  it("waits for the calls under way before it tells the runs to end", async () => {
    const departure = createDeparture();
    const call = callOf();
    const tracked = departure.track(call.promise);
    const leaving = departure.leave(LONG_MS);
    expect(departure.isLeaving).toBe(true);
    expect(departure.signal.aborted).toBe(false);
    call.end();
    await leaving;
    expect(departure.signal.aborted).toBe(true);
    expect(await tracked).toBe("ended");
  });

  it("waits for a call no longer than its grace", async () => {
    const departure = createDeparture();
    void departure.track(new Promise(() => {}));
    await departure.leave(1);
    expect(departure.signal.aborted).toBe(true);
  });

  it("waits for runs to write that they ended, and for no call that started one", async () => {
    const departure = createDeparture();
    const order: string[] = [];
    const { promise: told, resolve } = Promise.withResolvers<void>();
    departure.signal.addEventListener("abort", () => resolve());
    const run = departure.trackRun(told.then(() => order.push("run ended")));
    await departure.leave(LONG_MS);
    order.push("left");
    await run;
    expect(order).toEqual(["run ended", "left"]);
  });

  it("passes on what a call that failed threw, and does not wait for it any more", async () => {
    const departure = createDeparture();
    await expect(departure.track(Promise.reject(new Error("broken")))).rejects.toThrow("broken");
    await departure.leave(LONG_MS);
    expect(departure.signal.aborted).toBe(true);
  });
});

describe("entering", () => {
  it("is free until somebody leaves", async () => {
    expect(await createDeparture().enter(never)).toBe(true);
  });

  it("is refused after that, and not before the run has been told to end", async () => {
    const departure = createDeparture();
    const call = callOf();
    void departure.track(call.promise);
    const leaving = departure.leave(LONG_MS);
    const order: string[] = [];
    const entering = departure.enter(departure.signal).then((may) => order.push(`enter ${may}`));
    departure.signal.addEventListener("abort", () => order.push("told"));
    call.end();
    await Promise.all([leaving, entering]);
    expect(order).toContain("enter false");
  });

  it("is refused at once in a run that was told to end", async () => {
    expect(await createDeparture().enter(AbortSignal.abort())).toBe(false);
  });
});

describe("a run under way when the gateway leaves", () => {
  const folder = mkdtempSync(join(tmpdir(), "repertoire-test-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("records the call under way, begins no other, and goes on from there in the next process", async () => {
    const [leaving, next] = await Promise.all([createTestRuns(folder), createTestRuns(folder)]);
    const made: unknown[] = [];
    const reached = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    for (const kit of [leaving, next]) {
      kit.addSource("notes", {
        async add({ n }) {
          made.push(n);
          if (n === 2) reached.resolve();
          if (n === 2) await answer.promise;
          return { n };
        },
      });
    }
    const running = leaving.execute("for (const n of [1, 2, 3]) await mcp.notes.add({ n }); return 'done'");
    await reached.promise;
    const left = leaving.runs.leave();
    answer.resolve();
    await left;
    const report = await running;
    expect(report.result).toMatchObject({ success: false, error: { code: "CANCELLED", reason: "stopped" } });
    expect(report.checkpoint).toMatchObject({ completed: ["notes__add", "notes__add#2"], uncertain: [] });
    expect(made).toEqual([1, 2]);
    expect((await next.resume(report.runId!)).result).toEqual({ success: true, data: "done" });
    expect(made).toEqual([1, 2, 3]);
    await Promise.all([leaving.close(), next.close()]);
  });
});
