/** How each client writes down a server: the same command or address, in seven spellings. */
import type { JsonObject } from "../../core/json.ts";
import { asObject } from "../../config/entries/server-check.ts";
import type { ClientId } from "../client.ts";

export type GatewayServer =
  | {
      readonly kind: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      readonly env?: Readonly<Record<string, string>>;
    }
  /**
   * `tokenVariable` names the variable that holds the token: the token itself is never written into a client's file.
   */
  | { readonly kind: "http"; readonly url: string; readonly tokenVariable?: string | undefined };

/** What to write for a server; `undefined` where the client's file has no way to say it. */
export function describeEntry(client: ClientId, server: GatewayServer): JsonObject | undefined {
  if (server.kind === "http") return REMOTE[client]?.(server.url, server.tokenVariable);
  const { command, args, env } = server;
  if (client === "claude") return { type: "stdio", command, args, env: { ...env }, ...AT_HAND };
  const entry = { command, args, ...(env !== undefined && { env: { ...env } }) };
  return client === "vscode" ? { type: "stdio", ...entry } : entry;
}

/** It loads the tools of servers only when it searches for them; without these five it would not search here at all. */
const AT_HAND = { alwaysLoad: true } as const;

type DescribeRemote = (url: string, variable: string | undefined) => JsonObject;

/** Claude Desktop has remote servers in its settings window, not in its file. */
const REMOTE: Readonly<Record<ClientId, DescribeRemote | undefined>> = {
  claude: (url, variable) => ({
    type: "http",
    url,
    ...bearer(variable, (name) => `\${${name}}`),
    ...AT_HAND,
  }),
  "claude-desktop": undefined,
  cursor: (url, variable) => ({ url, ...bearer(variable, (name) => `\${env:${name}}`) }),
  vscode: (url, variable) => ({ type: "http", url, ...bearer(variable, (name) => `\${env:${name}}`) }),
  windsurf: (url, variable) => ({ serverUrl: url, ...bearer(variable, (name) => `\${env:${name}}`) }),
  codex: (url, variable) => ({
    url,
    ...(variable === undefined ? {} : { bearer_token_env_var: variable }),
  }),
  gemini: (url, variable) => ({ httpUrl: url, ...bearer(variable, (name) => `\${${name}}`) }),
};

function bearer(variable: string | undefined, reference: (name: string) => string): JsonObject {
  return variable === undefined ? {} : { headers: { Authorization: `Bearer ${reference(variable)}` } };
}

const STDIO_KEYS = ["command", "args", "env", "env_vars", "cwd", "envFile"];
const REMOTE_KEYS = [
  "url",
  "serverUrl",
  "httpUrl",
  "headers",
  "http_headers",
  "env_http_headers",
  "bearer_token_env_var",
];
/** What a person wrote there counts. */
const KEPT: ReadonlySet<string> = new Set(["headers", "alwaysLoad"]);
/** A person who connects a client wants the server to be on. */
const SWITCHES = ["enabled", "disabled"];

/** Our entry over what is there already: what a person added to it stays, what belongs to the other transport goes. */
export function mergeEntry(existing: unknown, entry: JsonObject): Record<string, unknown> {
  if (typeof existing !== "object" || existing === null || Array.isArray(existing)) return { ...entry };
  const isStdio = "command" in entry;
  const isOtherKind = "command" in existing !== isStdio;
  const dropped = new Set([
    ...SWITCHES,
    ...(isOtherKind ? ["type", ...(isStdio ? REMOTE_KEYS : STDIO_KEYS)] : []),
  ]);
  const merged: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(existing)) if (!dropped.has(key)) merged[key] = value;
  for (const [key, value] of Object.entries(entry)) {
    // What a person put there by hand stays: other variables beside those that the command needs, and headers as they
    // are.
    if (key === "env") merged[key] = { ...asObject(merged[key]), ...(value as JsonObject) };
    else if (!KEPT.has(key) || !Object.hasOwn(merged, key)) merged[key] = value;
  }
  return merged;
}
