/** Where new servers go in a config file: under names that are valid and free, or that may be replaced. */
import { listFiledServers } from "../../config/entries/filed-servers.ts";
import type { JsonObject } from "../../core/json.ts";
import { serverIdOf } from "../../core/names.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import type { NewServer } from "./new-servers.ts";
import type { OperatorDeps } from "../operator.ts";

export interface NamedEntry {
  readonly key: string;
  readonly entry: JsonObject;
}

export interface Placing {
  readonly place: OperatorDeps["place"];
  /** The file that they are written to. */
  readonly path: string;
  /** Whether servers of the same names are replaced. */
  readonly replaces: boolean;
}

export function placeServers(
  given: readonly NamedEntry[],
  { place, path, replaces }: Placing,
): ToolResult<NewServer[]> {
  const filed = listFiledServers({ configPath: place.configPath, home: place.home });
  const servers: NewServer[] = [];
  for (const { key, entry } of given) {
    const id = serverIdOf(key);
    if (!id.success) return id;
    const taken = filed.servers.find((other) => other.path === path && other.id === id.data);
    if (taken !== undefined && !replaces) return isTaken(taken.key, path);
    const table = taken === undefined ? {} : { table: taken.table };
    servers.push({ key: taken?.key ?? key, id: id.data, entry, ...table });
  }
  return succeed(servers);
}

function isTaken(key: string, path: string): ToolResult<never> {
  return fail("TOOL_INVALID_INPUT", `a server "${key}" already exists in ${path}; --force replaces it`, {
    reason: "taken",
    field: "name",
  });
}
