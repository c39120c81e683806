import { agoOf, countOf } from "../../terminal/wording.ts";
import type { ServerView } from "../../../app/app.ts";
import type { ServerConfig } from "../../../config/config.ts";
import { formatProblem } from "../../../config/problem.ts";
import { didYouMean, nearest } from "../../../text/nearest.ts";
import { escapeUnprintable } from "../../../text/printable.ts";
import { fail, succeed, type ToolResult } from "../../../core/result.ts";
import { describeStarting } from "../../../process/starting.ts";
import { refuse } from "../../app-call.ts";
import { commandLine } from "../../command-line.ts";
import { EXIT } from "../../terminal/exit-code.ts";
import { openSession, configError } from "../../session.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { findUnpinnedServers, howToPin, type UnpinnedServer } from "./pinned-entry.ts";
import { startServersVisibly } from "./start-servers.ts";
import { dim, note, print, printJson, printTable, failWith, green } from "../../terminal/terminal.ts";
import { defineCommand } from "../../command.ts";
import type { DryRunOptions } from "../../dry-run.ts";
import { editConfig, planEdits } from "../../../config/files/edit.ts";
import { listFiledServers, type FiledServer } from "../../../config/entries/filed-servers.ts";
import { loadConfig } from "../../../config/load.ts";
import { locateConfig } from "../../../config/locate.ts";
import { showDryRun } from "../../terminal/shown-diff.ts";

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
    const found = findServer(name, session.config.current().servers);
    if (!found.success) return refuse(found.error, options);
    const { servers: configured } = session.config.current();
    const ids = found.data ?? configured.map(({ id }) => id);
    const views = await (options.check === true
      ? startServersVisibly(session.app, ids)
      : session.app.viewServers(false, ids));
    const unpinned = findUnpinnedServers(configured.filter(({ id }) => ids.includes(id)));
    if (options.json === true) printJson(views.map((view) => withPackage(view, unpinned)));
    else if (views.length === 0) note("No servers are configured. Add one: repertoire add NAME -- COMMAND");
    else {
      showTable(views, { ...options, ...(name !== undefined && { rejected: true }) });
      showUnpinned(unpinned, options);
    }
    return options.check === true && views.some((view) => view.cause !== undefined)
      ? EXIT.unreachable
      : EXIT.ok;
  } finally {
    await session.close();
  }
}

/** Programs are told which package has no exact version. */
function withPackage(view: ServerView, unpinned: readonly UnpinnedServer[]): object {
  const found = unpinned.find(({ id }) => id === view.id);
  return found === undefined ? view : { ...view, unpinned: found.run.name };
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

/** The id of the named server; undefined without a name, for all. */
function findServer(
  name: string | undefined,
  configured: readonly ServerConfig[],
): ToolResult<readonly string[] | undefined> {
  if (name === undefined) return succeed(undefined);
  const server = configured.find(({ key, id }) => key === name || id === name);
  if (server !== undefined) return succeed([server.id]);
  const near = nearest(
    name,
    configured.map(({ id }) => id),
  );
  return fail("TOOL_NOT_FOUND", `There is no server ${JSON.stringify(name)}.${didYouMean(near)}`, {
    field: "name",
    nearest: near,
    hint: "Run: repertoire servers",
  });
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
  for (const lines of [gatewayLines(views), rejectedLines(views, options)]) {
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
  run: (options: DryRunOptions, name: string) => changeServer(options, name, { word: "removed" }),
});

export const enableCommand = defineCommand({
  name: "enable",
  group: "servers",
  summary: "Enable a server; running gateways start using it at once",
  arguments: [SERVER_ARGUMENT],
  dryRun: "own",
  examples: ["repertoire enable github"],
  run: (options: DryRunOptions, name: string) =>
    changeServer(options, name, { word: "enabled", fields: { enabled: undefined, disabled: undefined } }),
});

export const disableCommand = defineCommand({
  name: "disable",
  group: "servers",
  summary: "Disable a server: running gateways stop it and hide its tools",
  arguments: [SERVER_ARGUMENT],
  dryRun: "own",
  examples: ["repertoire disable github"],
  run: (options: DryRunOptions, name: string) =>
    changeServer(options, name, { word: "disabled", fields: { enabled: false } }),
});

interface ServerChange {
  /** What was done, in one word: `removed`. */
  readonly word: string;
  /** The fields of the entry that change, `undefined` for those that go; without fields, the entry itself goes. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

/**
 * Changes one server in its file, found by its key or id. The files need only be JSON: their servers may be invalid.
 */
function changeServer(options: DryRunOptions, name: string, { word, fields }: ServerChange): number {
  const place = { configPath: options.config, home: options.home };
  const { servers, problems } = listFiledServers(place);
  const server = servers.find((other) => other.key === name || other.id === name);
  if (server === undefined) {
    if (problems.length > 0) throw configError(problems);
    return failWith(
      EXIT.notFound,
      `${describeMiss(name, options)}.${didYouMean(nearest(name, keysOf(servers)))}`,
    );
  }
  const { key, path, table } = server;
  const edits =
    fields === undefined
      ? [{ path: [table, key], value: undefined }]
      : Object.entries(fields).map(([field, value]) => ({ path: [table, key, field], value }));
  const named = server.id ?? key;
  if (options.dryRun === true) return showDryRun({ path, ...planEdits(path, edits) }, options.json === true);
  editConfig(path, locateConfig(place).home, edits);
  if (options.json === true) printJson({ [word]: named, file: path });
  else {
    note(`${green(word)} ${named} in ${path}`);
    if (fields === undefined) noteOther(server, servers);
  }
  return EXIT.ok;
}

/** A server of the same id in a file further away counts once the nearer one is gone. */
function noteOther({ id, path }: FiledServer, servers: readonly FiledServer[]): void {
  const other = servers.find((one) => one.id !== undefined && one.id === id && one.path !== path);
  if (other?.trusted === true) note(`${other.id} of ${other.path} is used now`);
}

function keysOf(servers: readonly FiledServer[]): string[] {
  return servers.map(({ key }) => key);
}

function describeMiss(name: string, { config, home }: GlobalOptions): string {
  const loaded = loadConfig({ configPath: config, home });
  const isFromEnvironment = loaded.ok && loaded.config.servers.some(({ id }) => id === name);
  return isFromEnvironment ? `"${name}" comes from the environment` : `there is no server "${name}"`;
}
