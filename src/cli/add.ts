import { Option, type Command } from "commander";
import { editConfig } from "../config/edit.ts";
import { listFiledServers } from "../config/filed-servers.ts";
import { serverIdOf } from "../core/names.ts";
import { editedFile } from "./edited-file.ts";
import { EXIT } from "./exit-code.ts";
import type { Finish } from "./program.ts";
import { globalOptionsOf, type GlobalOptions } from "./session.ts";
import { failWith, green, note, printJson } from "./terminal.ts";

interface AddOptions extends GlobalOptions {
  readonly url?: string;
  readonly transport?: "stdio" | "http" | "sse";
  readonly env: readonly string[];
  readonly header: readonly string[];
  readonly force?: boolean;
}

export function addAdd(program: Command, finish: Finish): void {
  program
    .command("add")
    .description("Add a server to the config")
    .argument("<name>", "what to call it")
    .argument("[commandOrUrl]", "the program to start, or the address of a remote server")
    .argument("[args...]", "arguments of the program; put -- before the program if they begin with -")
    .option("--url <url>", "the address of a remote server")
    .addOption(new Option("-t, --transport <kind>", "how to reach it").choices(["stdio", "http", "sse"]))
    .option("-e, --env <KEY=value>", "a variable for the program; may be given again", collect, [])
    .option(
      "-H, --header <header>",
      'a header for a remote server, as "Name: value"; may be given again',
      collect,
      [],
    )
    .option("--force", "Replace a server of the same name")
    .addHelpText(
      "after",
      `
Examples:
  $ repertoire add github -e GITHUB_TOKEN='\${GITHUB_TOKEN}' -- npx -y @modelcontextprotocol/server-github
  $ repertoire add search --url https://search.example/mcp --header 'Authorization: Bearer \${SEARCH_TOKEN}'
  $ repertoire add files -- npx -y @modelcontextprotocol/server-filesystem /tmp

Write \${NAME} for a secret: it is read from the environment when the server is started, and never stands in the file.`,
    )
    .action(
      (name: string, target: string | undefined, args: string[], _options: unknown, command: Command) => {
        const options = { ...globalOptionsOf(command), ...command.opts<AddOptions>() };
        finish(add(name, target, args, options));
      },
    );
}

function add(name: string, target: string | undefined, args: readonly string[], options: AddOptions): number {
  const server = describeServer(target, args, options);
  if (typeof server === "string") return failWith(EXIT.usage, server);
  const id = serverIdOf(name);
  if (!id.success) return failWith(EXIT.usage, id.error.message);
  const { path, home } = editedFile(options);
  const filed = listFiledServers({ configPath: options.config, home: options.home });
  const taken = filed.servers.find((other) => other.path === path && other.id === id.data);
  if (taken !== undefined && options.force !== true) {
    return failWith(EXIT.refused, `there is a server "${taken.key}" in ${path} already; --force replaces it`);
  }
  editConfig(path, home, [{ path: [taken?.table ?? "mcpServers", taken?.key ?? name], value: server }]);
  if (options.json === true) printJson({ added: id.data, file: path, server });
  else note(`${green("added")} ${id.data} to ${path}. Try: repertoire tools ${id.data}`);
  return EXIT.ok;
}

/** The entry for the file, or what is wrong with the words. */
function describeServer(
  target: string | undefined,
  args: readonly string[],
  options: AddOptions,
): object | string {
  const url = options.url ?? (target !== undefined && /^https?:\/\//.test(target) ? target : undefined);
  if (url === undefined) {
    if (target === undefined) return "give the program to start, or --url";
    if (options.header.length > 0) return "--header goes with a remote server, --env with a program";
    const env = readPairs(options.env, "=");
    if (typeof env === "string") return `--env ${env}: write KEY=value`;
    return {
      command: target,
      ...(args.length > 0 ? { args } : {}),
      ...(env.length > 0 ? { env: Object.fromEntries(env) } : {}),
    };
  }
  if (options.env.length > 0) return "--env goes with a program, --header with a remote server";
  const headers = readPairs(options.header, ":");
  if (typeof headers === "string") return `--header ${headers}: write "Name: value"`;
  const type = options.transport === "sse" ? "sse" : "http";
  return { type, url, ...(headers.length > 0 ? { headers: Object.fromEntries(headers) } : {}) };
}

/** Name and value of each pair; a pair that is none, by its name only, for its value may be a secret. */
function readPairs(pairs: readonly string[], separator: string): [string, string][] | string {
  const read: [string, string][] = [];
  for (const pair of pairs) {
    const at = pair.indexOf(separator);
    if (at <= 0) return JSON.stringify(pair.slice(0, 20));
    read.push([pair.slice(0, at).trim(), separator === ":" ? pair.slice(at + 1).trim() : pair.slice(at + 1)]);
  }
  return read;
}

function collect(value: string, earlier: readonly string[]): string[] {
  return [...earlier, value];
}
