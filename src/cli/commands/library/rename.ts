import { useApp } from "../../app-call.ts";
import type { DryRunOptions } from "../../dry-run.ts";
import { green, note } from "../../terminal/terminal.ts";
import { defineCommand } from "../../command.ts";
import type { App } from "../../../app/app.ts";
import { displayNameOf, toolNameOf } from "../../../core/names.ts";
import { succeed, type ToolResult } from "../../../core/result.ts";
import type { Capability } from "../../../core/store.ts";

export const renameCommand = defineCommand({
  name: "rename",
  group: "library",
  summary: "Rename a library item; the old name stays as an alias",
  arguments: [
    { words: "<name>", about: "its name", completes: ["kept"] },
    {
      words: "<new>",
      about: "its new name: namespace:action, or a bare name",
      completes: ["kept"],
    },
  ],
  dryRun: "copy",
  examples: ["repertoire rename math:sum math:add"],
  run: (options: DryRunOptions, name: string, to: string) =>
    useApp(options, async (app) => namesOf(app, await app.libraryEditor.rename(name, to)), {
      show: showRenamed,
    }),
});

function showRenamed({ name, tool, aliases }: ItemNames): void {
  const others = aliases.length === 0 ? "" : `; aliases: ${aliases.join(", ")}`;
  note(`${green("renamed")} to ${name}, the tool ${tool}${others}`);
}

export const aliasCommand = defineCommand({
  name: "alias",
  group: "library",
  summary: "Add an alias to a library item",
  arguments: [
    { words: "<name>", about: "its name", completes: ["kept"] },
    {
      words: "<other>",
      about: "the alias: namespace:action, or a bare name",
      completes: ["kept"],
    },
  ],
  dryRun: "copy",
  examples: ["repertoire alias math:sum math:plus"],
  run: (options: DryRunOptions, name: string, other: string) =>
    useApp(options, async (app) => namesOf(app, await app.libraryEditor.alias(name, other)), {
      show: showAliased,
    }),
});

function showAliased({ name, aliases }: ItemNames): void {
  // An item's own name is no alias, and asking for it changes nothing.
  const others = aliases.length === 0 ? "has no other names" : `has the aliases ${aliases.join(", ")}`;
  note(`${green("added")} ${name} ${others}`);
}

/** What an item of the library is called. */
export interface ItemNames {
  readonly name: string;
  readonly tool: string;
  readonly aliases: readonly string[];
}

async function namesOf(app: App, changed: ToolResult<Capability>): Promise<ToolResult<ItemNames>> {
  if (!changed.success) return changed;
  const aliases = await app.store.capabilities.aliases(changed.data.id);
  return succeed({
    name: displayNameOf(changed.data),
    tool: toolNameOf(changed.data),
    aliases: aliases.map(displayNameOf),
  });
}
