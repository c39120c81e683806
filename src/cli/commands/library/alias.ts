import type { Command } from "commander";
import { useApp } from "../../app-call.ts";
import { namesOf, type ItemNames } from "./library-call.ts";
import type { Finish } from "../../program.ts";
import { runOnCopy, withDryRun, type DryRunOptions } from "../../dry-run.ts";
import { globalOptionsOf } from "../../session.ts";
import { green, note } from "../../terminal/terminal.ts";

export function addAlias(program: Command, finish: Finish): void {
  withDryRun(program.command("alias"))
    .description("Give an item of the library another name beside its own")
    .argument("<name>", "what it is called")
    .argument("<other>", "what it shall be called as well: namespace:action, or a bare name")
    .addHelpText("after", "\nExamples:\n  $ repertoire alias math:sum math:plus")
    .action(async (name: string, other: string, _options: unknown, command: Command) => {
      finish(
        await runOnCopy(globalOptionsOf<DryRunOptions>(command), (options) =>
          useApp(options, async (app) => namesOf(app, await app.libraryEditor.alias(name, other)), { show }),
        ),
      );
    });
}

function show({ name, aliases }: ItemNames): void {
  // An item's own name is no alias, and asking for it changes nothing.
  const others = aliases.length === 0 ? "nothing else" : aliases.join(", ");
  note(`${green("added")} ${name} is also called ${others}`);
}
