/** How the first runs of a gateway compare with later ones, and where the time of a warm one goes. */
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { quantile } from "./figures.ts";
import type { Parts } from "./sandbox-build.ts";
import { openGateway, type BenchHome, type GatewayLines } from "./sandbox-gateway.ts";

const GATEWAYS = 5;
const RUNS = 100;
/** What an agent takes to read an answer and to write code, at the least. */
const THINKING_MS = 1000;
const WARM_ROUNDS = 50;

const CODE = "return 1";
const SHOWN_RUNS = [2, 10, 100];

/** The p50 of each, in ms. */
type Medians = Readonly<Record<string, number>>;

export async function benchWarmth(home: BenchHome): Promise<Medians> {
  const times = new Map<string, number[]>();
  const note = (name: string, ms: number) => times.set(name, [...(times.get(name) ?? []), ms]);
  for (let round = 0; round < GATEWAYS; round++) {
    note("the first after the start", (await timeRuns(home, 1))[0]!);
    note("the first, right after browse_components", (await timeRuns(home, 1, 0))[0]!);
    const runs = await timeRuns(home, RUNS, THINKING_MS);
    note(`the first, ${THINKING_MS} ms after browse_components`, runs[0]!);
    for (const number of SHOWN_RUNS) note(`run ${number} after that, back to back`, runs[number - 1]!);
  }
  console.log(`\nexecute { code: "${CODE}" } over stdio, in ${GATEWAYS} gateways each`);
  for (const [name, values] of times) {
    const [min, p50, max] = [0, 0.5, 1].map((q) => `${quantile(values, q).toFixed(1)} ms`.padStart(9));
    console.log(`  ${name.padEnd(46)} p50 ${p50}   min ${min}   max ${max}`);
  }
  return Object.fromEntries([...times].map(([name, values]) => [name, quantile(values, 0.5)]));
}

/** Of a new gateway; with a pause, after it was asked what there is. */
async function timeRuns(home: BenchHome, count: number, pauseMs?: number): Promise<number[]> {
  const gateway = await openGateway(home);
  try {
    if (pauseMs !== undefined) {
      await gateway.callTool("browse_components", { query: "noop" });
      await pause(pauseMs);
    }
    const times: number[] = [];
    for (let run = 0; run < count; run++) times.push(await timeExecute(gateway));
    return times;
  } finally {
    await gateway.close();
  }
}

async function timeExecute(gateway: GatewayLines): Promise<number> {
  const startedAt = performance.now();
  const { outputs } = await gateway.execute(CODE);
  if (outputs !== 1) throw new Error(`execute returned ${JSON.stringify(outputs)}`);
  return performance.now() - startedAt;
}

/** The parts of a run with a clock around each, in turn with the whole of it over stdio. */
export async function benchShares(parts: Parts, gateway: GatewayLines, folder: string): Promise<void> {
  const times = new Map<string, number[]>();
  const clocked =
    <Args extends unknown[], T>(name: string, work: (...args: Args) => Promise<T>) =>
    async (...args: Args): Promise<T> => {
      const startedAt = performance.now();
      const value = await work(...args);
      times.set(name, [...(times.get(name) ?? []), performance.now() - startedAt]);
      return value;
    };
  const clockedRuns = await openClockedRuns(parts, folder, clocked);
  const drafts = parts.createDrafts({ place: parts.createDraftFolder(join(folder, "drafts")) });
  const context = () => ({ traceId: "bench", signal: new AbortController().signal });
  const run = clocked("run", () =>
    clockedRuns.runs.execute({ kind: "code", source: CODE, inputs: {} }, context()),
  );
  const save = clocked("draft", () => drafts.save(CODE));
  const whole = clocked("whole", () => timeExecute(gateway));
  try {
    for (const warmUp of [run, save, whole]) for (let round = 0; round < 5; round++) await warmUp();
    times.clear();
    for (let round = 0; round < WARM_ROUNDS; round++) for (const work of [run, save, whole]) await work();
  } finally {
    await clockedRuns.close();
  }
  printShares((name) => quantile(times.get(name) ?? [0], 0.5));
}

type Clocked = <Args extends unknown[], T>(
  name: string,
  work: (...args: Args) => Promise<T>,
) => (...args: Args) => Promise<T>;

async function openClockedRuns(parts: Parts, folder: string, clocked: Clocked) {
  const store = await parts.openSqliteStore({ home: join(folder, "shares") });
  const analysis = parts.createCodeAnalysis();
  const types = parts.createTypeCheck();
  const sandbox = parts.createSandbox({ launch: parts.launch, memoryMb: () => 64 });
  const runs = parts.createRuns({
    store: {
      ...store.runs,
      record: clocked("record", (...args) => store.runs.record(...args)),
    },
    sandbox: { ...sandbox, run: clocked("sandbox", (guest) => sandbox.run(guest)) },
    analysis: { ...analysis, analyse: clocked("analysis", (code) => analysis.analyse(code)) },
    types,
    args: parts.createArgumentCheck(),
    directory: {
      find: unused,
      findExposed: unused,
      findCalled: unused,
      findNamespace: unused,
      respell: unused,
    },
    callTool: unused,
    nodes: [],
    findSource: unused,
    findVersion: unused,
    recordApproval: unused,
    scope: () => parts.DEFAULT_SCOPE,
    limits: () => ({ timeoutMs: 30_000, memoryMb: 64, callsMax: 200, callsAtOnceMax: 16 }),
  });
  return {
    runs,
    async close() {
      await runs.close();
      await store.close();
    },
  };
}

/** The code of this measurement calls no tool. */
function unused(): never {
  throw new Error("a trivial run looks nothing up");
}

function printShares(p50: (name: string) => number): void {
  const measured = ["analysis", "sandbox", "record"].map(p50);
  const lines: [string, number][] = [
    ["reading the code (thread)", p50("analysis")],
    ["sandbox", p50("sandbox")],
    ["store: the run with its end", p50("record")],
    ["between them", p50("run") - measured.reduce((sum, ms) => sum + ms, 0)],
    ["the rest: JSON-RPC, check of arguments, pipes", p50("whole") - p50("run")],
    ["execute over stdio", p50("whole")],
    ["the draft, behind the answer", p50("draft")],
  ];
  console.log(
    `\nWhere the time of a warm trivial execute goes (p50 of ${WARM_ROUNDS}, parts called directly, in turn)`,
  );
  for (const [name, ms] of lines) {
    const share = `${((100 * ms) / p50("whole")).toFixed(0)} %`;
    console.log(`  ${name.padEnd(46)} ${`${ms.toFixed(2)} ms`.padStart(9)} ${share.padStart(6)}`);
  }
}
