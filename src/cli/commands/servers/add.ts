import { listFiledServers } from "../../../config/entries/filed-servers.ts";
import { findEntryRisks, packageOf } from "../../../config/entries/entry-risks.ts";
import { findUrlProblem } from "../../../config/http.ts";
import type { JsonObject } from "../../../core/json.ts";
import { serverIdOf } from "../../../core/names.ts";
import { succeed, type ToolResult } from "../../../core/result.ts";
import { createRedactor } from "../../../text/redaction.ts";
import { refuse } from "../../app-call.ts";
import { howToPin, pinEntry } from "./pinned-entry.ts";
import { escapeUnprintable } from "../../../text/printable.ts";
import { canAsk } from "../../terminal/confirm.ts";
import { editedFile } from "../../place.ts";
import { EXIT } from "../../terminal/exit-code.ts";
import {
  draftNewServers,
  planNewServers,
  writeNewServers,
  type NewServer,
  type NewServersPlan,
} from "../../init/new-servers.ts";
import { isSnippet, readSnippet } from "../../connect/server-snippet.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { showDryRun } from "../../terminal/shown-diff.ts";
import { failWith, green, note, printJson, yellow } from "../../terminal/terminal.ts";
import { defineCommand } from "../../command.ts";
import { quote } from "../../../text/quote.ts";

interface AddOptions extends GlobalOptions {
  readonly url?: string;
  readonly transport?: "stdio" | "http" | "sse";
  readonly env: readonly string[];
  readonly header: readonly string[];
  readonly force?: boolean;
  readonly plain?: boolean;
  readonly pin?: boolean;
  readonly dryRun?: boolean;
}

export const addCommand = defineCommand({
  name: "add",
  group: "servers",
  summary: "Add a server to the config",
  arguments: [
    { words: "<name>", about: "the name of the server; or JSON with servers, as a README shows it" },
    {
      words: "[commandOrUrl]",
      about: "the program to start, the address of a remote server, or the JSON of one server",
      completes: ["files"],
    },
    {
      words: "[args...]",
      about: "arguments of the program; write -- before the program if they start with -",
      completes: ["files"],
    },
  ],
  options: [
    { flags: "--url <url>", about: "the address of a remote server" },
    { flags: "-t, --transport <kind>", about: "how to reach it", choices: ["stdio", "http", "sse"] },
    {
      flags: "-e, --env <KEY=value>",
      about: "an environment variable for the program; repeatable",
      parse: collect,
      default: [],
    },
    {
      flags: "-H, --header <header>",
      about: 'a header for a remote server, as "Name: value"; repeatable',
      parse: collect,
      default: [],
    },
    { flags: "--plain", about: "Write secrets into the config in plain text, not into the secret store" },
    { flags: "--pin", about: "Pin its npm package: write the exact version and its integrity" },
    { flags: "--force", about: "Replace a server of the same name" },
  ],
  dryRun: "own",
  help: `Secrets go to the secret store (the system's keyring, or a file that only you can read), and the config refers to them
as \${input:ID}; --plain writes them as they are. \${NAME} is read from the environment when the server starts.`,
  examples: [
    `repertoire add github -e GITHUB_TOKEN='\${GITHUB_TOKEN}' -- npx -y @modelcontextprotocol/server-github`,
    `repertoire add search --url https://search.example/mcp --header 'Authorization: Bearer \${SEARCH_TOKEN}'`,
    "repertoire add files -- npx -y @modelcontextprotocol/server-filesystem /tmp",
    "repertoire add files --pin -- npx -y @modelcontextprotocol/server-filesystem /tmp",
    'repertoire add \'{"mcpServers": {"files": {"command": "npx", "args": ["-y", "some-server"]}}}\'',
  ],
  run: (options: AddOptions, name: string, target: string | undefined, args: string[]) =>
    add(name, target, args, options),
});

