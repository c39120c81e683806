/**
 * Packages of servers that many people use. A name that differs from one of them by a slip of the finger, or by its scope
 * alone, is how a package that somebody else made gets started in its place.
 *
 * Short on purpose: it is looked at by everybody who adds a server, and each name in it was published by those whom people
 * mean by it.
 */
import { editDistance } from "../../text/nearest.ts";
import type { PackageRun } from "./package-run.ts";

const REFERENCE = ["filesystem", "memory", "everything", "sequential-thinking"];
/** Archived, and still started by many. */
const ARCHIVED = [
  "github",
  "gitlab",
  "slack",
  "postgres",
  "puppeteer",
  "brave-search",
  "google-maps",
  "gdrive",
  "redis",
];

const KNOWN: Readonly<Record<PackageRun["kind"], readonly string[]>> = {
  npm: [
    ...[...REFERENCE, ...ARCHIVED].map((name) => `@modelcontextprotocol/server-${name}`),
    "@modelcontextprotocol/inspector",
    "@playwright/mcp",
    "@upstash/context7-mcp",
    "@notionhq/notion-mcp-server",
    "@supabase/mcp-server-supabase",
    "@sentry/mcp-server",
    "@stripe/mcp",
    "@azure/mcp",
    "@browserbasehq/mcp-server-browserbase",
    "@wonderwhy-er/desktop-commander",
    "chrome-devtools-mcp",
    "exa-mcp-server",
    "figma-developer-mcp",
    "firecrawl-mcp",
    "mcp-remote",
    "tavily-mcp",
  ],
  pypi: [
    "mcp-server-fetch",
    "mcp-server-git",
    "mcp-server-sqlite",
    "mcp-server-time",
    "awslabs.aws-documentation-mcp-server",
    "blender-mcp",
    "duckduckgo-mcp-server",
    "mcp-atlassian",
    "mcp-proxy",
  ],
  image: [
    "ghcr.io/github/github-mcp-server",
    "mcp/fetch",
    "mcp/filesystem",
    "mcp/git",
    "mcp/github",
    "mcp/memory",
    "mcp/playwright",
    "mcp/postgres",
    "mcp/sequentialthinking",
    "mcp/time",
  ],
};

/** Under such a name everybody has a package of their own. */
const COMMON_BASES: ReadonlySet<string> = new Set(["mcp", "mcp-server", "inspector"]);

/** The well-known package that a name could be taken for; undefined for one that is known itself. */
export function findLookalike({ kind, name }: Pick<PackageRun, "kind" | "name">): string | undefined {
  const known = KNOWN[kind];
  // npm has no names in capitals any more, and the others do not tell them apart.
  const asked = name.toLowerCase();
  if (known.includes(asked)) return undefined;
  return (
    known.find((one) => editDistance(asked, one) === 1) ?? known.find((one) => isOtherScope(asked, one, kind))
  );
}

function isOtherScope(asked: string, known: string, kind: PackageRun["kind"]): boolean {
  if (kind !== "npm") return false;
  const base = baseOf(known);
  return base !== known && !COMMON_BASES.has(base) && baseOf(asked) === base;
}

function baseOf(name: string): string {
  return name.slice(name.indexOf("/") + 1);
}
