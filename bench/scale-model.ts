/**
 * `npm run bench:scale-model`: what gives first when an installation grows past one machine, and what to do then. Nothing
 * is measured here: it computes with the costs of bench/scale-costs.ts, first as arithmetic, then as a simulation of the
 * rows and pools that are waited for. `-- measured.json` puts other numbers in their place.
 */
import { readFileSync } from "node:fs";
import { quantile } from "./figures.ts";
import { PARAMETERS, withMeasured, type Parameters } from "./scale-costs.ts";
import { coresOf, growthOf, limitsOf, walBytesPerSecond, type Limit } from "./scale-limits.ts";
import { simulate, type Cures, type Outcome } from "./scale-simulation.ts";

/** Virtual; a second of it is computed in less. */
const SIMULATED_SECONDS = 3;
/** From here on queues grow faster than the load. */
const BUSY = 0.7;

const [file] = process.argv.slice(2);
const parameters = file === undefined ? PARAMETERS : withMeasured(readFileSync(file, "utf8"));
const { load, server } = parameters;

const cell = (value: string, width: number) => value.padStart(width);
const percent = (share: number) => `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;

/** As people say it: 12 k, 3.4 M, 1.2 T. */
function short(value: number): string {
  const units = ["", " k", " M", " G", " T", " P"];
  let power = 0;
  let rest = value;
  for (; rest >= 1_000 && power < units.length - 1; power++) rest /= 1_000;
  if (rest < 1 && rest > 0) return rest.toFixed(2);
  return `${rest.toFixed(rest < 10 && (power > 0 || rest % 1 !== 0) ? 1 : 0)}${units[power]}`;
}

/** Where a limit is reached if nothing else grows. */
function reachedAt({ used, available, grows }: Limit): string {
  const factor = available / used;
  if (grows === "replicas") return `${short(Math.floor(load.replicas * factor))} replicas`;
  return `${short(load.runsPerSecond * factor)} runs/s`;
}

function printLimits(limits: readonly Limit[]): void {
  console.log("What gives first\n");
  console.log(
    `${"".padEnd(46)} ${cell("used", 8)} ${cell("of", 8)} ${"".padEnd(15)} ${cell("share", 7)}  reached at`,
  );
  for (const limit of limits) {
    const { name, used, available, unit } = limit;
    const numbers = `${cell(short(used), 8)} ${cell(short(available), 8)} ${unit.padEnd(15)}`;
    console.log(`${name.padEnd(46)} ${numbers} ${cell(percent(used / available), 7)}  ${reachedAt(limit)}`);
  }
  console.log("\nWhat to do then, in this order\n");
  for (const { name, used, available, cure } of limits)
    if (used / available > BUSY) console.log(`- ${name}: ${cure}`);
}

function printGrowth(): void {
  console.log("\nA day adds\n");
  for (const [table, { rows, bytes }] of Object.entries(growthOf(parameters)))
    console.log(`${table.padEnd(46)} ${cell(short(rows), 8)} rows ${cell(short(bytes), 8)} bytes`);
  const wal = walBytesPerSecond(parameters);
  console.log(`${"WAL".padEnd(46)} ${cell(short(wal), 8)} B/s  ${cell(short(wal * 86_400), 8)} bytes`);
  console.log("\nCores of the server\n");
  for (const [name, cores] of Object.entries(coresOf(parameters)))
    console.log(`${name.padEnd(46)} ${cell(cores.toFixed(2), 8)}`);
}

function waitOf({ resources }: Outcome, name: string): string {
  const { waitsMs } = resources.find((resource) => resource.name.startsWith(name))!;
  return waitsMs.length === 0 ? "-" : quantile(waitsMs, 0.99).toFixed(1);
}

const WAITED_FOR = ["limit_buckets", "capabilities", "audit_head", "calls", "cores", "connections"];

function printSimulation(name: string, given: Parameters, cures: Cures): void {
  const outcome = simulate(given, cures, SIMULATED_SECONDS);
  const { overheadMs, arrivedCount, callAgesMs } = outcome;
  const figures = [
    (arrivedCount / SIMULATED_SECONDS).toFixed(0),
    percent(overheadMs.length / arrivedCount),
    quantile(overheadMs, 0.5).toFixed(0),
    quantile(overheadMs, 0.99).toFixed(0),
    ...WAITED_FOR.map((resource) => waitOf(outcome, resource)),
    quantile(callAgesMs, 0.99).toFixed(0),
  ];
  console.log(`${name.padEnd(40)} ${figures.map((figure) => cell(figure, 9)).join("")}`);
}

function withLoad(changes: Partial<Parameters["load"]>): Parameters {
  return { ...parameters, load: { ...load, ...changes } };
}

function printSimulations(): void {
  console.log(
    `\nSimulated, ${SIMULATED_SECONDS} s each; ms. A run's tools take ${load.callsPerRun * load.toolMs} ms beside that.`,
  );
  console.log(
    "The waits are p99, of all that took the thing; a thing that was never free again makes runs not end.\n",
  );
  const heads = [
    "runs/s",
    "ended",
    "p50",
    "p99",
    "limit",
    "use",
    "audit",
    "calls",
    "cores",
    "pool",
    "log age",
  ];
  console.log(`${"".padEnd(40)} ${heads.map((head) => cell(head, 9)).join("")}`);
  const runs = load.runsPerSecond;
  for (const factor of [0.1, 0.5, 1, 2])
    printSimulation(`${percent(factor)} of the load`, withLoad({ runsPerSecond: runs * factor }), {});
  const shared = withLoad({ limitedShare: 0.1 });
  printSimulation("one limit for 10 % of all calls", shared, {});
  printSimulation("… limits by token", shared, { splitsLimits: true });
  const popular = withLoad({ hottestShare: 1 });
  printSimulation("everybody uses one capability", popular, {});
  printSimulation("… its uses folded", popular, { foldsUses: true });
  printSimulation("the call log pauses for 1 s", parameters, { callsPauseMs: 1_000 });
  printSimulation("a pool of 2", { ...parameters, server: { ...server, poolSize: 2 } }, {});
}

const startedAt = performance.now();
const { replicas, clients, runsPerSecond, callsPerRun } = load;
console.log(
  `${replicas} replicas, ${short(clients)} clients, ${short(runsPerSecond)} runs/s of ${callsPerRun} calls,`,
);
console.log(`one PostgreSQL of ${server.cores} cores with max_connections ${server.connectionsMax + 3}\n`);
printLimits(limitsOf(parameters));
printGrowth();
printSimulations();
console.log(`\nComputed in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