async function add(
  name: string,
  target: string | undefined,
  args: readonly string[],
  options: AddOptions,
): Promise<number> {
  const described = describeServers(name, target, args, options);
  if (typeof described === "string") return failWith(EXIT.usage, described);
  const pinned = options.pin === true ? await pinServers(described) : succeed(described);
  if (!pinned.success) return refuse(pinned.error, options);
  const given = pinned.data;
  const place = editedFile(options);
  const servers = placeServers(given, place.path, options);
  if (!Array.isArray(servers)) return failWith(servers.exitCode, servers.message);
  const warnings = servers.flatMap(({ key, entry }) => warningsOf(key, entry));
  if (options.json !== true) for (const line of warnings) note(`${yellow("warning")} ${line}`);
  const plan = planNewServers(servers, place);
  if (options.dryRun === true) {
    const draft = draftNewServers(plan, options.plain !== true);
    return showDryRun({ path: plan.path, ...draft }, options.json === true);
  }
  const moves = await choose(plan, options);
  if (moves === undefined) return failWith(EXIT.interrupted, "nothing was changed");
  const written = await writeNewServers(plan, moves);
  const ids = servers.map(({ id }) => id);
  if (options.json === true) {
    const [only] = written.entries;
    const shown =
      ids.length === 1 ? { added: ids[0], server: only!.entry } : { added: ids, servers: written.entries };
    const warned = warnings.length === 0 ? {} : { warnings };
    printJson({ ...shown, file: plan.path, moved: written.moved, ...warned });
  } else note(`${green("added")} ${ids.join(", ")} to ${plan.path}. Try: repertoire tools ${ids[0]}`);
  if (written.moved.length > 0) {
    const names = plan.secretNames.join(", ");
    note(`${names}: stored in ${written.keptIn}, not in the config (--plain writes it there)`);
  }
  return EXIT.ok;
}

interface Given {
  readonly key: string;
  readonly entry: JsonObject;
}

async function pinServers(given: readonly Given[]): Promise<ToolResult<Given[]>> {
  const pinned: Given[] = [];
  for (const { key, entry } of given) {
    const found = await pinEntry(key, entry);
    if (!found.success) return found;
    pinned.push({ key, entry: { ...entry, ...(found.data.fields as unknown as JsonObject) } });
  }
  return succeed(pinned);
}

/** What a person should see before it starts, each in one line; with anything unusual, the whole command too. */
function warningsOf(key: string, entry: JsonObject): string[] {
  const risks = findEntryRisks(entry);
  const lines = risks.map(({ kind, message }) =>
    kind === "unpinned" ? `${key}: ${message} ${pinAdvice(key, entry)}` : `${key}: ${message}`,
  );
  const isUnusual = risks.some(({ kind }) => kind !== "unpinned");
  return [...lines, ...(isUnusual ? [`${key} starts: ${wholeCommand(entry)}`] : [])].map(escapeUnprintable);
}

function pinAdvice(key: string, entry: JsonObject): string {
  const run = packageOf(entry);
  return run === undefined || run.kind === "npm"
    ? `Pin it: repertoire pin ${key}`
    : `To pin it, ${howToPin(run)}.`;
}

/** Every word in quotes, so that nobody takes two for one; nothing is cut. */
function wholeCommand({ command, args }: JsonObject): string {
  const words = [command, ...(Array.isArray(args) ? args : [])];
  return createRedactor().text(words.map((word) => JSON.stringify(word)).join(" "));
}

/** Whether secrets go to the secret store; `undefined` after Ctrl-C. Without a terminal they do. */
async function choose({ secretNames }: NewServersPlan, options: AddOptions): Promise<boolean | undefined> {
  if (secretNames.length === 0 || options.plain === true) return false;
  if (!canAsk() || options.json === true) return true;
  const clack = await import("@clack/prompts");
  const answer = await clack.select({
    message: `${secretNames.map(escapeUnprintable).join(", ")} looks like a secret. Where should it be stored?`,
    output: process.stderr,
    options: [
      { value: true, label: "The secret store: the keyring, or a file that only you can read" },
      { value: false, label: "The config file, as it is" },
    ],
  });
  return clack.isCancel(answer) ? undefined : answer;
}

