import { describe, expect, onTestFinished, test } from "vitest";
import { eventually } from "../../../test/fixtures/temporary.ts";
import type { JsonObject } from "../../core/json.ts";
import { launch } from "../../process/launch.ts";
import { likelyNetworkFence } from "./runner-process.ts";
import { createRunnerPool, type Acquired, type PoolDeps, type RunnerPool } from "./runner-pool.ts";
import {
  createTestSandbox,
  isRunning,
  launchLiar,
  returned,
  valueOf,
  whenAborted,
} from "../sandbox.testkit.ts";

const PLACES = 8;
const NEVER = new AbortController().signal;
/** Fast to start: says that it is warm and waits. */
const launchStub = launchLiar('""');

function createPool(deps: Partial<PoolDeps> = {}): RunnerPool {
  const pool = createRunnerPool({ launch: launchStub, memoryMb: () => 64, ...deps });
  onTestFinished(() => pool.close());
  return pool;
}

type Held = Extract<Acquired, { kind: "runner" }>;

async function hold(pool: RunnerPool, owner = "a", level = 0): Promise<Held> {
  const acquired = await pool.acquire({ level, owner }, NEVER);
  if (acquired.kind !== "runner") throw new Error(`no runner: ${JSON.stringify(acquired)}`);
  return acquired;
}

/** Ends a run as a hostile one ends. */
function endHard(held: Held): void {
  held.runner.kill();
  held.release();
}

describe("the spare", () => {
  test("is started when it is asked for, and only once", async () => {
    const pool = createPool();
    pool.warm();
    pool.warm();
    await eventually("a runner", () => pool.pids().length === 1);
  });

  test("is there again beside each runner that is held", async () => {
    const pool = createPool();
    const { runner } = await hold(pool);
    await eventually("a spare", () => pool.pids().some((pid) => pid !== runner.pid));
  });

  test("is started again after any kill", async () => {
    const pool = createPool();
    const held = await hold(pool);
    endHard(held);
    await held.runner.gone;
    const spare = await eventually("a spare", () => pool.pids().find((pid) => pid !== held.runner.pid));
    // A warm one: it can be held.
    const next = await hold(pool);
    expect(next.runner.pid).not.toBe(held.runner.pid);
    process.kill(spare, "SIGKILL");
    next.release();
    await eventually("another spare", () => pool.pids().some((pid) => pid !== spare && isRunning(pid)));
  });
});

test("one run at a time needs one runner: a spare starts only where the run goes on", async () => {
  const pool = createPool();
  const held = await hold(pool);
  expect(pool.pids()).toEqual([held.runner.pid]);
  await eventually("a spare", () => pool.pids().length === 2);
});

test.skipIf(likelyNetworkFence().length === 0)(
  "a system that does not allow the fence is noticed by the first start, which is made again without it",
  async () => {
    const files: string[] = [];
    const fence = likelyNetworkFence()[0]!;
    const pool = createPool({
      launch(command) {
        files.push(command.file);
        return command.file === fence
          ? launch({ ...command, file: "/bin/false", args: [] })
          : launchStub(command);
      },
      findFence: () => Promise.resolve([]),
    });
    await hold(pool);
    await eventually("a spare", () => files.length === 3);
    expect(files).toEqual([fence, "/usr/bin/env", "/usr/bin/env"]);
  },
);

test.skipIf(likelyNetworkFence().length === 0)(
  "all of a burst of first runs get a runner where the fence is not allowed",
  async () => {
    const fence = likelyNetworkFence()[0]!;
    const pool = createPool({
      launch: (command) =>
        command.file === fence ? launch({ ...command, file: "/bin/false", args: [] }) : launchStub(command),
      findFence: () => Promise.resolve([]),
    });
    const held = await Promise.all(Array.from({ length: 6 }, () => hold(pool)));
    expect(new Set(held.map(({ runner }) => runner.pid)).size).toBe(6);
  },
);

