/** How each client is told of an endpoint: a command where the client has one, else what to write where. */

export interface Endpoint {
  readonly url: string;
  readonly token: string;
}

export interface ConnectHint {
  readonly client: string;
  /** For a shell, or for a file that `where` names. */
  readonly text: string;
  readonly where?: string;
}

export function connectHints({ url, token }: Endpoint): ConnectHint[] {
  const headers = { Authorization: `Bearer ${token}` };
  const server = { type: "http", url, headers };
  return [
    {
      client: "Claude Code",
      text: `claude mcp add --transport http repertoire ${url} --header "Authorization: Bearer ${token}"`,
    },
    {
      client: "Cursor",
      where: "~/.cursor/mcp.json",
      text: JSON.stringify({ mcpServers: { repertoire: { url, headers } } }),
    },
    { client: "VS Code", text: `code --add-mcp '${JSON.stringify({ name: "repertoire", ...server })}'` },
    {
      client: "Codex",
      text: `export REPERTOIRE_TOKEN=${token}; codex mcp add repertoire --url ${url} --bearer-token-env-var REPERTOIRE_TOKEN`,
    },
    {
      client: "Gemini CLI",
      text: `gemini mcp add --transport http repertoire ${url} --header "Authorization: Bearer ${token}"`,
    },
    {
      client: "Windsurf",
      where: "~/.codeium/windsurf/mcp_config.json",
      text: JSON.stringify({ mcpServers: { repertoire: { serverUrl: url, headers } } }),
    },
    {
      client: "anything else",
      where: "its config, as a server over Streamable HTTP",
      text: `${url} with the header Authorization: Bearer ${token}`,
    },
  ];
}

export function formatHints(hints: readonly ConnectHint[], mark: (text: string) => string): string {
  const lines = hints.map(({ client, where, text }) => {
    const place = where === undefined ? "" : ` (${where})`;
    return `   ${mark(`${client}${place}`)}\n     ${text}`;
  });
  return lines.join("\n");
}
