/**
 * What a person should know before a server of this entry is started. Nothing here refuses: no shell reads a command line,
 * so these are words for a person to look at, who may have meant them.
 */
import type { JsonObject } from "../../core/json.ts";
import { quote } from "../../text/quote.ts";
import { programOf, SHELLS } from "./installer.ts";
import { findPackageRun, packageKindOf, type PackageRun } from "./package-run.ts";
import { editDistance } from "../../text/nearest.ts";

export interface EntryRisk {
  /**
   * `unpinned`: another version may be started tomorrow. `lookalike`: the package has nearly the name of a well-known one.
   * `reach`: the program gets at more than its own container or environment. `shell`: a text is made for a shell.
   */
  readonly kind: "unpinned" | "lookalike" | "reach" | "shell";
  /** One sentence; words of the entry are quoted in it. */
  readonly message: string;
}

/** Enough to show any argument that is meant to be read. */
const SHOWN_LENGTH = 500;

export function findEntryRisks(entry: JsonObject): EntryRisk[] {
  const started = commandOf(entry);
  if (started === undefined) return [];
  const { command, args } = started;
  const env = Object.entries((entry["env"] ?? {}) as JsonObject).filter(
    (pair): pair is [string, string] => typeof pair[1] === "string",
  );
  const run = findPackageRun(command, args);
  return [
    ...packageRisks(run),
    ...reachRisks(command, args, run),
    ...nameRisks(command, args, run),
    ...environmentRisks(env),
    ...shellRisks(command, args, env),
  ];
}

/** The package that an entry runs, if it runs one. */
export function packageOf(entry: JsonObject): PackageRun | undefined {
  const started = commandOf(entry);
  return started && findPackageRun(started.command, started.args);
}

/** Undefined for a remote server. */
export function commandOf({ command, args }: JsonObject): StartedCommand | undefined {
  if (typeof command !== "string") return undefined;
  return { command, args: Array.isArray(args) ? args.filter((arg) => typeof arg === "string") : [] };
}

interface StartedCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** What is said of a package without an exact version; undefined where there is nothing to say. */
function findUnpinned(run: PackageRun | undefined): string | undefined {
  if (run === undefined || run.isExact) return undefined;
  const { kind, name, version } = run;
  const written = version === undefined ? "no version" : `the version ${quote(version, SHOWN_LENGTH)}`;
  return `${name} is started with ${written}, so each start may run another ${WHAT[kind]}`;
}

const WHAT = { npm: "package", pypi: "package", image: "image" } as const;

function packageRisks(run: PackageRun | undefined): EntryRisk[] {
  const unpinned = findUnpinned(run);
  const known = run && findLookalike(run);
  return [
    ...(known === undefined
      ? []
      : [
          risk(
            "lookalike",
            `${run!.name} is nearly called like ${known}, which is well known: which of them is meant?`,
          ),
        ]),
    ...(unpinned === undefined ? [] : [risk("unpinned", `${unpinned}.`)]),
  ];
}

/** A whole word, or the part behind `=`, and what it opens. */
const REACHES: readonly (readonly [flag: RegExp, value: RegExp | undefined, what: string])[] = [
  [/^--privileged(?:=true)?$/, undefined, "it may do everything that the machine's administrator may"],
  [/^(?:-v|--volume)$/, /^\/:/, "it gets at every file of this machine"],
  [/^--mount$/, /(?:^|,)(?:source|src)=\/(?:,|$)/, "it gets at every file of this machine"],
  [/^(?:-v|--volume|--mount)$/, /docker\.sock/, "it can start any container, and so get at everything"],
  [/^--(?:network|net|pid|ipc|userns|uts)$/, /^host$/, "it is not apart from this machine"],
  [/^--cap-add$/, undefined, "it gets rights that containers do not have"],
  [/^--device$/, undefined, "it gets at a device of this machine"],
];

/** Where packages come from, and what is loaded into the program. */
const SOURCES =
  /^--?(?:registry|userconfig|globalconfig|index|index-url|extra-index-url|default-index|node-options|prefix)$/;

function reachRisks(command: string, args: readonly string[], run: PackageRun | undefined): EntryRisk[] {
  const kind = packageKindOf(command, args);
  if (kind === undefined) return [];
  // What comes behind the package is for the server, and means what the server says.
  return args.slice(0, run?.at ?? args.length).flatMap((word, at) => {
    const [, flag = word, own] = /^(-[^=]*)=(.*)$/s.exec(word) ?? [];
    const value = own ?? args[at + 1] ?? "";
    const shown = quote(own === undefined && takesValue(flag) ? `${word} ${value}` : word, SHOWN_LENGTH);
    if (kind !== "image") {
      return SOURCES.test(flag) ? [risk("reach", `${shown} decides where the package comes from.`)] : [];
    }
    return REACHES.filter(([name, wanted]) => name.test(flag) && (wanted === undefined || wanted.test(value)))
      .slice(0, 1)
      .map(([, , what]) => risk("reach", `${shown}: ${what}.`));
  });
}

function takesValue(flag: string): boolean {
  return flag !== "--privileged";
}

/** A package that is no name of one: words for the program that fetches it, put where a name should be. */
function nameRisks(command: string, args: readonly string[], run: PackageRun | undefined): EntryRisk[] {
  if (run !== undefined || packageKindOf(command, args) === undefined) return [];
  return args
    .filter((word) => /^\S{1,200}\s+\S/.test(word))
    .map((word) => risk("reach", `${quote(word, SHOWN_LENGTH)} is no name of a package: it has spaces.`));
}

/** Variables that have other code loaded into the program. */
const LOADERS =
  /^(?:LD_PRELOAD|LD_LIBRARY_PATH|DYLD_INSERT_LIBRARIES|NODE_OPTIONS|PYTHONSTARTUP|BASH_ENV|ENV)$/;

function environmentRisks(env: readonly (readonly [string, string])[]): EntryRisk[] {
  return env
    .filter(([name]) => LOADERS.test(name))
    .map(([name, value]) =>
      risk("reach", `${name}=${quote(value, SHOWN_LENGTH)} has other code loaded into the program.`),
    );
}

const SUBSTITUTION = /\$\([^)]|`[^`]/;

function shellRisks(
  command: string,
  args: readonly string[],
  env: readonly (readonly [string, string])[],
): EntryRisk[] {
  const isShell = SHELLS.has(programOf(command)) && args.some((word) => /^-[a-z]*c$/.test(word));
  const texts = [...args, ...env.map(([name, value]) => `${name}=${value}`)];
  return [
    ...(isShell
      ? [risk("shell", `It starts a shell with ${args.map((arg) => quote(arg, SHOWN_LENGTH)).join(" ")}.`)]
      : []),
    ...texts
      .filter((text) => !isShell && SUBSTITUTION.test(text))
      .map((text) =>
        risk("shell", `${quote(text, SHOWN_LENGTH)} is written for a shell; it is passed on as it is.`),
      ),
  ];
}

function risk(kind: EntryRisk["kind"], message: string): EntryRisk {
  return { kind, message };
}

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

/**
 * Packages of servers that many people use. A name that differs from one of them by a slip of the finger, or by its scope
 * alone, is how a package that somebody else made gets started in its place. Short on purpose: everybody who adds a
 * server looks at it, and each name in it was published by those whom people mean by it.
 */
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