describe("places", () => {
  test("are bounded at a level, and who comes later waits until one is free", async () => {
    const pool = createPool();
    const held = await Promise.all(Array.from({ length: PLACES }, () => hold(pool)));
    expect(new Set(held.map(({ runner }) => runner.pid)).size).toBe(PLACES);
    let isHeld = false;
    const ninth = hold(pool).finally(() => (isHeld = true));
    await eventually("a warm spare", () => pool.pids().length === PLACES + 1);
    expect(isHeld).toBe(false);
    endHard(held[0]!);
    await ninth;
    expect(isHeld).toBe(true);
  });

  test("are given by turns of the owners", async () => {
    const pool = createPool();
    const held = await Promise.all(Array.from({ length: PLACES }, () => hold(pool, "greedy")));
    // What is kept for those who hold none is held.
    await Promise.all([hold(pool, "modest"), hold(pool, "other")]);
    const order: string[] = [];
    const wait = async (owner: string) => {
      const got = await hold(pool, owner);
      order.push(owner);
      endHard(got);
    };
    const waiting = ["greedy", "greedy", "greedy", "modest", "greedy", "other"].map(wait);
    for (const each of held.slice(0, 3)) endHard(each);
    await Promise.all(waiting);
    expect(order).toEqual(["greedy", "modest", "other", "greedy", "greedy", "greedy"]);
  });

  test("of a deeper level are its own", async () => {
    const pool = createPool();
    await Promise.all(Array.from({ length: PLACES }, () => hold(pool)));
    await hold(pool, "a", 1);
    await hold(pool, "a", 2);
  });

  test("are given back by who no longer waits, in line or for a start", async () => {
    const pool = createPool();
    const stop = new AbortController();
    const early = Array.from({ length: PLACES + 3 }, () =>
      pool.acquire({ level: 0, owner: "a" }, stop.signal),
    );
    stop.abort();
    expect(new Set((await Promise.all(early)).map(({ kind }) => kind))).toEqual(new Set(["busy"]));
    await Promise.all(Array.from({ length: PLACES }, () => hold(pool)));
  });

  test("have a line of 256 and no more", async () => {
    const pool = createPool();
    await Promise.all(Array.from({ length: PLACES }, () => hold(pool)));
    await Promise.all([hold(pool, "b"), hold(pool, "c")]);
    const line = Array.from({ length: 256 }, (_, i) =>
      pool.acquire({ level: 0, owner: `owner ${i % 7}` }, NEVER),
    );
    // The reserve is for owners that do not wait yet.
    line.push(pool.acquire({ level: 0, owner: "late" }, NEVER));
    expect(await pool.acquire({ level: 0, owner: "owner 0" }, NEVER)).toEqual({
      kind: "busy",
      reason: expect.stringContaining("This client has used up its share"),
    });
    await pool.close();
    expect(new Set((await Promise.all(line)).map(({ kind }) => kind))).toEqual(new Set(["busy"]));
  });
});

describe("S15: one owner that takes all places", () => {
  const fill = (pool: RunnerPool, owner: string, level = 0, count = PLACES) =>
    Promise.all(Array.from({ length: count }, () => hold(pool, owner, level)));

  test("leaves two for owners that hold none, at each level", async () => {
    const pool = createPool();
    await fill(pool, "greedy");
    await Promise.all([hold(pool, "b"), hold(pool, "c")]);
    await fill(pool, "greedy", 1, 4);
    await Promise.all([hold(pool, "b", 1), hold(pool, "c", 1)]);
  });

  test("gets no place that is kept for others, however long it waits", async () => {
    const pool = createPool();
    await fill(pool, "greedy");
    const stop = new AbortController();
    const ninth = pool.acquire({ level: 0, owner: "greedy" }, stop.signal);
    await hold(pool, "b");
    stop.abort();
    expect(await ninth).toEqual({
      kind: "busy",
      reason: expect.stringMatching(/This client has used up its share of the 10 places.*it holds 8/),
    });
  });

  test("does not fill the line for others, and what comes free goes to who holds none", async () => {
    const pool = createPool();
    const held = await fill(pool, "greedy");
    const line = Array.from({ length: 300 }, () => pool.acquire({ level: 0, owner: "greedy" }, NEVER));
    await Promise.all([hold(pool, "b"), hold(pool, "c")]);
    const late = hold(pool, "late");
    endHard(held[0]!);
    await late;
    await pool.close();
    expect(new Set((await Promise.all(line)).map(({ kind }) => kind))).toEqual(new Set(["busy"]));
  });
});

describe("runners that fail", () => {
  test("to start are told to who waits, and the next one tries again", async () => {
    let isBroken = true;
    const broken = launchLiar("(() => { throw 1 })()");
    const dead: PoolDeps["launch"] = (command) => {
      if (!isBroken) return broken(command);
      return launch({ ...command, file: "/bin/sh", args: ["-c", "echo broken >&2; exit 3"] });
    };
    const pool = createPool({ launch: dead });
    expect(await pool.acquire({ level: 0, owner: "a" }, NEVER)).toEqual({
      kind: "failed",
      reason: "The sandbox does not start: broken",
    });
    isBroken = false;
    await hold(pool);
  });

  test("because the program is not there are told as well", async () => {
    const pool = createPool({
      launch: (command) => launch({ ...command, file: "/does/not/exist", args: [] }),
    });
    expect(await pool.acquire({ level: 0, owner: "a" }, NEVER)).toMatchObject({ kind: "failed" });
  });

  test("because the system refuses at once are told as well", async () => {
    const pool = createPool({
      launch: () => {
        throw new Error("spawn EMFILE");
      },
    });
    expect(await pool.acquire({ level: 0, owner: "a" }, AbortSignal.timeout(2000))).toEqual({
      kind: "failed",
      reason: expect.stringContaining("spawn EMFILE"),
    });
  });
});

