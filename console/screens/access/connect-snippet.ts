/** What a client needs to come in with a new token. */
export interface ConnectSnippet {
  readonly title: string;
  readonly text: string;
  readonly language: "json" | "text";
}

/** For clients that are configured with JSON, and for Claude Code. */
export function connectSnippets(url: string, token: string): readonly ConnectSnippet[] {
  const headers = { Authorization: `Bearer ${token}` };
  return [
    {
      title: "A client's JSON",
      text: JSON.stringify({ mcpServers: { repertoire: { type: "http", url, headers } } }, null, 2),
      language: "json",
    },
    {
      title: "Claude Code",
      text: `claude mcp add --transport http repertoire ${url} --header "Authorization: Bearer ${token}"`,
      language: "text",
    },
  ];
}

/** Where a token comes in: through its profile where it is limited to some, else through the whole gateway. */
export function endpointOf(origin: string, profiles: readonly string[] = []): string {
  const [first] = profiles;
  return first === undefined ? `${origin}/mcp` : `${origin}/mcp/${encodeURIComponent(first)}`;
}
