import type { Command } from "commander";
import type { ServerView } from "../app.ts";
import { formatProblem } from "../config/problem.ts";
import { escapeUnprintable } from "../core/printable.ts";
import { commandLine } from "./command-line.ts";
import { countOf } from "./config.ts";
import { EXIT } from "./exit-code.ts";
import type { Finish } from "./program.ts";
import { globalOptionsOf, openSession, type GlobalOptions } from "./session.ts";
import { agoOf } from "./time-words.ts";
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

/** In a word; where gateways have started it, in how many of them it is so. */
function stateOf({ state, gateways = [] }: ServerView): string {
  if (gateways.length === 0) return state;
  const count = gateways.filter((gateway) => gateway.state === state).length;
  return `${WORDS[state] ?? state} in ${countOf(count, "gateway")}`;
}

const WORDS: Partial<Record<ServerView["state"], string>> = { ready: "running", connecting: "starting" };

/** Which process has which servers, for whoever looks for it in a list of processes. */
function gatewayLines(views: readonly ServerView[]): string[] {
  const lines = new Map<number, { readonly serves: string; readonly servers: string[] }>();
  for (const { id, gateways = [] } of views) {
    for (const { pid, serves = "a command", state, since, error, said } of gateways) {
      const line = lines.get(pid) ?? { serves, servers: [] };
      lines.set(pid, line);
      const word = WORDS[state as ServerView["state"]] ?? state;
      const cause = error === undefined ? "" : `: ${error}`;
      const last = said === undefined ? "" : `. It said: ${said}`;
      line.servers.push(`${id} ${word} since ${agoOf(since)}${cause}${last}`);
    }
  }
  return [...lines].flatMap(([pid, { serves, servers }]) => [
    `gateway with pid ${pid} (${serves}):`,
    ...servers.map((text) => dim(`  ${escapeUnprintable(text)}`)),
  ]);
}

function showTable(views: readonly ServerView[], options: GlobalOptions): void {
  const rows = views.map((view) => [
    view.id,
    stateOf(view),
    view.era ?? "",
    view.toolCount === undefined ? "" : countOf(view.toolCount, "tool"),
    view.connectMs === undefined ? "" : `${Math.round(view.connectMs)} ms`,
    view.latencyMs === undefined ? "" : `${Math.ceil(view.latencyMs)} ms`,
    view.target,
  ]);
  printTable([["SERVER", "STATE", "ERA", "TOOLS", "START", "LATENCY", "TARGET"], ...rows]);
  const running = gatewayLines(views);
  if (running.length > 0) print();
  for (const line of running) print(line);
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
  for (const view of views.filter((other) => other.error !== undefined && other.gateways === undefined)) {
    print(`\n${view.id}: ${escapeUnprintable(view.error!)}`);
    for (const line of view.stderr ?? []) print(dim(`  │ ${escapeUnprintable(line)}`));
  }
}
