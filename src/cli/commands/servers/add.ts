import { resolve } from "node:path";
import { InvalidArgumentError } from "commander";
import { findUrlProblem } from "../../../config/http.ts";
import type { JsonObject } from "../../../core/json.ts";
import { succeed, type ToolResult } from "../../../core/result.ts";
import {
  draftNewServers,
  planNewServers,
  writeNewServers,
  type NewServersPlan,
} from "../../../operator/servers/new-servers.ts";
import { describeByCard } from "../../../operator/servers/carded-server.ts";
import { pinEntry } from "../../../operator/servers/pinned-entry.ts";
import { placeServers, type NamedEntry } from "../../../operator/servers/placed-servers.ts";
import { warningsOf } from "../../../operator/servers/server-risks.ts";
import { isSnippet, readSnippet } from "../../../operator/servers/server-snippet.ts";
import { isPublishedName } from "../../../operator/servers/install/published-name.ts";
import { LAUNCH_KINDS } from "../../../published/choose-launch.ts";
import { RISK_KINDS } from "../../../published/launch.ts";
import { escapeUnprintable } from "../../../text/printable.ts";
import { quote } from "../../../text/quote.ts";
import { refuse } from "../../app-call.ts";
import { defineCommand } from "../../command.ts";
import { editedFile } from "../../place.ts";
import { canAsk } from "../../terminal/confirm.ts";
import { EXIT } from "../../terminal/exit-code.ts";
import { showDryRun } from "../../terminal/shown-diff.ts";
import { failWith, green, note, printJson, yellow } from "../../terminal/terminal.ts";
import { addPublished, isBundle, type AddPublishedOptions } from "./add-published.ts";

interface AddOptions extends AddPublishedOptions {
  readonly url?: string;
  readonly openapi?: string;
  readonly baseUrl?: string;
  readonly auth: readonly string[];
  readonly transport?: "stdio" | "http" | "sse";
  readonly env: readonly string[];
  readonly header: readonly string[];
  readonly plain?: boolean;
  readonly pin?: boolean;
}

export const addCommand = defineCommand({
  name: "add",
  group: "servers",
  summary: "Add a server to the config",
  arguments: [
    {
      words: "<name>",
      about:
        "the name of the server; or only the address of a remote one; or its name in the registry " +
        "(io.github.acme/notes, with @1.2.3 for that version); or a bundle (notes.mcpb); or JSON with servers, as a README shows it",
      completes: ["files"],
    },
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
    {
      flags: "--openapi <fileOrUrl>",
      about: "an OpenAPI description: the operations of its API become tools",
      completes: ["files"],
    },
    { flags: "--base-url <url>", about: "where that API is, in place of what its description says" },
    {
      flags: "--auth <key=value>",
      about: "its login: the name of a security scheme and its value, or type=bearer and token=…; repeatable",
      parse: collect,
      default: [],
    },
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
    { flags: "--as <name>", about: "from the registry or a bundle: what the server is to be called here" },
    {
      flags: "--kind <kind>",
      about: "from the registry: how it is started, where it can be started in several ways",
      choices: LAUNCH_KINDS,
    },
    {
      flags: "--input <id=value>",
      about: "from the registry or a bundle: what it asks for, if that is no secret; repeatable",
      parse: collect,
      default: [],
    },
    {
      flags: "--sha256 <hash>",
      about: "of a bundle: refuse any other file; required for one from an address",
    },
    {
      flags: "--allow <risk>",
      about: `from the registry or a bundle: add it although it was warned of: ${RISK_KINDS.join(", ")}; repeatable`,
      parse: collectRisks,
      default: [],
    },
    { flags: "--yes", about: "from the registry or a bundle: add it without asking" },
  ],
  dryRun: "own",
  help: `Secrets go to the secret store (the system's keyring, or a file that only you can read), and the config refers to them
as \${input:ID}; --plain writes them as they are. \${NAME} is read from the environment when the server starts.

With only an address, the server is asked for its card (<address>/server-card), which says what it is called. An
endpoint of another server that the card names is not used. Without a card, the name comes from the address.

A server from the registry (see: repertoire search) or from a bundle is shown in full first, with warnings: its command,
variables and headers. It is written with its exact version and hash, and all that it offers is held until you run:
repertoire approve NAME. What it asks for is asked at the terminal; secrets go to the secret store.`,
  examples: [
    `repertoire add github -e GITHUB_TOKEN='\${GITHUB_TOKEN}' -- npx -y @modelcontextprotocol/server-github`,
    `repertoire add search --url https://search.example/mcp --header 'Authorization: Bearer \${SEARCH_TOKEN}'`,
    "repertoire add https://search.example/mcp",
    `repertoire add pets --openapi https://api.example/openapi.json --auth type=bearer --auth token='\${PETS_TOKEN}'`,
    "repertoire add files -- npx -y @modelcontextprotocol/server-filesystem /tmp",
    "repertoire add files --pin -- npx -y @modelcontextprotocol/server-filesystem /tmp",
    "repertoire add io.github.acme/notes --dry-run",
    "repertoire add io.github.acme/notes@1.2.0 --as notes --input folder=/tmp --yes",
    "repertoire add ./notes.mcpb",
    'repertoire add \'{"mcpServers": {"files": {"command": "npx", "args": ["-y", "some-server"]}}}\'',
  ],
  run: (options: AddOptions, name: string, target: string | undefined, args: string[]) =>
    isPublished(name, target, options) ? addPublished(name, options) : add(name, target, args, options),
});

