/**
 * Servers as READMEs show them: `{"mcpServers": {…}}`, a table of servers, one entry, or the lines of one without outer
 * braces.
 */
import { parseDocument } from "../../config/files/document.ts";
import { asObject } from "../../config/entries/server-check.ts";
import { isJsonObject, type JsonObject } from "../../core/json.ts";

export interface SnippetServer {
  /** Absent for an entry alone. */
  readonly key?: string;
  readonly entry: JsonObject;
}

/** The servers of a snippet, or what is wrong with it. No text of it is repeated: it may hold a secret. */
export function readSnippet(text: string): readonly SnippetServer[] | string {
  const value = parse(text) ?? parse(`{${text.trim().replace(/,$/, "")}}`);
  if (value === undefined) return "this is not valid JSON; copy the whole block, with all braces";
  if (isEntry(value)) return [{ entry: value }];
  const table = tableIn(value);
  const servers = Object.entries(table).flatMap(([key, entry]) => (isEntry(entry) ? [{ key, entry }] : []));
  return servers.length === 0
    ? 'this JSON has no server: a server has a "command" or a "url", as in {"mcpServers": {"NAME": {"command": "npx"}}}'
    : servers;
}

/** Whether a text is meant as JSON, and not as a command. */
export function isSnippet(text: string): boolean {
  return /^\s*(?:\{|"[^"]*"\s*:)/.test(text);
}

function parse(text: string): JsonObject | undefined {
  const parsed = parseDocument(text.trim(), "");
  if (!parsed.ok || parsed.complaints.length > 0) return undefined;
  const { value } = parsed.document;
  return isJsonObject(value) ? structuredClone(value) : undefined;
}

function tableIn(value: JsonObject): Record<string, unknown> {
  const { mcp } = value;
  for (const holder of [value, asObject(mcp)]) {
    for (const key of ["mcpServers", "servers", "mcp_servers"]) {
      const table = asObject(holder?.[key]);
      if (table !== undefined) return table;
    }
  }
  return value;
}

function isEntry(value: unknown): value is JsonObject {
  return (
    isJsonObject(value) &&
    ["command", "url", "serverUrl", "httpUrl", "openapi"].some((key) => typeof value[key] === "string")
  );
}
