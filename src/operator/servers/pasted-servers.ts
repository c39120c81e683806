/** Servers that a person copied from somewhere: a command line, an address, or JSON. Nothing of it is run. */
import type { JsonObject } from "../../core/json.ts";
import { isSnippet, readSnippet } from "./server-snippet.ts";

/** One of them. */
export interface PastedServer {
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
function propose({ url: address, openapi, command, args }: JsonObject): string {
  const url = address ?? openapi;
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
