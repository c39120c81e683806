import { randomUUID } from "node:crypto";
import type { App } from "../../../app/app.ts";
import { escapeUnprintable } from "../../../text/printable.ts";
import { succeed, type ToolResult } from "../../../core/result.ts";
import { useApp } from "../../app-call.ts";
import { EXIT } from "../../terminal/exit-code.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { dim, green, note, print, red } from "../../terminal/terminal.ts";
import { defineCommand } from "../../command.ts";

type Outcome = "passed" | "failed" | "skipped";

interface Report {
  readonly name: string;
  readonly version: number;
  readonly outcome: Outcome;
  /** What differs, or why there is nothing to test. */
  readonly differences: readonly string[];
}

type Tested = Readonly<Record<Outcome, number>> & { readonly reports: readonly Report[] };

export const testCommand = defineCommand({
  name: "test",
  group: "library",
  summary: "Replay the recorded examples of the library, offline",
  arguments: [{ words: "[name]", about: "only this item; name@2 for a version", completes: ["kept"] }],
  help: `Each item runs with the inputs of the run that it was saved from, and its calls get the recorded results of that run; no
server is called. The exit code is 1 if a result differs.`,
  examples: ["repertoire test", "repertoire test math:sum@1 --json"],
  run: (options: GlobalOptions, name: string | undefined) => test(name ?? null, options),
});

async function test(name: string | null, options: GlobalOptions): Promise<number> {
  const abort = new AbortController();
  const interrupt = (): void => abort.abort();
  process.once("SIGINT", interrupt);
  try {
    const exitCode = await useApp(options, (app) => replay(app, name, abort.signal), {
      show,
      progress: "replaying the examples",
      exitCodeOf: ({ failed }) => (failed === 0 ? EXIT.ok : EXIT.failed),
    });
    return abort.signal.aborted ? EXIT.interrupted : exitCode;
  } finally {
    process.off("SIGINT", interrupt);
  }
}

async function replay(app: App, name: string | null, signal: AbortSignal): Promise<ToolResult<Tested>> {
  const tested = await app.libraryEditor.test(name, { traceId: randomUUID(), signal });
  if (!tested.success) return tested;
  const reports: readonly Report[] = tested.data;
  const count = (outcome: Outcome) => reports.filter((report) => report.outcome === outcome).length;
  return succeed({ passed: count("passed"), failed: count("failed"), skipped: count("skipped"), reports });
}

function show({ passed, failed, skipped, reports }: Tested): void {
  for (const report of reports) showReport(report);
  if (reports.length === 0) note("The library is empty; nothing to test.");
  else note(`${passed} passed, ${failed} failed, ${skipped} skipped`);
}

function showReport({ name, version, outcome, differences }: Report): void {
  const item = `${name}@${version}`;
  const lines = differences.map(escapeUnprintable);
  if (outcome === "skipped") return print(dim(`- ${item} skipped: ${lines.join("; ")}`));
  print(`${outcome === "passed" ? green("✓") : red("✗")} ${item} ${outcome}`);
  for (const line of lines) print(`    ${line}`);
}
