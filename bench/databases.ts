/**
 * `npm run bench:store`: the store on SQLite and on PostgreSQL in one run, each with every commit on the disk; what more processes add;
 * and what a request of a client costs the database in statements. `npm run bench:store -- steps processes requests` runs these parts
 * alone. `POSTGRES=debian` takes Debian's PostgreSQL.
 */
import { cpus, loadavg } from "node:os";
import type { Binaries } from "../test/rig/postgres-programs.ts";
import { startPostgres, type Postgres } from "../test/rig/postgres.ts";
import { benchProcesses } from "./database-processes.ts";
import { benchRequests } from "./database-requests.ts";
import { benchSteps } from "./database-steps.ts";

const PARTS: Readonly<Record<string, (postgres: Postgres) => Promise<void>>> = {
  steps: benchSteps,
  processes: benchProcesses,
  requests: benchRequests,
};

const asked = process.argv.slice(2);
const unknown = asked.filter((part) => !Object.hasOwn(PARTS, part));
if (unknown.length > 0) {
  throw new Error(`There is no part ${unknown.join(", ")}; there are ${Object.keys(PARTS).join(", ")}.`);
}
const binaries = (process.env["POSTGRES"] ?? "embedded") as Binaries;
const postgres = await startPostgres({ binaries, fsync: true });
const [server] = await postgres.query<{ version: string }>("select version()");
console.log(`Node ${process.version}, ${cpus().length} cores, load ${loadavg()[0]!.toFixed(1)} at the start`);
console.log(server!.version);
try {
  for (const [name, bench] of Object.entries(PARTS)) {
    if (asked.length === 0 || asked.includes(name)) await bench(postgres);
  }
} finally {
  await postgres.close();
}
