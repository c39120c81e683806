/** Removes, enables and disables servers in their files. The files need only be JSON: their servers may be invalid. */
import { listFiledServers, type FiledServer } from "../../config/entries/filed-servers.ts";
import { editConfig, planEdits, type PlannedEdits } from "../../config/files/edit.ts";
import { loadConfig } from "../../config/load.ts";
import { locateConfig } from "../../config/locate.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import { didYouMean, nearest } from "../../text/nearest.ts";
import { changeConfig, configError } from "./config-change.ts";
import type { Handler, Handlers, OperatorDeps } from "../operator.ts";
import { recordChange } from "../record-change.ts";
import { bundleAt, removeUnusedBundle } from "./install/write-install.ts";

export interface ServerChange {
  /** What was done, in one word: `removed`. */
  readonly word: "removed" | "enabled" | "disabled";
  /** The fields of the entry that change, `undefined` for those that go; without fields, the entry itself goes. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

export const REMOVED: ServerChange = { word: "removed" };
export const ENABLED: ServerChange = { word: "enabled", fields: { enabled: undefined, disabled: undefined } };
export const DISABLED: ServerChange = { word: "disabled", fields: { enabled: false } };

export const serverChangeHandlers: Handlers<"removeServer" | "enableServer" | "disableServer"> = {
  removeServer: handlerOf(REMOVED),
  enableServer: handlerOf(ENABLED),
  disableServer: handlerOf(DISABLED),
};

function handlerOf(change: ServerChange): Handler<"removeServer" | "enableServer" | "disableServer"> {
  return (deps, viewer, { params: { server } }) =>
    changeConfig(async () => {
      const changed = changeServer(deps.place, server, change);
      if (!changed.success) return changed;
      const { id, file, bundle } = changed.data;
      await deps.app.followConfig();
      if (bundle !== undefined) await removeUnusedBundle(bundle, deps.place);
      await recordChange(deps, viewer, {
        action: `server.${change.word}`,
        subject: id,
        details: { file },
      });
      return succeed({ [change.word]: id, file });
    });
}

export interface ChangedServer {
  readonly id: string;
  readonly file: string;
  /** The files that it was unpacked to, where it was removed: they are not taken away yet. */
  readonly bundle?: string;
  /** A server of the same id in a file further away, which counts once the nearer one is gone. */
  readonly next?: FiledServer;
  /** The text of the file before and after. */
  readonly edits: PlannedEdits;
}

/** Found by its key or id. With `isDry`, nothing is written. */
export function changeServer(
  place: OperatorDeps["place"],
  name: string,
  { fields }: ServerChange,
  isDry = false,
): ToolResult<ChangedServer> {
  const options = { configPath: place.configPath, home: place.home };
  const { servers, problems } = listFiledServers(options);
  const server = servers.find((other) => other.key === name || other.id === name);
  if (server === undefined) {
    if (problems.length > 0) throw configError(problems);
    const keys = servers.map(({ key }) => key);
    const near = nearest(name, keys);
    return fail("TOOL_NOT_FOUND", `${describeMiss(name, options)}.${didYouMean(near)}`, { nearest: near });
  }
  const { key, path, table } = server;
  const changes =
    fields === undefined
      ? [{ path: [table, key], value: undefined }]
      : Object.entries(fields).map(([field, value]) => ({ path: [table, key, field], value }));
  const edits = planEdits(path, changes);
  const bundle = fields === undefined ? bundleAt(path, server) : undefined;
  if (!isDry) editConfig(path, locateConfig(options).home, changes);
  const next = servers.find((one) => one.id !== undefined && one.id === server.id && one.path !== path);
  return succeed({
    id: server.id ?? key,
    file: path,
    edits,
    ...(bundle !== undefined && { bundle }),
    ...(next !== undefined && { next }),
  });
}

function describeMiss(name: string, options: Parameters<typeof loadConfig>[0]): string {
  const loaded = loadConfig(options);
  const isFromEnvironment = loaded.ok && loaded.config.servers.some(({ id }) => id === name);
  return isFromEnvironment ? `"${name}" comes from the environment` : `there is no server "${name}"`;
}
