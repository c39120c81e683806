import type { Command } from "commander";
import { changeServer } from "./change-server.ts";
import type { Finish } from "../../program.ts";

export function addDisable(program: Command, finish: Finish): void {
  program
    .command("disable")
    .argument("<name>", "the server")
    .description("Stop a server and hide its tools, in gateways that run as well")
    .option("--dry-run", "Show what would change, and change nothing")
    .addHelpText("after", "\nExamples:\n  $ repertoire disable github")
    .action((name: string, _options: unknown, command: Command) => {
      finish(changeServer(name, command, { word: "disabled", fields: { enabled: false } }));
    });
}
