import type { Command } from "commander";
import { useApp } from "./app-call.ts";
import type { Finish } from "./program.ts";
import { globalOptionsOf } from "./session.ts";
import { note, print } from "./terminal.ts";

interface Exported {
  readonly written: readonly string[];
  readonly unchanged: readonly string[];
}

export function addExport(program: Command, finish: Finish): void {
  program
    .command("export")
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
      finish(
        await useApp(globalOptionsOf(command), (app) => app.exportLibrary(folder, pattern ?? null), {
          show: (exported) => show(exported, pattern),
        }),
      );
    });
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
