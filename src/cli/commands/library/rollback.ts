import type { Command } from "commander";
import type { App } from "../../../app/app.ts";
import { displayNameOf, toolNameOf } from "../../../core/names.ts";
import { escapeUnprintable } from "../../../text/printable.ts";
import { succeed, type ToolResult } from "../../../core/result.ts";
import { useApp } from "../../app-call.ts";
import type { Finish } from "../../program.ts";
import { runOnCopy, withDryRun, type DryRunOptions } from "../../dry-run.ts";
import { globalOptionsOf } from "../../session.ts";
import { green, note } from "../../terminal/terminal.ts";

export function addRollback(program: Command, finish: Finish): void {
  withDryRun(program.command("rollback"))
    .description("Go back to an older version: it becomes the newest one, and none is lost")
    .argument("<name@version>", "the version to go back to")
    .addHelpText("after", "\nExamples:\n  $ repertoire history math:sum\n  $ repertoire rollback math:sum@1")
    .action(async (name: string, _options: unknown, command: Command) => {
      finish(
        await runOnCopy(globalOptionsOf<DryRunOptions>(command), (options) =>
          useApp(options, (app) => rollback(app, name), { show }),
        ),
      );
    });
}

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
  note(`${green("rolled back")} ${name} is at version ${version}, which is like ${escapeUnprintable(like)}`);
}
