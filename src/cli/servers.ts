import type { Command } from "commander";
import type { ServerView } from "../app.ts";
import { formatProblem } from "../config/problem.ts";
import { escapeUnprintable } from "../core/printable.ts";
import { commandLine } from "./command-line.ts";
import { countOf } from "./config.ts";
import { EXIT } from "./exit-code.ts";
import type { Finish } from "./program.ts";
import { globalOptionsOf, openSession, type GlobalOptions } from "./session.ts";
import { dim, note, print, printJson, printTable } from "./terminal.ts";

interface ServersOptions extends GlobalOptions {
  readonly check?: boolean;
}

export function addServers(program: Command, finish: Finish): void {
  program
    .command("servers")
    .description("List the configured servers: state, era, tools, latency, last error")
    .option("--check", "Start each server and ask it anew; without it nothing is started")
    .addHelpText("after", "\nExamples:\n  $ repertoire servers\n  $ repertoire servers --check --json")
    .action(async (_options: unknown, command: Command) => {
      finish(await show({ ...globalOptionsOf(command), ...command.opts<ServersOptions>() }));
    });
}

async function show(options: ServersOptions): Promise<number> {
  const session = await openSession(options);
  try {
    const views = await session.app.viewServers(options.check === true);
    if (options.json === true) printJson(views);
    else if (views.length === 0) note("No servers are configured. Add one: repertoire add NAME -- COMMAND");
    else showTable(views, options);
    return options.check === true && views.some((view) => view.cause !== undefined)
      ? EXIT.unreachable
      : EXIT.ok;
  } finally {
    await session.close();
  }
}

function showTable(views: readonly ServerView[], options: GlobalOptions): void {
  const rows = views.map((view) => [
    view.id,
    view.state,
    view.era ?? "",
    view.toolCount === undefined ? "" : countOf(view.toolCount, "tool"),
    view.connectMs === undefined ? "" : `${Math.round(view.connectMs)} ms`,
    view.latencyMs === undefined ? "" : `${Math.ceil(view.latencyMs)} ms`,
    view.target,
  ]);
  printTable([["SERVER", "STATE", "ERA", "TOOLS", "START", "LATENCY", "TARGET"], ...rows]);
  for (const { id, missingInputs } of views) {
    if (missingInputs === undefined) continue;
    const commands = missingInputs.map((input) => commandLine(["input", "set", input], options));
    print(`\n${id} needs ${missingInputs.join(", ")}: ${commands.join("; ")}`);
  }
  for (const { id, problems = [] } of views) {
    for (const problem of problems) print(`\n${id} is not usable: ${formatProblem(problem)}`);
  }
  if (views.some(({ state }) => state === "untrusted")) {
    print(
      `\nThe servers of this folder's repertoire.json are not started before: ${commandLine(["trust"], options)}`,
    );
  }
  for (const view of views.filter((other) => other.error !== undefined)) {
    print(`\n${view.id}: ${escapeUnprintable(view.error!)}`);
    for (const line of view.stderr ?? []) print(dim(`  │ ${escapeUnprintable(line)}`));
  }
}
