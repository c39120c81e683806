import type { ClientDocument } from "./client-document.ts";
import { namesAt, plainServers, valueAt, type FindServers, type Way } from "./written-server.ts";

/** Now, and before its settings were sorted into sections. */
const ALLOWED: readonly Way[] = [["mcp", "allowed"], ["allowMCPServers"]];
const EXCLUDED: readonly Way[] = [["mcp", "excluded"], ["excludeMCPServers"]];

/** Gemini CLI has lists beside its servers: only these, and none of those. */
export const findGeminiServers: FindServers = (document, all, place) => {
  const allowed = namesIn(all, ALLOWED);
  const excluded = new Set(namesIn(all, EXCLUDED));
  return plainServers(document, place, [["mcpServers"], ["mcp", "mcpServers"]]).map((server) => {
    const isAllowed = allowed === undefined || allowed.includes(server.key);
    if (isAllowed && !excluded.has(server.key)) return server;
    return { ...server, isEnabled: false, notes: ["It is switched off in Gemini CLI."] };
  });
};

/** Undefined where no file has such a list. */
function namesIn(all: readonly ClientDocument[], ways: readonly Way[]): string[] | undefined {
  const lists = all.flatMap(({ value }) => ways.map((way) => ({ value, way })));
  const present = lists.filter(({ value, way }) => Array.isArray(valueAt(value, way)));
  return present.length === 0 ? undefined : present.flatMap(({ value, way }) => namesAt(value, way));
}
