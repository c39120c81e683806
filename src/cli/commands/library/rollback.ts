import type { App } from "../../../app/app.ts";
import { displayNameOf, toolNameOf } from "../../../core/names.ts";
import { escapeUnprintable } from "../../../text/printable.ts";
import { succeed, type ToolResult } from "../../../core/result.ts";
import { useApp } from "../../app-call.ts";
import type { DryRunOptions } from "../../dry-run.ts";
import { green, note } from "../../terminal/terminal.ts";
import { defineCommand } from "../../command.ts";

export const rollbackCommand = defineCommand({
  name: "rollback",
  group: "library",
  summary: "Make an older version the current one again, as a new version; no version is lost",
  arguments: [{ words: "<name@version>", about: "the version to go back to", completes: ["kept"] }],
  dryRun: "copy",
  examples: ["repertoire history math:sum", "repertoire rollback math:sum@1"],
  run: (options: DryRunOptions, name: string) => useApp(options, (app) => rollback(app, name), { show }),
});

async function rollback(app: App, name: string): Promise<ToolResult<RolledBack>> {
  const made = await app.libraryEditor.rollback(name);
  if (!made.success) return made;
  const { capability, version } = made.data;
  return succeed({
    name: displayNameOf(capability),
    tool: toolNameOf(capability),
    version: version.version,
    like: name,
  });
}

interface RolledBack {
  readonly tool: string;
  readonly name: string;
  readonly version: number;
  readonly like: string;
}

function show({ name, version, like }: RolledBack): void {
  note(`${green("rolled back")} ${name} is at version ${version}, a copy of ${escapeUnprintable(like)}`);
}
