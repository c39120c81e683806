import { defineCommand } from "../../command.ts";
import type { DryRunOptions } from "../../dry-run.ts";
import { editConfig, planEdits } from "../../../config/files/edit.ts";
import { listFiledServers, type FiledServer } from "../../../config/entries/filed-servers.ts";
import { loadConfig } from "../../../config/load.ts";
import { locateConfig } from "../../../config/locate.ts";
import { didYouMean, nearest } from "../../../text/nearest.ts";
import { EXIT } from "../../terminal/exit-code.ts";
import { configError } from "../../session.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { showDryRun } from "../../terminal/shown-diff.ts";
import { failWith, green, note, printJson } from "../../terminal/terminal.ts";

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
