import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import type { App } from "../../../app/app.ts";
import { succeed, type ToolResult } from "../../../core/result.ts";
import { useApp } from "../../app-call.ts";
import type { Finish } from "../../program.ts";
import { beginDryRun, endDryRun, withDryRun, type DryRunOptions } from "../../dry-run.ts";
import { globalOptionsOf } from "../../session.ts";
import { note, print } from "../../terminal/terminal.ts";

interface Exported {
  readonly written: readonly string[];
  readonly unchanged: readonly string[];
}

export function addExport(program: Command, finish: Finish): void {
  withDryRun(program.command("export"))
    .description("Write the library as files, one for each item, to keep in git or to share")
    .argument("<dir>", "the folder; it is made where there is none")
    .argument("[pattern]", "only what matches: a substring, or a glob such as 'math:*'")
    .addHelpText(
      "after",
      `
A file has the source and, before it, everything else that was kept with the current version, its example too. Secrets
of the config are left out of examples. Files that are as they should be are not touched; others are left alone.

Examples:
  $ repertoire export library
  $ repertoire export library 'math:*' --json`,
    )
    .action(async (folder: string, pattern: string | undefined, _options: unknown, command: Command) => {
      const options = globalOptionsOf<DryRunOptions>(command);
      const work = options.dryRun === true ? planExport : exportTo;
      if (options.dryRun === true) beginDryRun();
      const exitCode = await useApp(options, (app) => work(app, folder, pattern ?? null), {
        show: (exported) => show(exported, pattern),
      });
      finish(options.dryRun === true ? endDryRun(exitCode) : exitCode);
    });
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

function show({ written, unchanged }: Exported, pattern: string | undefined): void {
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
