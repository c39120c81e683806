/** Background runs in real gateways: one is killed or stopped, another goes on, and no effect happens twice. */
import { describe, expect, it } from "vitest";
import { runCli } from "./fixtures/gateway-process.ts";
import { eventually } from "./fixtures/temporary.ts";
import { createCounterHome, type CounterHome } from "./rig/counter-home.ts";

/** Several starts of a gateway, on a busy machine. */
const TEST_MS_MAX = 120_000;
/** A client waits so long for a background run. */
const WAIT_MS = 60_000;

/** Four effects, one after another; `delay_ms` of the third gives time to stop a gateway meanwhile. */
const CODE = `
let sum = 0;
for (const n of [1, 2, 3, 4]) sum += (await mcp.counter.add({ n, delay_ms: n === 3 ? args.delay : 0 })).double;
return sum;`;

const request = (delay = 0) => ({ code: CODE, inputs: { delay }, background: true, timeout_ms: WAIT_MS });

const counted = (home: CounterHome) => home.effects().map(({ args }) => args.n);

describe.skipIf(process.platform === "win32")("a background run", () => {
  it("goes on in another gateway after kill -9, and repeats nothing", { timeout: TEST_MS_MAX }, async () => {
    const home = createCounterHome();
    const doomed = home.start("step.closed:2");
    const queued = await doomed.call("execute", request());
    expect(queued).toMatchObject({ success: true, status: "queued", run_id: expect.any(String) });
    expect((await doomed.ended()).signal).toBe("SIGKILL");
    expect(counted(home)).toEqual([1, 2]);
    const other = home.start();
    const done = await other.call("execute", { resume: queued!.run_id, timeout_ms: WAIT_MS });
    expect(done).toMatchObject({ success: true, outputs: 20, resumed_from: queued!.run_id });
    expect(counted(home)).toEqual([1, 2, 3, 4]);
  });

  it("is taken up by a gateway that serves already", { timeout: TEST_MS_MAX }, async () => {
    const home = createCounterHome();
    const other = home.start();
    await other.call("browse_components", {});
    const doomed = home.start("step.closed:2");
    const queued = await doomed.call("execute", request());
    const done = await other.call("execute", { resume: queued!.run_id, timeout_ms: WAIT_MS });
    expect(done).toMatchObject({ success: true, outputs: 20 });
    expect(counted(home)).toEqual([1, 2, 3, 4]);
  });

  it("is put back by SIGTERM and continues elsewhere", { timeout: TEST_MS_MAX }, async () => {
    const home = createCounterHome();
    const stopped = home.start();
    const queued = await stopped.call("execute", request(2_000));
    await eventually("the third call", () => counted(home).length === 3);
    stopped.signal("SIGTERM");
    expect((await stopped.ended()).code).toBe(143);
    const { folder } = home;
    const env = home.optionsFor().env;
    const listed = JSON.parse(runCli(["runs", "--background", "--json"], { folder, env }).stdout);
    expect(listed.runs).toMatchObject([
      { run_id: queued!.run_id, mode: "background", status: "failed", error: { reason: "interrupted" } },
    ]);
    const other = home.start();
    const done = await other.call("execute", { resume: queued!.run_id, timeout_ms: WAIT_MS });
    expect(done).toMatchObject({ success: true, outputs: 20 });
    expect(counted(home)).toEqual([1, 2, 3, 4]);
  });

  it("is given up after five crashes, and is in the inbox", { timeout: 2 * TEST_MS_MAX }, async () => {
    const home = createCounterHome();
    // A new attempt gets as far as its first call each time.
    const code = "return (await mcp.counter.get({ n: 1 })).double";
    const first = home.start("step.arriving");
    const queued = await first.call("execute", { code, background: true });
    await first.ended();
    for (let i = 1; i < 5; i++) await home.start("step.arriving").ended();
    const last = home.start();
    const end = await last.call("execute", { resume: queued!.run_id, timeout_ms: WAIT_MS });
    expect(end).toMatchObject({ success: false, error: { reason: "attempts_exhausted" } });
    expect(home.effects()).toEqual([]);
  });

  it("is queued by a command, which says that nothing serves", { timeout: TEST_MS_MAX }, async () => {
    const home = createCounterHome();
    const { folder } = home;
    const { args = [], env } = home.optionsFor();
    const run = runCli(["run", "-", "--background", ...args], { folder, env, input: "return 7" });
    expect(run).toMatchObject({ status: 0, stderr: expect.stringContaining("No gateway serves") });
    const id = run.stdout.trim();
    const done = await home.start().call("execute", { resume: id, timeout_ms: WAIT_MS });
    expect(done).toMatchObject({ success: true, outputs: 7, run_id: id });
  });
});
