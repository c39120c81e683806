import type { Command } from "commander";
import { EXIT } from "./exit-code.ts";
import type { Finish } from "./program.ts";
import { globalOptionsOf, openSession } from "./session.ts";
import { printJson, printTable } from "./terminal.ts";

export function addTools(program: Command, finish: Finish): void {
  program
    .command("tools")
    .description("List the tools that a connected client sees")
    .addHelpText("after", "\nExamples:\n  $ repertoire tools\n  $ repertoire tools --json | jq '.[].name'")
    .action(async (_options: unknown, command: Command) => {
      const options = globalOptionsOf(command);
      const session = await openSession(options);
      try {
        const tools = await session.app.gateway.listTools();
        if (options.json === true) printJson(tools);
        else printTable(tools.map((tool) => [tool.name, firstSentence(tool.description ?? "")]));
        finish(EXIT.ok);
      } finally {
        await session.close();
      }
    });
}

export function firstSentence(text: string): string {
  return /^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text;
}
