/** One client: its calls one after another and 32 under way, through the gateway and in other ways, taking turns. */
import { readFileSync } from "node:fs";
import type { Crowd, CrowdProcess, Target } from "./http-crowd.ts";
import { ECHO_SERVER, ofBare, ofGateway, ofHub, type RunningServer } from "./http-servers.ts";
import { addMeasured, emptyFigures, p50, perSecond, printGoal, printHttpFigures } from "./http-table.ts";
import type { HttpFigures } from "./http-table.ts";
import { CAN_LOOK } from "./sandbox-processes.ts";

const ROUNDS = 10;
const CALLS_ONE_BY_ONE = 300;
const CALLS_TOGETHER = 1_500;
const TOGETHER = 32;
/** Until the compilers of all sides have settled. */
const WARM_UP_CALLS = 3_000;
/** Of Linux, wherever Node runs. */
const TICK_MICROS = 10_000;

const HUB = "mcp-hub 4.2.1";
const OURS = ["repertoire, legacy session", "repertoire, modern"] as const;

export interface HttpServers {
  readonly gateway: RunningServer;
  readonly hub: RunningServer | undefined;
  readonly first: RunningServer;
  readonly second: RunningServer;
}

export interface Candidate {
  readonly name: string;
  readonly target: Target;
  /** Whose processor time is counted. */
  readonly pid?: number;
}

export async function benchCalls(crowds: CrowdProcess, servers: HttpServers) {
  const candidates = candidatesOf(servers);
  const { oneByOne, together } = await measureAll(crowds, candidates);
  const alone = printHttpFigures("A tool call, HTTP → stdio, one after another", oneByOne);
  if (servers.hub === undefined) {
    console.log("  mcp-hub: skipped, not installed; REPERTOIRE_BENCH_PEERS names the folder where it is");
  } else {
    compare("p50 below the faster way of mcp-hub", oneByOne, p50, "ms", (ours, hub) => ours < hub);
  }
  const crowded = printHttpFigures(`The same, ${TOGETHER} under way`, together);
  if (servers.hub !== undefined) {
    const isMet = (ours: number, hub: number): boolean => ours >= hub;
    compare("calls/s of the faster way of mcp-hub", together, perSecond, "/s", isMet);
  }
  return { oneByOne: alone, together: crowded };
}

function candidatesOf({ gateway, hub, first, second }: HttpServers): Candidate[] {
  const behindHub = (name: string, way: "hub_rest" | "hub_sse"): Candidate[] =>
    hub === undefined ? [] : [{ name: `${HUB}, ${name}`, target: ofHub(hub, way), pid: hub.pid }];
  return [
    { name: OURS[0], target: ofGateway(gateway, "legacy"), pid: gateway.pid },
    { name: OURS[1], target: ofGateway(gateway, "modern"), pid: gateway.pid },
    ...behindHub("its REST API", "hub_rest"),
    ...behindHub("MCP over SSE", "hub_sse"),
    { name: "bare SDK 1, legacy session, nothing behind", target: ofBare(first, "legacy"), pid: first.pid },
    { name: "bare SDK 2, modern, nothing behind", target: ofBare(second, "modern"), pid: second.pid },
    { name: "the server itself over stdio", target: { way: "stdio", args: [ECHO_SERVER], tool: "echo" } },
  ];
}

export async function measureAll(
  crowds: CrowdProcess,
  candidates: readonly Candidate[],
): Promise<{ oneByOne: HttpFigures[]; together: HttpFigures[] }> {
  const opened = await openAll(crowds, candidates);
  const oneByOne = candidates.map(({ name }) => emptyFigures(name));
  const together = candidates.map(({ name }) => emptyFigures(name));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [at, { crowd, candidate }] of opened.entries()) {
      await measure(crowd, candidate, CALLS_ONE_BY_ONE, 1, oneByOne[at]!);
      await measure(crowd, candidate, CALLS_TOGETHER, TOGETHER, together[at]!);
    }
  }
  for (const { crowd } of opened) await crowd.close();
  return { oneByOne, together };
}

async function openAll(crowds: CrowdProcess, candidates: readonly Candidate[]) {
  const opened: { crowd: Crowd; candidate: Candidate }[] = [];
  for (const candidate of candidates) {
    const crowd = await crowds.open(candidate.target, 1);
    await crowd.measure(WARM_UP_CALLS, TOGETHER);
    opened.push({ crowd, candidate });
  }
  return opened;
}

async function measure(
  crowd: Crowd,
  { pid }: Candidate,
  callCount: number,
  atOnce: number,
  figures: HttpFigures,
): Promise<void> {
  const before = cpuMicros(pid);
  addMeasured(figures, await crowd.measure(callCount, atOnce));
  const after = cpuMicros(pid);
  if (before !== undefined && after !== undefined)
    figures.cpuMicros.push((after - before) / (callCount + atOnce));
}

/** A busy machine stretches the time of a call, and much less what the server has to do for it. */
function cpuMicros(pid: number | undefined): number | undefined {
  if (pid === undefined || !CAN_LOOK) return undefined;
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_MICROS;
}

function compare(
  goal: string,
  all: readonly HttpFigures[],
  value: (figures: HttpFigures) => number,
  unit: string,
  isMet: (ours: number, hub: number) => boolean,
): void {
  const [best] = all
    .filter(({ name }) => name.startsWith(HUB))
    .map(value)
    .sort((a, b) => (isMet(a, b) ? -1 : 1));
  for (const name of OURS) {
    const ours = value(all.find((figures) => figures.name === name)!);
    const shown = (number: number): string => `${number.toFixed(unit === "ms" ? 2 : 0)} ${unit}`;
    printGoal(`${name}: ${goal}`, isMet(ours, best!), `${shown(ours)}, mcp-hub ${shown(best!)}`);
  }
}
