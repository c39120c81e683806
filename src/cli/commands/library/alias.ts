import { useApp } from "../../app-call.ts";
import { namesOf, type ItemNames } from "./library-call.ts";
import type { DryRunOptions } from "../../dry-run.ts";
import { green, note } from "../../terminal/terminal.ts";
import { defineCommand } from "../../command.ts";

export const aliasCommand = defineCommand({
  name: "alias",
  group: "library",
  summary: "Give an item of the library another name beside its own",
  arguments: [
    { words: "<name>", about: "what it is called", completes: ["kept"] },
    {
      words: "<other>",
      about: "what it shall be called as well: namespace:action, or a bare name",
      completes: ["kept"],
    },
  ],
  dryRun: "copy",
  examples: ["repertoire alias math:sum math:plus"],
  run: (options: DryRunOptions, name: string, other: string) =>
    useApp(options, async (app) => namesOf(app, await app.libraryEditor.alias(name, other)), { show }),
});

function show({ name, aliases }: ItemNames): void {
  // An item's own name is no alias, and asking for it changes nothing.
  const others = aliases.length === 0 ? "nothing else" : aliases.join(", ");
  note(`${green("added")} ${name} is also called ${others}`);
}
