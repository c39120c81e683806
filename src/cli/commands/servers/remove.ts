import type { Command } from "commander";
import { changeServer } from "./change-server.ts";
import type { Finish } from "../../program.ts";

export function addRemove(program: Command, finish: Finish): void {
  program
    .command("remove")
    .argument("<name>", "the server")
    .description("Remove a server from the config")
    .option("--dry-run", "Show what would change, and change nothing")
    .addHelpText("after", "\nExamples:\n  $ repertoire remove github")
    .action((name: string, _options: unknown, command: Command) => {
      finish(changeServer(name, command, { word: "removed" }));
    });
}