describe("a runner that is being killed is not given to another run", () => {
  test("when it still has something to say", async () => {
    const chatty = launchLiar('"L info 1 1\\n".repeat(1e4)');
    const pool = createPool({ launch: chatty });
    const held = await Promise.all(Array.from({ length: PLACES }, () => hold(pool)));
    const next = Array.from({ length: PLACES }, () => hold(pool));
    const spoken = held.map(({ runner }) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      runner.listen({ frame: () => resolve(), exit: () => {} });
      runner.send("S {}");
      return promise;
    });
    await Promise.all(spoken);
    for (const each of held) endHard(each);
    const killed = new Set(held.map(({ runner }) => runner.pid));
    const got = await Promise.all(next);
    expect(got.filter(({ runner }) => killed.has(runner.pid))).toEqual([]);
  });

  test("when its memory is no longer what runs may use", async () => {
    let memoryMb = 64;
    const { run } = createTestSandbox({ memoryMb: () => memoryMb });
    const gate = Promise.withResolvers<void>();
    let calls = 0;
    const call = async () => {
      calls++;
      await gate.promise;
      return returned(1);
    };
    const first = Array.from({ length: PLACES }, () => run("return await mcp.math.sum({});", { call }));
    await eventually("8 calls", () => calls === PLACES);
    const rest = Array.from({ length: 2 * PLACES }, () => run("return 1;"));
    memoryMb = 65;
    gate.resolve();
    expect((await Promise.all([...first, ...rest])).filter(({ kind }) => kind !== "returned")).toEqual([]);
  });
});

describe("runs in the pool", () => {
  const { run } = createTestSandbox();

  test("nine that each wait for a run below them all finish", async () => {
    const call = async () => returned(valueOf(await run("return 1;", { level: 1 })));
    const outcomes = await Promise.all(
      Array.from({ length: 9 }, () => run("return await mcp.math.sum({});", { call })),
    );
    expect(outcomes.map(valueOf)).toEqual(Array(9).fill(1));
  });

  test("the wait for a place counts against the time of a run", async () => {
    const stop = new AbortController();
    let calls = 0;
    const call = (_index: number, _args: JsonObject, signal: AbortSignal) => {
      calls++;
      return whenAborted(signal);
    };
    const busy = Array.from({ length: PLACES }, () =>
      run("await mcp.math.sum({});", { call, signal: stop.signal }),
    );
    await eventually("8 calls", () => calls === PLACES);
    const startedAt = performance.now();
    const late = await run("return 1;", { timeoutMs: 400 });
    expect(late.kind).toBe("busy");
    const elapsedMs = performance.now() - startedAt;
    expect(elapsedMs).toBeGreaterThan(390);
    stop.abort();
    expect((await Promise.all(busy)).map(({ kind }) => kind)).toEqual(Array(PLACES).fill("cancelled"));
  });

  test("flooders that are cancelled do not spoil the runs that waited for their places", async () => {
    const stop = new AbortController();
    let flooding = 0;
    const flood = () => {
      let isCounted = false;
      return run(`for (;;) console.log("x".repeat(2000));`, {
        signal: stop.signal,
        onLog: () => {
          if (!isCounted) flooding++;
          isCounted = true;
        },
      });
    };
    const hostile = Array.from({ length: PLACES }, flood);
    await eventually("all floods", () => flooding === PLACES);
    const ordinary = Array.from({ length: PLACES }, () => run("return 1;"));
    stop.abort();
    expect((await Promise.all(hostile)).map(({ kind }) => kind)).toEqual(Array(PLACES).fill("cancelled"));
    expect((await Promise.all(ordinary)).map(({ kind }) => kind)).toEqual(Array(PLACES).fill("returned"));
  });

  test("S15: eight endless loops of one owner do not keep another's run from running, nor the run below it", async () => {
    const stop = new AbortController();
    let started = 0;
    const greedy = { owner: "greedy", signal: stop.signal, onStart: () => started++ };
    const loops = Array.from({ length: PLACES }, () => run("for (;;) {}", greedy));
    await eventually("all loops", () => started === PLACES);
    const call = async () => returned(valueOf(await run("return 1;", { level: 1, owner: "modest" })));
    const modest = await run("return await mcp.math.sum({});", { call, owner: "modest" });
    expect(valueOf(modest)).toBe(1);
    stop.abort();
    expect((await Promise.all(loops)).map(({ kind }) => kind)).toEqual(Array(PLACES).fill("cancelled"));
  });

  test("a pool that only ever had deep runs closes like any other", async () => {
    const deep = createTestSandbox();
    expect(valueOf(await deep.run("return 1;", { level: 3 }))).toBe(1);
    await deep.sandbox.close();
    expect(deep.sandbox.pids()).toEqual([]);
  });
});
