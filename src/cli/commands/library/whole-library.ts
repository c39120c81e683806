/** The commands about the library as a whole: list, test, export and import. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { GlobalOptions } from "../../global-options.ts";
import { escapeUnprintable } from "../../../text/printable.ts";
import { noteIdle } from "../servers/unusable-servers.ts";
import { testItems } from "../../../operator/library.ts";
import { testLibrary } from "../../../operator/library-check.ts";
import { callMetaTool, useApp, type Operator } from "../../app-call.ts";
import { failWith, note, printTable, yellow, dim, green, print, red } from "../../terminal/terminal.ts";
import { defineCommand } from "../../command.ts";
import type { App } from "../../../app/app.ts";
import { succeed, type ToolResult } from "../../../core/result.ts";
import { EXIT } from "../../terminal/exit-code.ts";
import { beginDryRun, endDryRun, type DryRunOptions } from "../../dry-run.ts";

interface Listed {
  readonly items: readonly {
    readonly name: string;
    readonly kind: string;
    readonly version: number;
    readonly usage_count: number;
    readonly description: string;
    /** Tools it uses that have changed since it was kept. */
    readonly changed_tools?: readonly string[];
  }[];
}

export const listCommand = defineCommand({
  name: "list",
  aliases: ["library"],
  group: "library",
  summary: "List the library",
  arguments: [{ words: "[pattern]", about: "a substring, or a glob such as 'math:*'", completes: ["kept"] }],
  examples: ["repertoire list", "repertoire list 'math:*' --json"],
  run: (options: GlobalOptions, pattern: string | undefined) =>
    callMetaTool<Listed>(options, "list_library", { pattern: pattern ?? null }, (answer, config) => {
      showItems(answer, pattern);
      noteIdle(config, options);
    }),
});

function showItems({ items }: Listed, pattern: string | undefined): void {
  if (items.length === 0) {
    note(
      pattern === undefined
        ? "The library is empty."
        : `Nothing in the library matches ${JSON.stringify(pattern)}.`,
    );
    return;
  }
  const rows = items.map((item) => [
    item.name,
    item.kind,
    `v${item.version}${changedToolsOf(item).length > 0 ? " changed" : ""}`,
    `${item.usage_count} runs`,
    item.description,
  ]);
  printTable([["NAME", "KIND", "VERSION", "USED", "DESCRIPTION"], ...rows]);
  for (const item of items.filter((other) => changedToolsOf(other).length > 0)) {
    const tools = escapeUnprintable(changedToolsOf(item).join(", "));
    note(`${yellow("changed")} ${item.name} uses ${tools}. See: repertoire describe ${item.name}`);
  }
}

function changedToolsOf(item: Listed["items"][number]): readonly string[] {
  return item.changed_tools ?? [];
}

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
    const exitCode = await useApp(options, (_app, operator) => testOf(operator, name, abort.signal), {
      show: showTested,
      progress: "replaying the examples",
      exitCodeOf: ({ failed }) => (failed === 0 ? EXIT.ok : EXIT.failed),
    });
    return abort.signal.aborted ? EXIT.interrupted : exitCode;
  } finally {
    process.off("SIGINT", interrupt);
  }
}

/** A check of everything is remembered, so that `stats` can say how the last one went. */
async function testOf({ deps, viewer }: Operator, name: string | null, signal: AbortSignal) {
  return name === null ? testLibrary(deps, viewer, { signal }) : testItems(deps.app, name, { signal });
}

