import { agoOf, countOf } from "../../terminal/wording.ts";
import type { ServerView } from "../../../app/app.ts";
import { formatProblem } from "../../../config/problem.ts";
import {
  findUnpinnedServers,
  howToPin,
  type UnpinnedServer,
} from "../../../operator/servers/pinned-entry.ts";
import {
  changeServer,
  DISABLED,
  ENABLED,
  REMOVED,
  type ServerChange,
} from "../../../operator/servers/server-changes.ts";
import { removeUnusedBundle } from "../../../operator/servers/install/write-install.ts";
import { findServer, seenServers, viewServers } from "../../../operator/servers/server-list.ts";
import { describeStarting } from "../../../process/starting.ts";
import { escapeUnprintable } from "../../../text/printable.ts";
import { operatorOf, refuse } from "../../app-call.ts";
import { commandLine } from "../../command-line.ts";
import { defineCommand } from "../../command.ts";
import type { DryRunOptions } from "../../dry-run.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { openSession } from "../../session.ts";
import { EXIT } from "../../terminal/exit-code.ts";
import { showDryRun } from "../../terminal/shown-diff.ts";
import { dim, failWith, green, note, print, printJson, printTable } from "../../terminal/terminal.ts";
import { startServersVisibly } from "./start-servers.ts";

interface ServersOptions extends GlobalOptions {
  readonly check?: boolean;
  readonly rejected?: boolean;
}

export const serversCommand = defineCommand({
  name: "servers",
  group: "servers",
  summary: "List the configured servers: state, era, tools, latency, last error, rejected entries",
  arguments: [{ words: "[name]", about: "only this server, with every rejected entry of its lists" }],
  options: [
    { flags: "--check", about: "Start each server and query it; without this option nothing is started" },
    {
      flags: "--rejected",
      about: "Show every rejected entry of all servers, with its code and reason",
    },
  ],
  examples: [
    "repertoire servers",
    "repertoire servers github",
    "repertoire servers --rejected",
    "repertoire servers --check --json",
  ],
  run: (options: ServersOptions, name: string | undefined) => show(name, options),
});

async function show(name: string | undefined, options: ServersOptions): Promise<number> {
  const session = await openSession(options);
  try {
    const { deps, viewer } = operatorOf(session, options);
    const found = name === undefined ? undefined : findServer(deps, viewer, name);
    if (found?.success === false) return refuse(found.error, options);
    const ids = found === undefined ? seenServers(deps, viewer) : [found.data];
    const look =
      options.check === true
        ? (some: readonly string[]) => startServersVisibly(session.app, some)
        : undefined;
    const views = await viewServers(deps, viewer, ids, look);
    if (options.json === true) printJson(views);
    else if (views.length === 0) note("No servers are configured. Add one: repertoire add NAME -- COMMAND");
    else {
      showTable(views, { ...options, ...(name !== undefined && { rejected: true }) });
      const { servers } = session.config.current();
      showUnpinned(findUnpinnedServers(servers.filter(({ id }) => ids.includes(id))), options);
    }
    return options.check === true && views.some((view) => view.cause !== undefined)
      ? EXIT.unreachable
      : EXIT.ok;
  } finally {
    await session.close();
  }
}

function showUnpinned(unpinned: readonly UnpinnedServer[], options: GlobalOptions): void {
  const [first] = unpinned;
  if (first === undefined) return;
  const npm = unpinned.find(({ run }) => run.kind === "npm");
  const cure =
    npm === undefined
      ? `In the args of ${first.id}, ${howToPin(first.run)}.`
      : `Pin it: ${commandLine(["pin", npm.id], options)}`;
  const names = unpinned.map(({ id }) => id).join(", ");
  print(`\n${names}: without an exact version, each start may run another package. ${cure}`);
}

/** What was left out: how much of each server, or each entry with its code and its reason. */
function rejectedLines(views: readonly ServerView[], options: ServersOptions): string[] {
  const some = views.filter(({ rejected }) => rejected.length > 0);
  if (options.rejected === true)
    return some.flatMap(({ id, rejected }) =>
      rejected.map(({ code, kind, name, reason }) =>
        escapeUnprintable(`${id}: ${kind} ${name} rejected (${code}): ${reason}`),
      ),
    );
  return some.map(({ id, rejected }) => {
    const command = commandLine(["servers", id], options);
    return `${id}: ${countOf(rejected.length, "entry", "entries")} rejected. See: ${command}`;
  });
}