/** The entries by the names that they get, or what is wrong with the words. */
function describeServers(
  name: string,
  target: string | undefined,
  args: readonly string[],
  options: AddOptions,
): Given[] | string {
  const snippet =
    target === undefined && isSnippet(name) ? name : isSnippet(target ?? "") ? target! : undefined;
  if (snippet === undefined) {
    const entry = describeServer(target, args, options);
    return typeof entry === "string" ? entry : [{ key: name, entry }];
  }
  if (args.length + options.env.length + options.header.length > 0 || options.url !== undefined)
    return "JSON cannot be combined with arguments, --env, --header or --url; put them into the JSON";
  const read = readSnippet(snippet);
  if (typeof read === "string") return read;
  if (snippet === name) {
    const nameless = read.some(({ key }) => key === undefined);
    return nameless
      ? "the JSON has no server name. Run: repertoire add NAME 'JSON'"
      : read.map(({ key, entry }) => ({ key: key!, entry }));
  }
  return read.length === 1
    ? [{ key: name, entry: read[0]!.entry }]
    : "the JSON has several servers; omit the name";
}

/** Under names that are valid and free, or that may be replaced. */
function placeServers(
  given: readonly Given[],
  path: string,
  options: AddOptions,
): NewServer[] | { readonly message: string; readonly exitCode: number } {
  const filed = listFiledServers({ configPath: options.config, home: options.home });
  const servers: NewServer[] = [];
  for (const { key, entry } of given) {
    const id = serverIdOf(key);
    if (!id.success) return { message: id.error.message, exitCode: EXIT.usage };
    const taken = filed.servers.find((other) => other.path === path && other.id === id.data);
    if (taken !== undefined && options.force !== true) {
      const message = `a server "${taken.key}" already exists in ${path}; --force replaces it`;
      return { message, exitCode: EXIT.refused };
    }
    servers.push({
      key: taken?.key ?? key,
      id: id.data,
      entry,
      ...(taken !== undefined && { table: taken.table }),
    });
  }
  return servers;
}

/** The entry for the file, or what is wrong with the words. */
function describeServer(
  target: string | undefined,
  args: readonly string[],
  options: AddOptions,
): JsonObject | string {
  const url = options.url ?? (target !== undefined && /^https?:\/\//.test(target) ? target : undefined);
  if (url === undefined) {
    if (target === undefined) return "give the program to start, or --url for a remote server";
    if (options.header.length > 0) return "--header is for remote servers; use --env for a program";
    const env = readPairs(options.env, "=");
    if (typeof env === "string") return `--env ${env}: write KEY=value`;
    return {
      command: target,
      ...(args.length > 0 ? { args } : {}),
      ...(env.length > 0 ? { env: Object.fromEntries(env) } : {}),
    };
  }
  if (options.env.length > 0) return "--env is for programs; use --header for a remote server";
  const headers = readPairs(options.header, ":");
  if (typeof headers === "string") return `--header ${headers}: write "Name: value"`;
  // The value of a variable or an input is known later.
  const problem = url.includes("${") ? undefined : findUrlProblem(url);
  if (problem !== undefined)
    return `the address ${problem.message}${problem.hint === undefined ? "" : `; ${problem.hint}`}`;
  const type = options.transport === "sse" ? "sse" : "http";
  return { type, url, ...(headers.length > 0 ? { headers: Object.fromEntries(headers) } : {}) };
}

/** Name and value of each pair; a pair that is none, by its name only, for its value may be a secret. */
function readPairs(pairs: readonly string[], separator: string): [string, string][] | string {
  const read: [string, string][] = [];
  for (const pair of pairs) {
    const at = pair.indexOf(separator);
    if (at <= 0) return quote(pair, 20);
    read.push([pair.slice(0, at).trim(), separator === ":" ? pair.slice(at + 1).trim() : pair.slice(at + 1)]);
  }
  return read;
}

function collect(value: string, earlier: readonly string[]): string[] {
  return [...earlier, value];
}
