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
  summary: "Take an item out of the library; runs that use a version still find it",
  arguments: [{ words: "<name>", about: "what it is called", completes: ["kept"] }],
  dryRun: "copy",
  help: `It is marked as deleted and its names are free again. Nothing asks whether you are sure: to be able to have it back,
export it first and import it later.`,
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
    `${green("deleted")} ${deleted}. ${stay} in the store for the runs that use them; its names are free.`,
  );
}
