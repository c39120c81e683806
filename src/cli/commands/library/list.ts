import type { GlobalOptions } from "../../global-options.ts";
import { escapeUnprintable } from "../../../text/printable.ts";
import { noteIdle } from "../servers/unusable-servers.ts";
import { callMetaTool } from "../../app-call.ts";
import { note, printTable, yellow } from "../../terminal/terminal.ts";
import { defineCommand } from "../../command.ts";

interface Listed {
  readonly items: readonly {
    readonly name: string;
    readonly kind: string;
    readonly version: number;
    readonly usage_count: number;
    readonly description: string;
    /** Tools it uses that have changed since it was kept. */
    readonly changed_tools?: readonly string[];
  }[];
}

export const listCommand = defineCommand({
  name: "list",
  group: "library",
  summary: "List the library",
  arguments: [{ words: "[pattern]", about: "a substring, or a glob such as 'math:*'", completes: ["kept"] }],
  examples: ["repertoire list", "repertoire list 'math:*' --json"],
  run: (options: GlobalOptions, pattern: string | undefined) =>
    callMetaTool<Listed>(options, "list_library", { pattern: pattern ?? null }, (answer, config) => {
      showItems(answer, pattern);
      noteIdle(config, options);
    }),
});

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
    `v${item.version}${changedToolsOf(item).length > 0 ? " changed" : ""}`,
    `${item.usage_count} runs`,
    item.description,
  ]);
  printTable([["NAME", "KIND", "VERSION", "USED", "DESCRIPTION"], ...rows]);
  for (const item of items.filter((other) => changedToolsOf(other).length > 0)) {
    const tools = escapeUnprintable(changedToolsOf(item).join(", "));
    note(`${yellow("changed")} ${item.name} uses ${tools}. See: repertoire describe ${item.name}`);
  }
}

function changedToolsOf(item: Listed["items"][number]): readonly string[] {
  return item.changed_tools ?? [];
}
