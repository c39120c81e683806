import type { App } from "../../../app/app.ts";
import { displayNameOf } from "../../../core/names.ts";
import { succeed, type ToolResult } from "../../../core/result.ts";
import { useApp } from "../../app-call.ts";
import type { DryRunOptions } from "../../dry-run.ts";
import { green, note } from "../../terminal/terminal.ts";
import { defineCommand } from "../../command.ts";

interface Deleted {
  readonly deleted: string;
  /** How many versions stay in the store. */
  readonly version_count: number;
}

export const deleteCommand = defineCommand({
  name: "delete",
  group: "library",
  summary: "Delete a library item; runs that use one of its versions still find it",
  arguments: [{ words: "<name>", about: "its name", completes: ["kept"] }],
  dryRun: "copy",
  help: `The item is marked as deleted, and its names can be used again. There is no confirmation. To be able to restore the
item, export it first.`,
  examples: ["repertoire export backup math:sum", "repertoire delete math:sum", "repertoire import backup"],
  run: (options: DryRunOptions, name: string) => useApp(options, (app) => remove(app, name), { show }),
});

async function remove(app: App, name: string): Promise<ToolResult<Deleted>> {
  const removed = await app.libraryEditor.remove(name);
  if (!removed.success) return removed;
  const { length } = await app.store.capabilities.versions(removed.data.id);
  return succeed({ deleted: displayNameOf(removed.data), version_count: length });
}

function show({ deleted, version_count: count }: Deleted): void {
  const stay = count === 1 ? "Its version stays" : `Its ${count} versions stay`;
  note(
    `${green("deleted")} ${deleted}. ${stay} in the store for runs that use them; its names can be used again.`,
  );
}
