/** Adds the first server: a command, an address or JSON that the user pastes. */
import { spawnSync } from "node:child_process";
import { countOf, listOf } from "../terminal/wording.ts";
import { CLIENT_TITLES } from "../../clients/client.ts";
import { listFiledServers } from "../../config/entries/filed-servers.ts";
import type { JsonObject } from "../../core/json.ts";
import { serverIdOf } from "../../core/names.ts";
import { escapeUnprintable } from "../../text/printable.ts";
import { commandLine } from "../command-line.ts";
import { planNewServers, writeNewServers } from "../init/new-servers.ts";
import { askSecrets, short, tellCommands, type StartDeps } from "./start-deps.ts";
import { cyan, green, red } from "../terminal/terminal.ts";
import { isSnippet, readSnippet } from "../connect/server-snippet.ts";

/** Whether a server was added. */
export async function addFirst(deps: StartDeps): Promise<boolean> {
  const { dialog, progress, options } = deps;
  dialog.say(`No servers were found. Repertoire looked in ${listOf(Object.values(CLIENT_TITLES))}.`);
  const way = await dialog.one("What would you like to do?", [
    { value: "paste", label: "Add a server: paste a command, an address, or JSON from a README" },
    { value: "demo", label: "See the demo first (a minute, in a temporary folder)" },
    { value: "leave", label: "Nothing for now" },
  ]);
  if (way === "demo") {
    spawnSync(deps.own.execPath, [deps.own.script, "demo", "--no-serve"], { stdio: "inherit" });
    dialog.say();
    dialog.say(`That was the demo. To set up your own server: ${cyan(commandLine(["start"], options))}`);
    return false;
  }
  if (way === "leave") {
    dialog.say("Nothing was changed.");
    dialog.say(`To add a server later: ${cyan(commandLine(["add", "NAME", "--", "COMMAND"], options))}`);
    return false;
  }
  dialog.say("Paste it here and press Enter. End JSON with an empty line.");
  const pasted = readPastedServers(await dialog.paste(isWholePaste));
  if (typeof pasted === "string") {
    dialog.say(`${red("✗")} ${pasted}. Nothing was changed.`, 2);
    return addFirst(deps);
  }
  const servers = [];
  const taken = listFiledServers({ configPath: options.config, home: options.home }).servers;
  for (const { key, proposal, entry } of pasted) {
    const name = key ?? (await dialog.word("What should it be called?", proposal));
    const id = serverIdOf(name);
    const isTaken = id.success && taken.some((other) => other.id === id.data);
    if (!id.success || isTaken) {
      const why = id.success ? `A server "${name}" already exists.` : id.error.message;
      dialog.say(`${red("✗")} ${escapeUnprintable(why)} Nothing was changed.`, 2);
      return addFirst(deps);
    }
    servers.push({ key: name, id: id.data, entry });
  }
  const plan = planNewServers(servers, deps.target);
  const moves =
    plan.secretNames.length > 0 && (await askSecrets(plan.secretNames, "in what you pasted", dialog));
  const writing = writeNewServers(plan, moves);
  progress.change = writing;
  const { moved, keptIn, entries } = await writing;
  const names = servers.map(({ id }) => id).join(", ");
  const file = short(plan.path, deps.place);
  const back = servers.map(({ id }) => commandLine(["remove", id], options)).join("; ");
  progress.done.push(`Added ${names} to ${file}. To undo: ${back}`);
  dialog.say(`${green("✓")} Added ${names} to ${file}.`, 2);
  if (moved.length > 0)
    dialog.say(`${green("✓")} Moved ${countOf(moved.length, "secret")} to ${short(keptIn, deps.place)}.`, 2);
  tellCommands(
    entries.map(({ key, entry }) => commandLine(["add", ...addWords(key, entry)], options)),
    back,
    dialog,
  );
  return true;
}

