import type { InputDeclaration } from "../../config/values/inputs.ts";
import { pathOf, type ClientPlace } from "../client.ts";
import type { ClientDocument } from "./client-document.ts";
import { readInputDeclarations } from "../translate/input-declaration.ts";
import { plainServers, valueAt, type FindServers, type Way } from "./written-server.ts";

/** In a file of its own, servers are at the top; in the settings they are below `mcp`, as an object or in the key itself. */
const FILE_WAYS: readonly Way[] = [["servers"], ["mcpServers"], ["mcp", "servers"]];
const SETTINGS_WAYS: readonly Way[] = [["mcp", "servers"], ["mcp.servers"], ["mcp", "mcpServers"]];
const INPUT_WAYS: readonly Way[] = [["inputs"], ["mcp", "inputs"], ["mcp.inputs"]];

export const findVscodeServers: FindServers = (document, _all, place) =>
  plainServers(document, place, isSettings(document, place) ? SETTINGS_WAYS : FILE_WAYS);

/** The inputs that a file declares, by id. */
export function findInputs(document: ClientDocument): Map<string, InputDeclaration> {
  const lists = INPUT_WAYS.map((way) => valueAt(document.value, way));
  return readInputDeclarations(lists.flatMap((list): unknown[] => (Array.isArray(list) ? list : [])));
}

function isSettings({ file }: ClientDocument, place: ClientPlace): boolean {
  return pathOf(place.platform).basename(file.path) === "settings.json";
}
