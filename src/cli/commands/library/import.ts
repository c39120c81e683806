import { useApp } from "../../app-call.ts";
import type { DryRunOptions } from "../../dry-run.ts";
import { green, note, print, yellow } from "../../terminal/terminal.ts";
import { defineCommand } from "../../command.ts";

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
    useApp(options, (app) => app.importLibrary(folder), { show, progress: "checking the files" }),
});

function show({ created, updated, unchanged, taken }: Imported): void {
  for (const name of created) print(`${green("created")} ${name}`);
  for (const name of updated) print(`${green("updated")} ${name}`);
  for (const name of taken)
    note(`${yellow("warning")} the alias ${name} belongs to another item and was skipped`);
  note(`${created.length} created, ${updated.length} updated, ${unchanged.length} unchanged`);
}
