/** What a run costs, beside other ways to run the same program; all take turns in one go. */
import { quantile } from "./figures.ts";
import type { Parts } from "./sandbox-build.ts";
import { CASES, TOOLS, type SpeedCase, type ToolName } from "./sandbox-cases.ts";
import type { BenchHome, GatewayLines } from "./sandbox-gateway.ts";
import {
  IN_PROCESS,
  NEW_PROCESS,
  NEW_THREAD,
  newDenoProcess,
  openPeer,
  timed,
  type Way,
} from "./sandbox-ways.ts";

const ROUNDS = 30;
const BACK_TO_BACK_RUNS = 50;
const GOAL_SEQUENTIAL_RATIO = 3;
const GOAL_TRIVIAL_RATIO = 0.1;

const ALONE = "the sandbox alone";
const WHOLE = "execute through the gateway";
const CALLS_ONLY = "the same calls by the client, no code";

/** The p50 of each way and case; nothing where a way does not know the case. */
type Medians = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** The p50 of each way by case, in ms. */
type SpeedFigures = Readonly<Record<string, Readonly<Record<string, number>>>>;

export async function benchSpeed(
  parts: Parts,
  gateway: GatewayLines,
  home: BenchHome,
): Promise<SpeedFigures> {
  const alone = openAlone(parts);
  const ways: Way[] = [
    alone,
    { name: WHOLE, time: timed((code) => execute(gateway, code)), close: async () => {} },
    { name: CALLS_ONLY, time: (speedCase) => timeCalls(gateway, speedCase), close: async () => {} },
    IN_PROCESS,
    NEW_THREAD,
    NEW_PROCESS,
    newDenoProcess(),
    await openPeer("isolated-vm", home.rowsFile),
    await openPeer("@utcp/code-mode", home.rowsFile),
  ];
  try {
    const medians = await measure(ways);
    printMedians(ways, medians);
    await printBackToBack(alone);
    printGoals(medians);
    return Object.fromEntries([...medians].map(([way, cases]) => [way, Object.fromEntries(cases)]));
  } finally {
    for (const way of ways) await way.close();
  }
}

/** Functions in memory, and the runner that is shipped. */
function openAlone({ createSandbox, launch }: Parts): Way {
  const sandbox = createSandbox({ launch, memoryMb: () => 64 });
  const names = Object.keys(TOOLS) as ToolName[];
  const clockAt = Date.now();
  const run = async (code: string): Promise<unknown> => {
    const outcome = await sandbox.run({
      script: `(async () => {\n${code}\n})`,
      args: {},
      functions: names.map((name) => ({ namespace: "bench", name })),
      call: async (index) => ({
        kind: "returned",
        value: (await TOOLS[names[index]!]()) as never,
        at: clockAt,
      }),
      seed: "bench",
      clockAt,
      timeoutMs: 30_000,
      callsMax: 200,
      callsAtOnceMax: 16,
      signal: new AbortController().signal,
      level: 0,
      owner: "bench",
    });
    if (outcome.kind !== "returned") throw new Error(`the sandbox alone: ${JSON.stringify(outcome)}`);
    return outcome.value;
  };
  return { name: ALONE, time: timed(run), close: () => sandbox.close() };
}

async function execute(gateway: GatewayLines, code: string): Promise<unknown> {
  const { success, outputs, error } = await gateway.execute(code);
  if (!success) throw new Error(`execute: ${JSON.stringify(error)}`);
  return outputs;
}

async function timeCalls(gateway: GatewayLines, { calls }: SpeedCase): Promise<number | undefined> {
  if (calls === undefined) return undefined;
  const call = (n: number) => gateway.callTool("bench__noop", { n });
  const startedAt = performance.now();
  if (calls.atOnce) await Promise.all(Array.from({ length: calls.count }, (_, n) => call(n)));
  else for (let n = 0; n < calls.count; n++) await call(n);
  return performance.now() - startedAt;
}

async function measure(ways: readonly Way[]): Promise<Medians> {
  const samples = new Map(ways.map(({ name }) => [name, new Map<string, number[]>()]));
  for (let round = -1; round < ROUNDS; round++) {
    for (const speedCase of CASES) {
      for (const way of ways) {
        const elapsedMs = await way.time(speedCase);
        // The first round is for warming up.
        if (elapsedMs === undefined || round < 0) continue;
        const values = samples.get(way.name)!;
        values.set(speedCase.name, [...(values.get(speedCase.name) ?? []), elapsedMs]);
      }
    }
  }
  return new Map(
    [...samples].map(([way, values]) => [
      way,
      new Map([...values].map(([name, times]) => [name, quantile(times, 0.5)])),
    ]),
  );
}

function printMedians(ways: readonly Way[], medians: Medians): void {
  console.log(`\nSpeed: p50 of ${ROUNDS} rounds in ms, and how many times that of the sandbox alone`);
  console.log(
    "  the sandbox alone: bundled as the product is, with the shipped runner; its functions, and those of all below, are in memory\n" +
      "  execute: the whole way over stdio, with a real server behind it; a new thread or process: one for each run",
  );
  console.log(`  ${"".padEnd(38)}${CASES.map(({ name }) => name.padStart(16)).join("")}`);
  const base = medians.get(ALONE)!;
  for (const { name, skipped } of ways) {
    const cells = CASES.map((speedCase) => {
      const ms = medians.get(name)!.get(speedCase.name);
      if (ms === undefined) return "-".padStart(16);
      return `${showMs(ms)} ${`(${showRatio(ms / base.get(speedCase.name)!)})`.padStart(8)}`.padStart(16);
    });
    console.log(`  ${name.padEnd(38)}${skipped === undefined ? cells.join("") : `   skipped: ${skipped}`}`);
  }
}

/** In the rounds a runner has time to make its next VM; here it has none. */
async function printBackToBack(alone: Way): Promise<void> {
  const times: number[] = [];
  for (let run = 0; run < BACK_TO_BACK_RUNS; run++) times.push((await alone.time(CASES[0]!))!);
  console.log(
    `  ${ALONE}, trivial, ${BACK_TO_BACK_RUNS} back to back: p50 ${showMs(quantile(times, 0.5))} ms`,
  );
}

function showMs(ms: number): string {
  return ms.toFixed(ms < 0.1 ? 3 : ms < 10 ? 2 : 1);
}

function showRatio(ratio: number): string {
  return `${ratio.toFixed(ratio < 0.1 ? 3 : ratio < 10 ? 2 : 0)}×`;
}

function printGoals(medians: Medians): void {
  const trivial = (way: string) => medians.get(way)!.get("trivial") ?? Infinity;
  const fresh = Math.min(
    ...[NEW_THREAD, NEW_PROCESS].map(({ name }) => trivial(name)),
    trivial("a new deno process"),
  );
  const sequential = (way: string) => medians.get(way)!.get("100 in turn")!;
  printGoal(
    `a warm trivial run (${ALONE}) under 1/10 of the fastest new thread or process`,
    trivial(ALONE) / fresh,
    GOAL_TRIVIAL_RATIO,
  );
  printGoal(`the same of ${WHOLE}`, trivial(WHOLE) / fresh, GOAL_TRIVIAL_RATIO);
  printGoal(
    "100 calls in turn in code at most 3 × the same calls by the client, both through the gateway",
    sequential(WHOLE) / sequential(CALLS_ONLY),
    GOAL_SEQUENTIAL_RATIO,
  );
}

function printGoal(goal: string, ratio: number, ratioMax: number): void {
  console.log(`  goal: ${goal}: ${ratio <= ratioMax ? "met" : "MISSED"} (${ratio.toFixed(3)} ×)`);
}