/** The same as arguments of `add`; VALUE replaces a secret. */
function addWords(key: string, written: JsonObject): string[] {
  const text = JSON.stringify(written).replaceAll(/\$\{input:[^}]*\}/g, "VALUE");
  const { command, args = [], env = {}, type, url, ...rest } = JSON.parse(text) as ServerWords;
  const isPlain = Object.keys(rest).length === 0;
  if (isPlain && command !== undefined && url === undefined) {
    const variables = Object.entries(env).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
    return [key, ...variables, "--", command, ...args];
  }
  return isPlain && url !== undefined && (type ?? "http") === "http" ? [key, url] : [key, text];
}

/** The part of an entry that `add` has words for. */
interface ServerWords {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly type?: string;
  readonly url?: string;
}

/** A server that a person copied from somewhere: a command, an address, or JSON. */
interface PastedServer {
  /** Absent where the text does not say what the server is called. */
  readonly key?: string;
  /** A name that would do. */
  readonly proposal: string;
  readonly entry: JsonObject;
}

/** The servers of a text, or what is wrong with it. */
export function readPastedServers(text: string): readonly PastedServer[] | string {
  if (isSnippet(text)) {
    const read = readSnippet(text);
    if (typeof read === "string") return read;
    return read.map(({ key, entry }) => ({
      ...(key !== undefined && { key }),
      entry,
      proposal: key ?? propose(entry),
    }));
  }
  if (/^https?:\/\//i.test(text)) {
    if (!URL.canParse(text)) return "this is not a valid address";
    const entry = { type: "http", url: text };
    return [{ entry, proposal: propose(entry) }];
  }
  const words = splitWords(text);
  if (words === undefined) return "a quote is not closed";
  const env: Record<string, string> = {};
  while (/^[A-Za-z_]\w*=/.test(words[0] ?? "")) {
    const [name, value] = splitAt(words.shift()!, "=");
    env[name] = value;
  }
  const [command, ...args] = words;
  if (command === undefined) return "it has no command";
  const entry = {
    command,
    ...(args.length > 0 && { args }),
    ...(Object.keys(env).length > 0 && { env }),
  };
  return [{ entry, proposal: propose(entry) }];
}

/** Whether more lines are needed: JSON that cannot be read yet. */
export function isWholePaste(text: string): boolean {
  return !isSnippet(text) || typeof readSnippet(text) !== "string";
}

/** `@scope/server-files` and `https://mcp.files.example/` are both `files`. */
function propose({ url, command, args }: JsonObject): string {
  if (typeof url === "string") {
    const host = URL.parse(url)?.hostname ?? "";
    return host.split(".").find((label) => !/^(?:www|mcp|api|)$/.test(label)) ?? "server";
  }
  const words = [command, ...(Array.isArray(args) ? args : [])].filter((word) => typeof word === "string");
  const named = words.find((word) => /mcp|server/i.test(word)) ?? words[0] ?? "";
  const base = named
    .split(/[\\/]/)
    .at(-1)!
    .replace(/@[^@]*$/, "")
    .replace(/\.\w+$/, "");
  const plain = base.replaceAll(/(?:^|[-_])(?:mcp|server)(?=[-_]|$)/gi, "").replace(/^[^A-Za-z0-9]+/, "");
  return plain === "" ? "server" : plain;
}

/** As a shell would, with quotes and backslashes; undefined where a quote is open. */
function splitWords(text: string): string[] | undefined {
  const words: string[] = [];
  const pattern = /(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+|\S/gs;
  for (const [word] of text.matchAll(pattern)) {
    if (/^["']$/.test(word)) return undefined;
    words.push(
      word.replaceAll(
        /\\(.)|"((?:[^"\\]|\\.)*)"|'([^']*)'/gs,
        (_, one?: string, two?: string, three?: string) =>
          one ?? two?.replaceAll(/\\(["\\$`])/g, "$1") ?? three ?? "",
      ),
    );
  }
  return words;
}

function splitAt(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return [text.slice(0, at), text.slice(at + mark.length)];
}