function showTested({ passed, failed, skipped, reports }: Tested): void {
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

interface Exported {
  readonly written: readonly string[];
  readonly unchanged: readonly string[];
}

export const exportCommand = defineCommand({
  name: "export",
  group: "library",
  summary: "Write the library to files, one for each item, to commit or to share",
  arguments: [
    { words: "<dir>", about: "the folder; created if it does not exist", completes: ["dirs"] },
    {
      words: "[pattern]",
      about: "only what matches: a substring, or a glob such as 'math:*'",
      completes: ["kept"],
    },
  ],
  options: [
    {
      flags: "--skills",
      about: "Write a folder with a SKILL.md for each item, for clients that read skills",
    },
    {
      flags: "--force",
      about: "With --skills: replace files that were not written by it, or were changed since",
    },
  ],
  dryRun: "own",
  help: `A file has the metadata and the example of the current version, then its source. Secrets of the config are left out of
examples. Files that are up to date are not written again, and other files in the folder are not touched.

With --skills, each item is <dir>/<name>/SKILL.md: what it is for and how it is called as a tool. Skills of items that
are not in the library any more are named as stale, and stay.`,
  examples: [
    "repertoire export library",
    "repertoire export library 'math:*' --json",
    "repertoire export --skills .claude/skills",
  ],
  run: exportLibrary,
});

interface ExportOptions extends DryRunOptions {
  readonly skills?: boolean;
  readonly force?: boolean;
}

async function exportLibrary(options: ExportOptions, folder: string, pattern?: string): Promise<number> {
  if (options.skills === true) return exportSkills(options, folder, pattern);
  if (options.force === true)
    return failWith(EXIT.usage, "--force is for --skills; other exports replace nothing");
  const isDry = options.dryRun === true;
  if (isDry) beginDryRun();
  const work = isDry ? planExport : exportTo;
  const exitCode = await useApp(options, (app) => work(app, folder, pattern ?? null), {
    show: (exported) => showExported(exported, pattern),
  });
  return isDry ? endDryRun(exitCode) : exitCode;
}

async function exportSkills(options: ExportOptions, folder: string, pattern?: string): Promise<number> {
  const isDry = options.dryRun === true;
  if (isDry) beginDryRun();
  const how = { isDry, isForced: options.force === true };
  const exitCode = await useApp(options, (app) => app.exportSkills(folder, pattern ?? null, how), {
    show(exported) {
      showExported(exported, pattern);
      for (const path of exported.stale)
        note(`${yellow("stale")} ${path}: its item is not in the library any more`);
    },
  });
  return isDry ? endDryRun(exitCode) : exitCode;
}

function exportTo(app: App, folder: string, pattern: string | null): Promise<ToolResult<Exported>> {
  return app.exportLibrary(folder, pattern);
}

/** The files that it would write, found out beside the folder. */
async function planExport(app: App, folder: string, pattern: string | null): Promise<ToolResult<Exported>> {
  const scratch = mkdtempSync(join(tmpdir(), "repertoire-dry-run-"));
  try {
    const exported = await app.exportLibrary(scratch, pattern);
    if (!exported.success) return exported;
    const paths = exported.data.written;
    const isSame = (path: string): boolean => {
      const there = join(folder, path);
      return existsSync(there) && readFileSync(there).equals(readFileSync(join(scratch, path)));
    };
    return succeed({ written: paths.filter((path) => !isSame(path)), unchanged: paths.filter(isSame) });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function showExported({ written, unchanged }: Exported, pattern: string | undefined): void {
  for (const path of written) print(path);
  if (written.length + unchanged.length > 0) {
    return note(`${written.length} written, ${unchanged.length} unchanged`);
  }
  note(
    pattern === undefined
      ? "The library is empty."
      : `Nothing in the library matches ${JSON.stringify(pattern)}.`,
  );
}

interface Imported {
  readonly created: readonly string[];
  readonly updated: readonly string[];
  readonly unchanged: readonly string[];
  readonly taken: readonly string[];
}

export const importCommand = defineCommand({
  name: "import",
  group: "library",
  summary: "Add files that export wrote to the library",
  arguments: [{ words: "<dir>", about: "the folder", completes: ["dirs"] }],
  dryRun: "copy",
  help: `New items are created, changed items get a new version, and nothing is deleted. All files are checked first: one invalid
file stops the import before anything is saved. What you import becomes a tool for every client, so read it first.`,
  examples: ["repertoire import library", "repertoire import library --json && repertoire test"],
  run: (options: DryRunOptions, folder: string) =>
    useApp(options, (app) => app.importLibrary(folder), {
      show: showImported,
      progress: "checking the files",
    }),
});

function showImported({ created, updated, unchanged, taken }: Imported): void {
  for (const name of created) print(`${green("created")} ${name}`);
  for (const name of updated) print(`${green("updated")} ${name}`);
  for (const name of taken)
    note(`${yellow("warning")} the alias ${name} belongs to another item and was skipped`);
  note(`${created.length} created, ${updated.length} updated, ${unchanged.length} unchanged`);
}
