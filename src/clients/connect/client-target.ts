import { listClientFiles, type ClientFile, type ClientId, type ClientPlace } from "../client.ts";

/** Where our entry goes: `section` is the key that holds a client's servers. */
export interface ClientTarget extends ClientFile {
  readonly section: "mcpServers" | "servers" | "mcp_servers";
}

/** The key of our entry, the same in every client. */
export const OWN_KEY = "repertoire";

/** The file that the client itself writes servers into; `undefined` where it keeps none for this folder alone. */
export function findClientTarget(
  client: ClientId,
  scope: ClientFile["scope"],
  place: ClientPlace,
): ClientTarget | undefined {
  const file = listClientFiles(place).find((other) => other.client === client && other.scope === scope);
  return file === undefined ? undefined : { ...file, section: sectionOf(client) };
}

function sectionOf(client: ClientId): ClientTarget["section"] {
  if (client === "codex") return "mcp_servers";
  return client === "vscode" ? "servers" : "mcpServers";
}
