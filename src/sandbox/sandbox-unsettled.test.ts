/** What a run leaves behind when it returns, by the numbers of the attacks: rejections that nothing handles and calls under way. */
import { describe, expect, test } from "vitest";
import { eventually } from "../../test/fixtures/temporary.ts";
import {
  createAttackedSandbox,
  returned,
  valueOf,
  WALL_TOLERANCE_MS,
  whenAborted,
} from "./sandbox.testkit.ts";

const { run, sandbox, timed, grownMb } = createAttackedSandbox();

describe("T013 rejections that nothing handles are told with the run", () => {
  test("T013 of detached code, before and after the return", async () => {
    const outcome = await run(`
      Promise.reject(new TypeError("at once"));
      (async () => { await null; await null; throw new RangeError("later"); })();
      return 1;`);
    expect(valueOf(outcome)).toBe(1);
    expect(outcome.unhandled.map(({ name, message }) => `${name}: ${message}`)).toEqual([
      "TypeError: at once",
      "RangeError: later",
    ]);
  });

  test("T013 but not of those that are handled later", async () => {
    const outcome = await run(
      `const p = Promise.reject(new Error("x")); await null; await p.catch(() => {}); return 1;`,
    );
    expect(outcome.unhandled).toEqual([]);
  });

  test("T013 of many, the first ten", async () => {
    const outcome = await run("for (let i = 0; i < 5000; i++) Promise.reject(i); return 1;");
    expect(valueOf(outcome)).toBe(1);
    expect(outcome.unhandled).toHaveLength(10);
  });

  test.each([
    ["a function whose text throws", "Object.assign(() => 1, { toString() { throw 1; } })"],
    [
      "a proxy that throws at everything",
      "new Proxy({}, { get() { throw 1; }, getPrototypeOf() { throw 2; } })",
    ],
    ["null", "null"],
  ])("T013 of %s", async (_, reason) => {
    const outcome = await run(`Promise.reject(${reason}); return 1;`);
    expect(valueOf(outcome)).toBe(1);
    expect(outcome.unhandled).toHaveLength(1);
  });

  test("T013 of a value that takes for ever to read, within the time of the run", async () => {
    const { outcome, tookMs } = await timed(
      "Promise.reject({ get message() { for (;;); } }); return 1;",
      400,
    );
    expect(["returned", "timeout"]).toContain(outcome.kind);
    expect(tookMs).toBeLessThanOrEqual(400 + WALL_TOLERANCE_MS);
  });
});

describe("T014 a return before the calls have settled", () => {
  test("T014 awaits those under way, drops and counts those that wait, and starts none after the end", async () => {
    const answers: (() => void)[] = [];
    let madeCount = 0;
    let hasEnded = false;
    const ended = run("for (let i = 0; i < 20; i++) mcp.math.sum({ i }); return 1;", {
      call: () => {
        madeCount++;
        expect(hasEnded).toBe(false);
        return new Promise((resolve) => void answers.push(() => resolve(returned(1))));
      },
    }).finally(() => (hasEnded = true));
    await eventually("16 calls", () => answers.length === 16);
    // The guest has returned by the time that another run has come and gone.
    await run("return 1;");
    expect(hasEnded).toBe(false);
    for (const answer of answers) answer();
    const outcome = await ended;
    expect([valueOf(outcome), outcome.callsDropped, madeCount]).toEqual([1, 4, 16]);
    await run("return 1;");
    expect(madeCount).toBe(16);
  });

  test("T014 and detached code that would call once more does not", async () => {
    let madeCount = 0;
    const outcome = await run(
      "(async () => { await mcp.math.sum({}); await mcp.math.sum({}); })(); return 1;",
      {
        call: () => Promise.resolve(returned(++madeCount)),
      },
    );
    expect(valueOf(outcome)).toBe(1);
    expect(madeCount).toBe(1);
  });

  test("T014 leaves an answer that comes at that moment to nobody: runs that follow are not disturbed", async () => {
    const kinds: string[] = [];
    const before = new Set(sandbox.pids());
    for (let i = 0; i < 30; i++)
      kinds.push((await run("mcp.math.sum({}); return 1;")).kind, (await run("return 1;")).kind);
    expect(kinds.filter((kind) => kind !== "returned")).toEqual([]);
    expect(sandbox.pids().some((pid) => before.has(pid))).toBe(true);
  });

  test.each([
    ["returned", "mcp.slow.wait({}); return 1;"],
    ["timeout", "await mcp.slow.wait({});"],
    ["timeout", "mcp.slow.wait({}); for (;;);"],
  ])("T014 a call under way at the deadline is cancelled through its signal: %s", async (kind, code) => {
    const signals: AbortSignal[] = [];
    const startedAt = performance.now();
    const outcome = await run(code, {
      timeoutMs: 400,
      call: (_index, _args, signal) => {
        signals.push(signal);
        return whenAborted(signal);
      },
    });
    expect(outcome.kind).toBe(kind);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(Math.abs(performance.now() - startedAt - 400)).toBeLessThanOrEqual(WALL_TOLERANCE_MS);
  });

  test("T014 a call that does not listen to its signal does not hold the run for ever", async () => {
    const { outcome, tookMs } = await (async () => {
      const startedAt = performance.now();
      const ended = await run("await mcp.slow.wait({});", {
        timeoutMs: 300,
        call: () => new Promise(() => {}),
      });
      return { outcome: ended, tookMs: performance.now() - startedAt };
    })();
    expect(outcome.kind).toBe("timeout");
    expect(tookMs).toBeLessThan(WALL_TOLERANCE_MS);
  });
});

test("all of these attacks have cost this process no memory to speak of", () => {
  expect(grownMb()).toBeLessThan(128);
});
