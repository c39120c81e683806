import { listFiledServers, type FiledServer } from "../../../config/entries/filed-servers.ts";
import { objectAt } from "../../../config/entries/server-check.ts";
import { editConfig, planEdits } from "../../../config/files/edit.ts";
import { locateConfig } from "../../../config/locate.ts";
import type { JsonObject } from "../../../core/json.ts";
import { fail, succeed, type ToolResult } from "../../../core/result.ts";
import { didYouMean, nearest } from "../../../text/nearest.ts";
import { refuse } from "../../app-call.ts";
import { defineCommand } from "../../command.ts";
import type { DryRunOptions } from "../../dry-run.ts";
import { documentAt } from "../../../operator/servers/new-servers.ts";
import { EXIT } from "../../terminal/exit-code.ts";
import { showDryRun } from "../../terminal/shown-diff.ts";
import { green, note, printJson } from "../../terminal/terminal.ts";
import { pinEntry } from "../../../operator/servers/pinned-entry.ts";

export const pinCommand = defineCommand({
  name: "pin",
  group: "servers",
  summary: "Pin the npm package of a server: its exact version and integrity go into the config",
  arguments: [{ words: "<name>", about: "the server", completes: ["servers"] }],
  dryRun: "own",
  help: `A server that npx starts by a bare name runs whatever was published last. Pinned, it runs one version, and it is not
started when the registry has other bytes under that version. Your own npm is asked, with its registry and login.
Run it again to pin the newest version after you have read what changed; write NAME@VERSION in the config for another.`,
  examples: ["repertoire pin files", "repertoire pin files --dry-run"],
  run: (options: DryRunOptions, name: string) => pin(name, options),
});

async function pin(name: string, options: DryRunOptions): Promise<number> {
  const place = { configPath: options.config, home: options.home };
  const found = findEntry(name, listFiledServers(place).servers);
  if (!found.success) return refuse(found.error, options);
  const { server, entry } = found.data;
  const pinned = await pinEntry(server.key, entry);
  if (!pinned.success) return refuse(pinned.error, options);
  const { spec, fields } = pinned.data;
  const edits = Object.entries(fields).map(([field, value]) => ({
    path: [server.table, server.key, field],
    value,
  }));
  const { path } = server;
  if (options.dryRun === true) return showDryRun({ path, ...planEdits(path, edits) }, options.json === true);
  editConfig(path, locateConfig(place).home, edits);
  if (options.json === true)
    printJson({ pinned: server.id ?? server.key, package: spec, ...fields, file: path });
  else note(`${green("pinned")} ${server.key} to ${spec} (${fields.integrity.slice(0, 20)}…) in ${path}`);
  return EXIT.ok;
}

function findEntry(
  name: string,
  servers: readonly FiledServer[],
): ToolResult<{ readonly server: FiledServer; readonly entry: JsonObject }> {
  const server = servers.find(({ key, id }) => key === name || id === name);
  if (server === undefined) {
    const near = nearest(
      name,
      servers.map(({ key }) => key),
    );
    return fail("TOOL_NOT_FOUND", `There is no server ${JSON.stringify(name)}.${didYouMean(near)}`, {
      field: "name",
      nearest: near,
      hint: "Run: repertoire servers",
    });
  }
  const table = objectAt(documentAt(server.path), server.table);
  return succeed({ server, entry: (objectAt(table, server.key) ?? {}) as JsonObject });
}
