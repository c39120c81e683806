/** A sandbox for tests, with defaults for everything that a test is not about. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { eventually } from "../../test/fixtures/temporary.ts";
import type { Json, JsonObject } from "../core/json.ts";
import { launch } from "../process/launch.ts";
import type { LaunchChild } from "./runner/runner-process.ts";
import { createSandbox, type CallReply, type GuestOutcome, type GuestRun, type Sandbox } from "./sandbox.ts";

export const CLOCK_AT = Date.UTC(2026, 0, 2, 3, 4, 5);
/** How far from its deadline a run may end, on any machine; `npm run bench:sandbox` has the figures. */
export const WALL_TOLERANCE_MS = 40_000;

export interface TestSandbox {
  readonly sandbox: Sandbox;
  /** Runs the body of an async function. `math.sum` answers 15; `slow.wait` answers when it is cancelled. */
  readonly run: (code: string, options?: Partial<GuestRun>) => Promise<GuestOutcome>;
  /** The process of each run so far, in the order in which they started. */
  readonly servedBy: readonly number[];
}

export interface TestSandboxDeps {
  readonly launch?: LaunchChild;
  readonly memoryMb?: () => number;
}

export function createTestSandbox(deps: TestSandboxDeps = {}): TestSandbox {
  const servedBy: number[] = [];
  const sandbox = createSandbox({
    launch: noteStarts(deps.launch ?? launch, servedBy),
    memoryMb: deps.memoryMb ?? (() => 64),
  });
  afterAll(() => sandbox.close());
  return { sandbox, servedBy, run: (code, options = {}) => sandbox.run(guestRun(code, options)) };
}

export interface AttackedSandbox extends TestSandbox {
  /** What the code saw, which must not be anything of the host. */
  readonly seen: (code: string) => Promise<unknown>;
  readonly timed: (code: string, timeoutMs: number) => Promise<{ outcome: GuestOutcome; tookMs: number }>;
  /** By how much this process has grown since before the first attack. */
  readonly grownMb: () => number;
}

/** A sandbox for attacks. After each, an ordinary run must work. */
export function createAttackedSandbox(): AttackedSandbox {
  const tested = createTestSandbox();
  const { run, sandbox } = tested;
  let residentAtStart = 0;
  beforeAll(async () => {
    // A spare starts where a run goes on.
    const spare = Promise.withResolvers<CallReply>();
    const first = run("return await mcp.math.sum({});", { call: () => spare.promise });
    await eventually("a spare", () => sandbox.pids().length >= 2 && sandbox.pids().every(hasBegun));
    spare.resolve(returned(15));
    expect(valueOf(await first)).toBe(15);
    residentAtStart = process.memoryUsage().rss;
  });
  afterEach(async () => {
    expect(valueOf(await run("return [1 + 1, await mcp.math.sum({})];"))).toEqual([2, 15]);
  });
  return {
    ...tested,
    grownMb: () => (process.memoryUsage().rss - residentAtStart) / 2 ** 20,
    async seen(code) {
      const outcome = await run(code);
      return outcome.kind === "threw"
        ? `${outcome.thrown.name}: ${outcome.thrown.message}`
        : valueOf(outcome);
    },
    async timed(code, timeoutMs) {
      const startedAt = performance.now();
      const outcome = await run(code, { timeoutMs });
      return { outcome, tookMs: performance.now() - startedAt };
    },
  };
}

/** Whether the programs that start a runner have made room for it. */
function hasBegun(pid: number): boolean {
  if (process.platform !== "linux") return true;
  return readFileSync(`/proc/${pid}/cmdline`, "utf8").startsWith(`${process.execPath}\0--permission\0`);
}

export function guestRun(code: string, options: Partial<GuestRun> = {}): GuestRun {
  return {
    script: `(async () => {\n${code}\n})`,
    args: {},
    functions: [
      { namespace: "math", name: "sum" },
      { namespace: "slow", name: "wait" },
    ],
    call: (index, _args, signal) => (index === 0 ? Promise.resolve(returned(15)) : whenAborted(signal)),
    seed: "seed",
    clockAt: CLOCK_AT,
    timeoutMs: 10_000,
    callsMax: 200,
    callsAtOnceMax: 16,
    signal: new AbortController().signal,
    level: 0,
    owner: "test",
    ...options,
  };
}

/** What a run returned; how else it ended fails the test. */
export function valueOf(outcome: GuestOutcome): Json {
  if (outcome.kind !== "returned") throw new Error(`the run did not return: ${JSON.stringify(outcome)}`);
  return outcome.value;
}

export function returned(value: Json | undefined, at = CLOCK_AT): CallReply {
  return { kind: "returned", value, at };
}

export function failed(error: JsonObject, at = CLOCK_AT): CallReply {
  return { kind: "failed", error, at };
}

export function whenAborted(signal: AbortSignal): Promise<CallReply> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(returned(0));
    signal.addEventListener("abort", () => resolve(returned(0)), { once: true });
  });
}

/** Starts a program that speaks in place of the runner: it is warm, and answers a start with the value of this expression. */
export function launchLiar(answer: string): LaunchChild {
  const program = `process.stdout.write("W\\n"); process.stdin.on("data", () => process.stdout.write(${answer}));`;
  return ({ cwd }) =>
    spawn(process.execPath, ["-e", program], { cwd, env: {}, stdio: "pipe", detached: true });
}

/** True while a process with this id runs; one that ended and was not waited for counts as ended. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function noteStarts(start: LaunchChild, servedBy: number[]): LaunchChild {
  return (command) => {
    const child = start(command);
    const { stdin, pid } = child;
    if (stdin === null || pid === undefined) return child;
    const write = stdin.write.bind(stdin) as (chunk: string) => boolean;
    stdin.write = ((chunk: string) => {
      if (chunk.startsWith("S ")) servedBy.push(pid);
      return write(chunk);
    }) as typeof stdin.write;
    return child;
  };
}
