/**
 * The conformance suite of the protocol, in four parts; without a flag, all of them:
 *
 *     node test/conformance/run.ts [--direct] [--through] [--self] [--client]
 *
 * --direct   the fixture server alone, which has to pass everything
 * --through  the fixture behind transparent profiles of Repertoire, compared with direct (which runs too)
 * --self     Repertoire itself as the server
 * --client   Repertoire as the client
 *
 * It ends with 1 if anything fails or passes against the baseline (baseline.yml). `dist` has to be built.
 */
import { parseArgs } from "node:util";
import { loadBaseline } from "./baseline.ts";
import type { Column } from "./column.ts";
import { runClient, runDirect, runSelf, runThrough } from "./parts.ts";
import { complaintsOf, summaryOf, tableOf } from "./report.ts";
import { REVISIONS } from "./suite.ts";

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      direct: { type: "boolean" },
      through: { type: "boolean" },
      self: { type: "boolean" },
      client: { type: "boolean" },
    },
  });
  const isAll = Object.keys(values).length === 0;
  const baseline = loadBaseline();
  const columns: Column[] = [];
  if (isAll || values.direct || values.through) columns.push(...(await runDirect(baseline)));
  if (isAll || values.through) columns.push(...(await runThrough(baseline, columns)));
  if (isAll || values.self) columns.push(...(await runSelf(baseline)));
  if (isAll || values.client) columns.push(...(await runClient(baseline)));
  report(columns);
}

function report(columns: readonly Column[]): void {
  for (const leg of ["server", "client"] as const) {
    for (const revision of REVISIONS) {
      const table = tableOf(columns.filter((column) => column.leg === leg && column.revision === revision));
      if (table !== "") process.stdout.write(`${table}\n\n`);
    }
  }
  process.stdout.write(`${summaryOf(columns)}\n\n`);
  const complaints = columns.flatMap(complaintsOf);
  for (const complaint of complaints) process.stdout.write(`${complaint}\n`);
  const expected = columns.reduce((count, { verdict }) => count + verdict.expected.length, 0);
  process.stdout.write(
    complaints.length === 0
      ? `as expected (${expected} known failures in the baseline)\n`
      : `${complaints.length} complaints\n`,
  );
  process.exitCode = complaints.length === 0 ? 0 : 1;
}

await main();