/** Where nothing else says how it is started. */
function isPublished(name: string, target: string | undefined, { url, openapi }: AddOptions): boolean {
  const isSaid = target !== undefined || url !== undefined || openapi !== undefined;
  return !isSaid && (isBundle(name) || isPublishedName(name));
}

async function add(
  name: string,
  target: string | undefined,
  args: readonly string[],
  options: AddOptions,
): Promise<number> {
  const carded = isAddress(name) && target === undefined ? await readCard(name, options) : undefined;
  if (typeof carded === "string") return failWith(EXIT.usage, carded);
  const words = carded === undefined ? options : { transport: carded.transport, ...options };
  const described = describeServers(carded?.key ?? name, carded?.url ?? target, args, words);
  if (typeof described === "string") return failWith(EXIT.usage, described);
  const pinned = options.pin === true ? await pinServers(described) : succeed(described);
  if (!pinned.success) return refuse(pinned.error, options);
  const given = pinned.data;
  const place = editedFile(options);
  const placed = placeServers(given, {
    place: { configPath: options.config, home: options.home },
    path: place.path,
    replaces: options.force === true,
  });
  if (!placed.success) {
    const { message, reason } = placed.error;
    return failWith(reason === "taken" ? EXIT.refused : EXIT.usage, message);
  }
  const servers = placed.data;
  const risks = servers.flatMap(({ key, entry }) => warningsOf(key, entry));
  const warnings = [...(carded?.warnings ?? []), ...risks];
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

function isAddress(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

interface CardedWords {
  readonly key: string;
  readonly url: string;
  readonly transport: "http" | "sse";
  readonly warnings: readonly string[];
}

/** What the words would be if the user had written out what the card of the server says; or what is wrong with them. */
async function readCard(url: string, { url: other, json }: AddOptions): Promise<CardedWords | string> {
  if (other !== undefined) return "give the address once: as the only word, or with --url behind a name";
  if (url.includes("${")) return "an address with variables needs a name. Run: repertoire add NAME URL";
  const problem = findUrlProblem(url);
  if (problem !== undefined) return `the address ${problem.message}`;
  const { key, entry, said, warnings } = await describeByCard(url);
  if (json !== true) for (const line of said) note(line);
  return { key, url: entry.url, transport: entry.type, warnings };
}

async function pinServers(given: readonly NamedEntry[]): Promise<ToolResult<NamedEntry[]>> {
  const pinned: NamedEntry[] = [];
  for (const { key, entry } of given) {
    const found = await pinEntry(key, entry);
    if (!found.success) return found;
    pinned.push({ key, entry: { ...entry, ...(found.data.fields as unknown as JsonObject) } });
  }
  return succeed(pinned);
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
): NamedEntry[] | string {
  const snippet =
    target === undefined && isSnippet(name) ? name : isSnippet(target ?? "") ? target! : undefined;
  if (snippet === undefined) {
    const entry = describeServer(target, args, options);
    return typeof entry === "string" ? entry : [{ key: name, entry }];
  }
  if (
    args.length + options.env.length + options.header.length > 0 ||
    options.url !== undefined ||
    options.openapi !== undefined
  )
    return "JSON cannot be combined with arguments, --env, --header, --url or --openapi; put them into the JSON";
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

/** The entry for the file, or what is wrong with the words. */
function describeServer(
  target: string | undefined,
  args: readonly string[],
  options: AddOptions,
): JsonObject | string {
  if (options.openapi !== undefined) return describeApi(options.openapi, target, options);
  if (options.baseUrl !== undefined || options.auth.length > 0)
    return "--base-url and --auth are for --openapi";
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

/** A file is looked for from here, and written in full: the config may be in another folder. */
function describeApi(given: string, target: string | undefined, options: AddOptions): JsonObject | string {
  const { baseUrl, env, url } = options;
  if (target !== undefined || url !== undefined) return "--openapi takes no program and no --url";
  if (env.length > 0) return "--env is for programs; use --header or --auth for an API";
  const headers = readPairs(options.header, ":");
  if (typeof headers === "string") return `--header ${headers}: write "Name: value"`;
  const auth = readPairs(options.auth, "=");
  if (typeof auth === "string") return `--auth ${auth}: write KEY=value`;
  const isRemote = /^https?:/i.test(given);
  const addresses = [...(isRemote ? [given] : []), ...(baseUrl === undefined ? [] : [baseUrl])];
  const problem = addresses
    .filter((one) => !one.includes("${"))
    .map(findUrlProblem)
    .find((one) => one !== undefined);
  if (problem !== undefined)
    return `the address ${problem.message}${problem.hint === undefined ? "" : `; ${problem.hint}`}`;
  return {
    openapi: isRemote || given.includes("${") ? given : resolve(given),
    ...(baseUrl !== undefined && { baseUrl }),
    ...(auth.length > 0 && { auth: Object.fromEntries(auth) }),
    ...(headers.length > 0 && { headers: Object.fromEntries(headers) }),
  };
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

function collectRisks(value: string, earlier: readonly string[]): string[] {
  if (RISK_KINDS.some((kind) => kind === value)) return [...earlier, value];
  throw new InvalidArgumentError(`It must be one of ${RISK_KINDS.join(", ")}.`);
}
