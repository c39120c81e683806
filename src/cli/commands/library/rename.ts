import type { Command } from "commander";
import { useApp } from "../../app-call.ts";
import { namesOf, type ItemNames } from "./library-call.ts";
import type { Finish } from "../../program.ts";
import { runOnCopy, withDryRun, type DryRunOptions } from "../../dry-run.ts";
import { globalOptionsOf } from "../../session.ts";
import { green, note } from "../../terminal/terminal.ts";

export function addRename(program: Command, finish: Finish): void {
  withDryRun(program.command("rename"))
    .description("Give an item of the library a new name; the old one stays as an alias")
    .argument("<name>", "what it is called")
    .argument("<new>", "what it shall be called: namespace:action, or a bare name")
    .addHelpText("after", "\nExamples:\n  $ repertoire rename math:sum math:add")
    .action(async (name: string, to: string, _options: unknown, command: Command) => {
      finish(
        await runOnCopy(globalOptionsOf<DryRunOptions>(command), (options) =>
          useApp(options, async (app) => namesOf(app, await app.libraryEditor.rename(name, to)), { show }),
        ),
      );
    });
}

function show({ name, tool, aliases }: ItemNames): void {
  const others = aliases.length === 0 ? "" : `; it is also called ${aliases.join(", ")}`;
  note(`${green("renamed")} to ${name}, the tool ${tool}${others}`);
}
