/** The definitions of real servers, under the ids that they have in the config. */
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";

/** As the API of a model takes a tool, and what else its server says of it. */
export interface Definition {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: object;
}

export interface DefinedServer {
  readonly id: string;
  /** Its name in the file. */
  readonly server: string;
  readonly tools: readonly Definition[];
}

export interface Definitions {
  readonly file: string;
  readonly servers: readonly DefinedServer[];
}

/** What a person calls a server in the config. A name that is not here is its own id. */
const IDS: Record<string, string> = {
  "_antv_mcp-server-chart": "charts",
  _bytebase_dbhub: "dbhub",
  "_circleci_mcp-server-circleci": "circleci",
  "_cyanheads_git-mcp-server": "git",
  "_elastic_mcp-server-elasticsearch": "elasticsearch",
  _eslint_mcp: "eslint",
  "_modelcontextprotocol_server-brave-search": "brave",
  "_modelcontextprotocol_server-everything": "everything",
  "_modelcontextprotocol_server-filesystem": "files",
  "_modelcontextprotocol_server-github": "github",
  "_modelcontextprotocol_server-gitlab": "gitlab",
  "_modelcontextprotocol_server-google-maps": "maps",
  "_modelcontextprotocol_server-memory": "memory",
  "_modelcontextprotocol_server-postgres": "postgres",
  "_modelcontextprotocol_server-sequential-thinking": "thinking",
  "_modelcontextprotocol_server-slack": "slack",
  "_notionhq_notion-mcp-server": "notion",
  _playwright_mcp: "playwright",
  "_sentry_mcp-server": "sentry",
  "_upstash_context7-mcp": "context7",
  "chrome-devtools-mcp": "chrome",
  "exa-mcp-server": "exa",
  "figma-developer-mcp": "figma",
  "firecrawl-mcp": "firecrawl",
  "mcp-server-kubernetes": "kubernetes",
  "mcp-server-sqlite-npx": "sqlite",
  "mongodb-mcp-server": "mongodb",
  "next-devtools-mcp": "nextjs",
  "tavily-mcp": "tavily",
};

export function definitionsFile(): string {
  const asked = process.env["REPERTOIRE_BENCH_SERVERS"];
  return asked === undefined || asked === ""
    ? resolve(import.meta.dirname, "../../../shared/data/real-servers/tools.json")
    : resolve(asked);
}

/** Nothing where the file is missing. */
export function loadDefinitions(file: string): Definitions | undefined {
  if (!existsSync(file)) return undefined;
  const entries = JSON.parse(readFileSync(file, "utf8")) as Omit<DefinedServer, "id">[];
  return { file, servers: entries.map((entry) => ({ ...entry, id: idOf(entry.server) })) };
}

function idOf(server: string): string {
  return IDS[server.replace(/_\d[\w.-]*$/, "")] ?? server;
}
