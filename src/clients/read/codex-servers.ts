import { asObject } from "../../config/entries/server-check.ts";
import { isAtOrAbove, type ClientPlace } from "../client.ts";
import type { ClientDocument } from "./client-document.ts";
import { plainServers, valueAt, type FindServers } from "./written-server.ts";

/** Codex reads the file of a project only where the user trusts the folder. */
export const findCodexServers: FindServers = (document, all, place) => {
  const isApproved = document.file.scope === "user" || isTrusted(all, place);
  return plainServers(document, place, [["mcp_servers"], ["mcpServers"]], isApproved);
};

/** By what the user's own file says of the nearest folder that it knows. */
function isTrusted(all: readonly ClientDocument[], place: ClientPlace): boolean {
  const known = all
    .filter(({ file }) => file.scope === "user")
    .flatMap(({ value }) => Object.entries(asObject(valueAt(value, ["projects"])) ?? {}))
    .filter(([folder]) => isAtOrAbove(folder, place))
    .sort(([a], [b]) => b.length - a.length);
  return valueAt(known[0]?.[1], ["trust_level"]) === "trusted";
}
