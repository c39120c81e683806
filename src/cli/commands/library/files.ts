import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { App } from "../../../app/app.ts";
import { succeed, type ToolResult } from "../../../core/result.ts";
import { useApp } from "../../app-call.ts";
import { beginDryRun, endDryRun, type DryRunOptions } from "../../dry-run.ts";
import { note, print, green, yellow } from "../../terminal/terminal.ts";
import { defineCommand } from "../../command.ts";

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
  dryRun: "own",
  help: `A file has the metadata and the example of the current version, then its source. Secrets of the config are left out of
examples. Files that are up to date are not written again, and other files in the folder are not touched.`,
  examples: ["repertoire export library", "repertoire export library 'math:*' --json"],
  run: exportLibrary,
});

async function exportLibrary(options: DryRunOptions, folder: string, pattern?: string): Promise<number> {
  const isDry = options.dryRun === true;
  if (isDry) beginDryRun();
  const work = isDry ? planExport : exportTo;
  const exitCode = await useApp(options, (app) => work(app, folder, pattern ?? null), {
    show: (exported) => showExported(exported, pattern),
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
