import type { Command } from "commander";
import { callMetaTool } from "./meta-call.ts";
import type { Finish } from "./program.ts";
import { globalOptionsOf } from "./session.ts";
import { note, printTable } from "./terminal.ts";

interface Listed {
  readonly items: readonly {
    readonly name: string;
    readonly kind: string;
    readonly version: number;
    readonly usage_count: number;
    readonly description: string;
  }[];
}

export function addList(program: Command, finish: Finish): void {
  program
    .command("list")
    .argument("[pattern]", "a substring, or a glob such as 'math:*'")
    .description("List what was kept in the library")
    .addHelpText("after", "\nExamples:\n  $ repertoire list\n  $ repertoire list 'math:*' --json")
    .action(async (pattern: string | undefined, _options: unknown, command: Command) => {
      finish(
        await callMetaTool<Listed>(
          globalOptionsOf(command),
          "list_library",
          { pattern: pattern ?? null },
          (answer) => showItems(answer, pattern),
        ),
      );
    });
}

function showItems({ items }: Listed, pattern: string | undefined): void {
  if (items.length === 0) {
    note(
      pattern === undefined
        ? "The library is empty."
        : `Nothing in the library matches ${JSON.stringify(pattern)}.`,
    );
    return;
  }
  const rows = items.map((item) => [
    item.name,
    item.kind,
    `v${item.version}`,
    `${item.usage_count} runs`,
    item.description,
  ]);
  printTable([["NAME", "KIND", "VERSION", "USED", "DESCRIPTION"], ...rows]);
}
