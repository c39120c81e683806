import type { Command, Option } from "commander";

/** The words of a command line as far as it is written, the last of them being written now. */
export interface WordsRead {
  readonly command: Command;
  readonly positionals: readonly string[];
  /** The option whose value is being written. */
  readonly option?: Option;
  /** What is being written: of `--option=value` the value, where the shell wants it so. */
  readonly current: string;
  readonly isAfterDashes: boolean;
  readonly options: { readonly config?: string; readonly home?: string };
}

export function readWords(program: Command, words: readonly string[]): WordsRead {
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
    ...(option !== undefined && { option }),
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
