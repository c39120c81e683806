import type { Command } from "commander";
import { changeServer } from "./change-server.ts";
import type { Finish } from "../../program.ts";

export function addEnable(program: Command, finish: Finish): void {
  program
    .command("enable")
    .argument("<name>", "the server")
    .description("Let a server be used again; gateways that run take it up at once")
    .option("--dry-run", "Show what would change, and change nothing")
    .addHelpText("after", "\nExamples:\n  $ repertoire enable github")
    .action((name: string, _options: unknown, command: Command) => {
      finish(
        changeServer(name, command, { word: "enabled", fields: { enabled: undefined, disabled: undefined } }),
      );
    });
}