/** In a word; where gateways have started it, in how many of them it is so. */
function stateOf({ state, gateways = [] }: ServerView): string {
  if (gateways.length === 0) return state;
  const count = gateways.filter((gateway) => gateway.state === state).length;
  return `${WORDS[state] ?? state} in ${countOf(count, "gateway")}`;
}

const WORDS: Partial<Record<ServerView["state"], string>> = { ready: "running", connecting: "starting" };

/** Which gateway process runs which servers. */
function gatewayLines(views: readonly ServerView[]): string[] {
  const lines = new Map<number, { readonly serves: string; readonly servers: string[] }>();
  for (const { id, gateways = [] } of views) {
    for (const { pid, serves = "a command", state, since, error, said } of gateways) {
      const line = lines.get(pid) ?? { serves, servers: [] };
      lines.set(pid, line);
      const word = WORDS[state as ServerView["state"]] ?? state;
      const cause = error === undefined ? "" : `: ${error}`;
      const last = said === undefined ? "" : `. Last output: ${said}`;
      line.servers.push(`${id}: ${word}, started ${agoOf(since)}${cause}${last}`);
    }
  }
  return [...lines].flatMap(([pid, { serves, servers }]) => [
    `gateway with pid ${pid} (${serves}):`,
    ...servers.map((text) => dim(`  ${escapeUnprintable(text)}`)),
  ]);
}

/** What each server may reach that runs in a sandbox. */
function sandboxLines(views: readonly ServerView[]): string[] {
  return views.flatMap(({ id, sandbox }) =>
    sandbox === undefined ? [] : [escapeUnprintable(`${id}: sandboxed: ${sandbox}`)],
  );
}

function showTable(views: readonly ServerView[], options: ServersOptions): void {
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
  for (const lines of [sandboxLines(views), gatewayLines(views), rejectedLines(views, options)]) {
    if (lines.length > 0) print();
    for (const line of lines) print(line);
  }
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
      `\nTo allow the servers of this folder's repertoire.json to start: ${commandLine(["trust"], options)}`,
    );
  }
  for (const { id, starting } of views) {
    if (starting !== undefined) print(`\n${id} is ${describeStarting(starting)}`);
  }
  for (const view of views.filter((other) => other.error !== undefined && other.gateways === undefined)) {
    print(`\n${view.id}: ${escapeUnprintable(view.error!)}`);
    for (const line of view.stderr ?? []) print(dim(`  │ ${escapeUnprintable(line)}`));
    if (view.hint !== undefined) print(`  ${escapeUnprintable(view.hint)}`);
  }
}

const SERVER_ARGUMENT = { words: "<name>", about: "the server", completes: ["servers"] } as const;

export const removeCommand = defineCommand({
  name: "remove",
  group: "servers",
  summary: "Remove a server from the config",
  arguments: [SERVER_ARGUMENT],
  dryRun: "own",
  examples: ["repertoire remove github"],
  run: (options: DryRunOptions, name: string) => change(options, name, REMOVED),
});

export const enableCommand = defineCommand({
  name: "enable",
  group: "servers",
  summary: "Enable a server; running gateways start using it at once",
  arguments: [SERVER_ARGUMENT],
  dryRun: "own",
  examples: ["repertoire enable github"],
  run: (options: DryRunOptions, name: string) => change(options, name, ENABLED),
});

export const disableCommand = defineCommand({
  name: "disable",
  group: "servers",
  summary: "Disable a server: running gateways stop it and hide its tools",
  arguments: [SERVER_ARGUMENT],
  dryRun: "own",
  examples: ["repertoire disable github"],
  run: (options: DryRunOptions, name: string) => change(options, name, DISABLED),
});

/** Changes one server in its file, found by its key or id, and says what was done. */
async function change(options: DryRunOptions, name: string, wanted: ServerChange): Promise<number> {
  const place = { configPath: options.config, home: options.home };
  const changed = changeServer(place, name, wanted, options.dryRun === true);
  if (!changed.success) return failWith(EXIT.notFound, changed.error.message);
  const { id, file, next, edits, bundle } = changed.data;
  if (options.dryRun === true) return showDryRun({ path: file, ...edits }, options.json === true);
  if (bundle !== undefined) await removeUnusedBundle(bundle, place);
  if (options.json === true) printJson({ [wanted.word]: id, file });
  else {
    note(`${green(wanted.word)} ${id} in ${file}`);
    if (wanted === REMOVED && next?.trusted === true) note(`${next.id} of ${next.path} is used now`);
  }
  return EXIT.ok;
}
