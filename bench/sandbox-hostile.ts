/**
 * Hostile programs, one after the other, against the built gateway. While each runs, a ping goes to the gateway every 10 ms:
 * the worst round trip less the median one of a gateway at rest is its lag as a client meets it, the client's own included.
 * A bare server gets the same pings: what it lags, every process on the machine does at the time.
 */
import { setTimeout as pause } from "node:timers/promises";
import { quantile } from "./figures.ts";
import { readExecuted, type Executed, type GatewayLines, type ServerLines } from "./sandbox-gateway.ts";
import { CAN_LOOK, residentMb, viewRunners, type TreeWatch } from "./sandbox-processes.ts";
import { HOSTILE_PROGRAMS, type HostileProgram } from "./sandbox-programs.ts";

const TIMEOUT_MS = 1000;
/** The watchdog's grace, and room for a loaded machine. */
const SLACK_MS = 500;
/** Longer than all budgets together. */
const ANSWER_MS_MAX = 15_000;
const PING_EVERY_MS = 10;
const REST_MS = 500;
const REST_ROUNDS = 3;
const SHOWN_MAX = 42;
/** What the test rig calls a stall. */
const GOAL_LAG_MS = 200;

interface Row {
  readonly program: HostileProgram;
  readonly ending: string;
  readonly elapsedMs: number;
  readonly lagMs: number;
  readonly controlLagMs: number;
  readonly grownMb: number;
  readonly peakMb: number;
  readonly isContained: boolean;
}

export interface HostileParts {
  readonly gateway: GatewayLines;
  readonly control: ServerLines;
  readonly tree: TreeWatch;
}

interface HostileFigures {
  readonly programs: number;
  readonly contained: number;
  readonly worstLagMs: number;
}

export async function benchHostile(parts: HostileParts): Promise<HostileFigures> {
  const { gateway } = parts;
  await gateway.callTool("browse_components", { query: "noop" });
  await gateway.execute("return await mcp.bench.noop({})");
  const restMs = await measureRest(gateway);
  console.log(`\nHostile programs, as execute { code, timeout_ms: ${TIMEOUT_MS} } over stdio`);
  console.log(
    `  lag: the worst answer to a ping every ${PING_EVERY_MS} ms, less the median at rest (${restMs.toFixed(2)} ms); bare: the same of a bare server beside it\n` +
      "  grown: the gateway's own memory after the program less before; tree: the most that it and all its processes used at once",
  );
  if (CAN_LOOK) describeRunners(gateway);
  printRow(["case", "program", "ending", "after", "lag", "bare", "grown", "tree", ""]);
  const startMb = residentMb(gateway.pid);
  const rows: Row[] = [];
  for (const program of HOSTILE_PROGRAMS) {
    const row = await runHostile(parts, program, restMs);
    rows.push(row);
    printRow(cellsOf(row));
  }
  return summarise(gateway, rows, residentMb(gateway.pid) - startMb);
}

/** The least of a few, because something else may be busy in one of them. */
async function measureRest(gateway: GatewayLines): Promise<number> {
  const medians: number[] = [];
  for (let round = 0; round < REST_ROUNDS; round++) {
    await pause(REST_MS);
    const pings = startPings(gateway);
    await pause(REST_MS);
    medians.push(quantile(await pings.stop(), 0.5));
  }
  return Math.min(...medians);
}

async function runHostile(
  { gateway, control, tree }: HostileParts,
  program: HostileProgram,
  restMs: number,
): Promise<Row> {
  tree.takePeakMb();
  const beforeMb = residentMb(gateway.pid);
  const pings = startPings(gateway);
  const controlPings = startPings(control);
  const startedAt = performance.now();
  const line = await Promise.race([
    gateway.callTool("execute", { code: program.code, timeout_ms: TIMEOUT_MS }),
    pause(ANSWER_MS_MAX, undefined, { ref: false }),
  ]);
  const elapsedMs = performance.now() - startedAt;
  const [trips, controlTrips] = await Promise.all([pings.stop(), controlPings.stop()]);
  const ending = line === undefined ? "no answer" : endingOf(readExecuted(line));
  return {
    program,
    ending,
    elapsedMs,
    lagMs: Math.max(0, Math.max(...trips) - restMs),
    controlLagMs: Math.max(0, Math.max(...controlTrips) - restMs),
    grownMb: residentMb(gateway.pid) - beforeMb,
    peakMb: tree.takePeakMb(),
    isContained:
      program.contained.test(ending) && elapsedMs <= TIMEOUT_MS + SLACK_MS + (program.slackMs ?? 0),
  };
}

