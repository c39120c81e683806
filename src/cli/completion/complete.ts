/**
 * What may come next on a command line. A shell asks at every press of a key, so nothing is started here: servers are
 * known from the cache, and where there is no database yet, or the config has mistakes, commands and options are all
 * there is. Nothing is written, and errors are not printed.
 *
 * The answer is a line for each candidate, `value<TAB>description`, and a last line for the shell: `:` and some of
 * `files`, `dirs` (names of files or folders fit too) and `nospace` (the word is not at its end).
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Command, Option } from "commander";
import { locateStore } from "../../config/locate-store.ts";
import { locateConfig } from "../../config/locate.ts";
import { escapeUnprintable } from "../../text/printable.ts";
import { completesOf, type WordKind } from "../command.ts";
import { cut } from "../../text/cut.ts";
import type { Candidate, CompletionSources } from "./sources.ts";

interface Completion {
  readonly candidates: readonly Candidate[];
  readonly marks: readonly ("files" | "dirs" | "nospace")[];
}

export async function complete(program: Command, words: readonly string[]): Promise<string> {
  const read = readWords(program, words);
  const { candidates, marks } = await candidatesFor(read).catch(() => NOTHING);
  const lines = candidates
    .filter(({ value }) => value.startsWith(read.current) && !/[\t\n]/.test(value))
    .map(({ value, about = "" }) => `${value}\t${aboutLine(about)}`);
  return `${[...new Set(lines), `:${marks.join(",")}`].join("\n")}\n`;
}

const NOTHING: Completion = { candidates: [], marks: ["files"] };
const ABOUT_LENGTH_MAX = 60;

function aboutLine(about: string): string {
  const line = escapeUnprintable(about.replaceAll(/\s+/g, " ").trim());
  return cut(line, ABOUT_LENGTH_MAX);
}

async function candidatesFor(read: WordsRead): Promise<Completion> {
  const { command, option, current, positionals } = read;
  if (option !== undefined) {
    if (option.argChoices !== undefined) return plain(option.argChoices);
    return ofKind(completesOf(option), read);
  }
  if (current.startsWith("-") && !read.isAfterDashes) return { candidates: optionsOf(command), marks: [] };
  const commands = command.commands.map((one) => ({ value: one.name(), about: one.description() }));
  if (commands.length > 0 && positionals.length === 0) return { candidates: commands, marks: [] };
  if (positionals[0] === "help" && command.parent === null && positionals.length === 1) {
    return { candidates: commands, marks: [] };
  }
  const declared = command.registeredArguments;
  const at = Math.min(positionals.length, declared.length - 1);
  const argument = declared[at];
  if (argument === undefined || (positionals.length >= declared.length && !argument.variadic)) {
    return { candidates: [], marks: [] };
  }
  if (argument.argChoices !== undefined) return plain(argument.argChoices);
  return ofKind(completesOf(argument), read);
}

function plain(values: readonly string[]): Completion {
  return { candidates: values.map((value) => ({ value })), marks: [] };
}

/** Of the command and of all above it. */
function optionsOf(command: Command): Candidate[] {
  const own = command.options
    .filter(({ hidden }) => !hidden)
    .map(({ long, flags, description }) => ({ value: long ?? flags, about: description }));
  const above =
    command.parent === null ? [{ value: "--help", about: "Show help" }] : optionsOf(command.parent);
  return [...own, ...above];
}

async function ofKind(kinds: readonly WordKind[], read: WordsRead): Promise<Completion> {
  const marks = kinds.filter((kind) => kind === "files" || kind === "dirs");
  const asked = kinds.filter((kind) => kind !== "files" && kind !== "dirs");
  if (asked.length === 0) return { candidates: [], marks };
  const { config, home } = read.options;
  const located = locateConfig({ configPath: config, home });
  const place = await locateStore({ configPath: config, home });
  // A completion makes no database.
  const hasFile = existsSync(join(located.home, "repertoire.db"));
  const hasStore = place.ok && place.store.url !== undefined ? true : hasFile;
  const { openSources } = await import("./sources.ts");
  const sources = await openSources({ config, home }, hasStore);
  try {
    return await gather(sources, asked, read, marks);
  } finally {
    await sources.close();
  }
}

async function gather(
  sources: CompletionSources,
  kinds: readonly Exclude<WordKind, "files" | "dirs">[],
  { current, positionals }: WordsRead,
  marks: Completion["marks"],
): Promise<Completion> {
  const found: Candidate[] = [];
  for (const kind of kinds) {
    if (kind !== "parameters") {
      found.push(...(await sources[kind]()));
      continue;
    }
    const parameters = await sources.parameters(positionals[0]!, positionals.slice(1), current);
    const isFile = /^[^=]+=@/.test(current);
    return { candidates: parameters, marks: isFile ? ["files"] : ["nospace"] };
  }
  return { candidates: found, marks };
}

/** The words of a command line as far as it is written, the last of them being written now. */
interface WordsRead {
  readonly command: Command;
  readonly positionals: readonly string[];
  /** The option whose value is being written. */
  readonly option?: Option;
  /** What is being written: of `--option=value` the value, where the shell wants it so. */
  readonly current: string;
  readonly isAfterDashes: boolean;
  readonly options: { readonly config?: string; readonly home?: string };
}

function readWords(program: Command, words: readonly string[]): WordsRead {
  const current = words.at(-1) ?? "";
  let command = program;
  const positionals: string[] = [];
  const given: Record<string, string> = {};
  let pending: Option | undefined;
  let isAfterDashes = false;
  for (const word of words.slice(0, -1)) {
    if (pending !== undefined && !(pending.variadic && word.startsWith("-"))) {
      given[pending.attributeName()] = word;
      if (!pending.variadic) pending = undefined;
      continue;
    }
    pending = undefined;
    if (word === "--" && !isAfterDashes) isAfterDashes = true;
    else if (word.startsWith("-") && word !== "-" && !isAfterDashes) {
      const [flag, value] = splitFlag(word);
      const option = findOption(command, flag);
      if (option !== undefined && value !== undefined) given[option.attributeName()] = value;
      else if (option?.required === true || option?.optional === true) pending = option;
    } else {
      const next =
        positionals.length === 0
          ? command.commands.find((one) => one.name() === word || one.aliases().includes(word))
          : undefined;
      if (next === undefined) positionals.push(word);
      else command = next;
    }
  }
  const isFlag = current.startsWith("-") && !isAfterDashes;
  // An optional value may be left out, and a variadic one may be at its end.
  const option = isFlag && pending?.required !== true ? undefined : pending;
  const { config, home } = given;
  return {
    command,
    positionals,
    option,
    current,
    isAfterDashes,
    options: { ...(config !== undefined && { config }), ...(home !== undefined && { home }) },
  };
}

function splitFlag(word: string): [string, string?] {
  const at = word.indexOf("=");
  return at === -1 ? [word] : [word.slice(0, at), word.slice(at + 1)];
}

function findOption(command: Command, flag: string): Option | undefined {
  const own = command.options.find(({ long, short }) => long === flag || short === flag);
  return own ?? (command.parent === null ? undefined : findOption(command.parent, flag));
}
