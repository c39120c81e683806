import { useApp } from "../../app-call.ts";
import { namesOf, type ItemNames } from "./library-call.ts";
import type { DryRunOptions } from "../../dry-run.ts";
import { green, note } from "../../terminal/terminal.ts";
import { defineCommand } from "../../command.ts";

export const renameCommand = defineCommand({
  name: "rename",
  group: "library",
  summary: "Give an item of the library a new name; the old one stays as an alias",
  arguments: [
    { words: "<name>", about: "what it is called", completes: ["kept"] },
    {
      words: "<new>",
      about: "what it shall be called: namespace:action, or a bare name",
      completes: ["kept"],
    },
  ],
  dryRun: "copy",
  examples: ["repertoire rename math:sum math:add"],
  run: (options: DryRunOptions, name: string, to: string) =>
    useApp(options, async (app) => namesOf(app, await app.libraryEditor.rename(name, to)), { show }),
});

function show({ name, tool, aliases }: ItemNames): void {
  const others = aliases.length === 0 ? "" : `; it is also called ${aliases.join(", ")}`;
  note(`${green("renamed")} to ${name}, the tool ${tool}${others}`);
}