function startPings(server: ServerLines): { stop(): Promise<number[]> } {
  const trips: Promise<number>[] = [];
  const ping = async (): Promise<number> => {
    const sentAt = performance.now();
    await server.request("ping");
    return performance.now() - sentAt;
  };
  trips.push(ping());
  const timer = setInterval(() => trips.push(ping()), PING_EVERY_MS);
  return {
    async stop() {
      // A stall in the last moment is seen only by the next ping.
      await pause(2 * PING_EVERY_MS);
      clearInterval(timer);
      return Promise.all(trips);
    },
  };
}

function endingOf({ success, outputs, error }: Executed): string {
  return success ? `result ${JSON.stringify(outputs)}` : `${error?.code} ${error?.reason ?? error?.message}`;
}

async function summarise(
  gateway: GatewayLines,
  rows: readonly Row[],
  grownMb: number,
): Promise<HostileFigures> {
  const contained = rows.filter(({ isContained }) => isContained).length;
  const worst = rows.reduce((a, b) => (a.lagMs > b.lagMs ? a : b));
  const heaviest = rows.reduce((a, b) => (a.peakMb > b.peakMb ? a : b));
  const after = await gateway.execute("return await mcp.bench.noop({}) + 1");
  console.log(
    `  ${contained} of ${rows.length} contained; worst lag ${worst.lagMs.toFixed(0)} ms (${worst.program.name}; ${worst.controlLagMs.toFixed(0)} ms of a bare server then)` +
      (CAN_LOOK
        ? `; the gateway grew by ${grownMb.toFixed(0)} MB; tree at most ${heaviest.peakMb.toFixed(0)} MB (${heaviest.program.name})`
        : "") +
      `; an ordinary run afterwards ${after.outputs === 2 ? "works" : `FAILS: ${endingOf(after)}`}`,
  );
  console.log(`  goal: all contained: ${contained === rows.length ? "met" : "MISSED"}`);
  console.log(`  goal: lag at most ${GOAL_LAG_MS} ms: ${worst.lagMs <= GOAL_LAG_MS ? "met" : "MISSED"}`);
  return { programs: rows.length, contained, worstLagMs: worst.lagMs };
}

function describeRunners(gateway: GatewayLines): void {
  const runners = viewRunners(gateway.pid);
  const environmentBytes = runners.reduce((sum, runner) => sum + runner.environmentBytes, 0);
  const folders = new Set(runners.map(({ folder }) => folder));
  const fenced = runners.filter(({ hasOwnNetwork }) => hasOwnNetwork).length;
  console.log(
    `  T023, T024, from outside: ${runners.length} runners, ${environmentBytes} bytes of environment, in ${[...folders].join(", ")}, ` +
      `${fenced} with a network of their own, which is empty\n` +
      "  not here: T021 and T022, which need kept capabilities",
  );
}

function cellsOf(row: Row): string[] {
  const { program, ending, elapsedMs, lagMs, controlLagMs, grownMb, peakMb, isContained } = row;
  return [
    program.threat,
    program.name,
    ending.length > SHOWN_MAX ? `${ending.slice(0, SHOWN_MAX - 1)}…` : ending,
    `${elapsedMs.toFixed(0)} ms`,
    `${lagMs.toFixed(1)} ms`,
    `${controlLagMs.toFixed(1)} ms`,
    CAN_LOOK ? `${grownMb.toFixed(1)} MB` : "",
    CAN_LOOK ? `${peakMb.toFixed(0)} MB` : "",
    isContained ? "" : "NOT CONTAINED",
  ];
}

function printRow([threat, name, ending, after, lag, bare, grown, peak, note]: readonly string[]): void {
  const left = `${threat!.padEnd(4)} ${name!.padEnd(31)} ${ending!.padEnd(SHOWN_MAX)}`;
  const right = `${after!.padStart(8)} ${lag!.padStart(9)} ${bare!.padStart(9)} ${grown!.padStart(9)} ${peak!.padStart(7)}`;
  console.log(`  ${left} ${right} ${note}`.trimEnd());
}
