/**
 * `npm run soak:replicas`: what several replicas on one PostgreSQL keep when the server, the network or one of them fails, as a table
 * with a row for each case. `npm run soak:replicas partition claim` runs the cases with these words in their names. `POSTGRES=debian`
 * takes Debian's PostgreSQL in place of the one that npm installs.
 */
import { runCase, tableOf, type Row } from "./replicas/case.ts";
import { HTTP_LONG, HTTP_SHORT, harmfulCases, mendedCases, roundRobinCases } from "./replicas/http-cases.ts";
import { openHttpStand, withHttpStand, type HttpStand } from "./replicas/http-stand.ts";
import { LONG, SHORT, storeCases } from "./replicas/store-cases.ts";
import { suiteBehindPooler } from "./replicas/suite-behind-pooler.ts";
import type { Binaries } from "./rig/postgres-programs.ts";
import { startPostgres } from "./rig/postgres.ts";

const wanted = process.argv.slice(2);
const binaries = (process.env["POSTGRES"] ?? "embedded") as Binaries;
/** `SOAK_SIZE=short` is what `npm test` does, with the disk: to try the soak itself. */
const isShort = process.env["SOAK_SIZE"] === "short";
const size = isShort ? SHORT : LONG;
const httpSize = isShort ? HTTP_SHORT : HTTP_LONG;

const postgres = await startPostgres({ binaries, fsync: true });
const [version] = await postgres.query<{ version: string }>("select version()");
console.log(`${version!.version}, fsync on, Node ${process.version}\n`);

/** One for all cases that do not harm it, from the first of them on. */
let shared: HttpStand | undefined;
const standing = roundRobinCases(() => shared!, httpSize).map((given) => ({
  ...given,
  async run() {
    shared ??= await openHttpStand(postgres);
    return given.run();
  },
}));
const cases = [
  ...storeCases(() => postgres, size),
  suiteBehindPooler,
  ...standing,
  ...harmfulCases(() => postgres, httpSize),
  ...mendedCases((work, options) => () => withHttpStand(postgres, work, options), httpSize),
].filter(({ name }) => wanted.length === 0 || wanted.some((word) => name.includes(word)));
const rows: Row[] = [];
try {
  for (const given of cases) {
    const row = await runCase(given);
    rows.push(row);
    console.error(
      `${row.outcome.padEnd(7)} ${row.seconds.toFixed(1).padStart(7)} s  ${row.name}: ${row.figures.slice(0, 400)}`,
    );
  }
} finally {
  await shared?.close();
  await postgres.close();
}
console.log(tableOf(rows));
if (rows.length === 0) throw new Error(`No case has ${wanted.join(" or ")} in its name.`);
process.exitCode = rows.some(({ outcome }) => outcome === "missed") ? 1 : 0;
