import { Argument, Option, type Command } from "commander";
import { EXIT } from "./exit-code.ts";
import type { Finish } from "./program.ts";
import { print } from "./terminal.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;
type Shell = (typeof SHELLS)[number];

export function addCompletions(program: Command, finish: Finish): void {
  program
    .command("completions")
    .addArgument(new Argument("<shell>", "the shell").choices(SHELLS))
    .description("Print a completion script for your shell")
    .addHelpText(
      "after",
      `
Examples:
  $ source <(repertoire completions bash)
  $ repertoire completions zsh > "\${fpath[1]}/_repertoire"
  $ repertoire completions fish > ~/.config/fish/completions/repertoire.fish`,
    )
    .action((shell: Shell) => {
      print(SCRIPTS[shell](wordsOf(program)));
      finish(EXIT.ok);
    });
}

/** After which words (joined by a space) which words may follow. */
interface Words {
  readonly after: ReadonlyMap<string, readonly { readonly word: string; readonly help: string }[]>;
  readonly options: readonly {
    readonly flag: string;
    readonly help: string;
    readonly choices: readonly string[];
  }[];
}

function wordsOf(program: Command): Words {
  const after = new Map<string, { word: string; help: string }[]>();
  const visit = (command: Command, path: string) => {
    const commands = command.commands.map((child) => ({ word: child.name(), help: child.description() }));
    const choices = command.registeredArguments.flatMap((argument) => argument.argChoices ?? []);
    const words = [...commands, ...choices.map((word) => ({ word, help: "" }))];
    if (words.length > 0) after.set(path, words);
    for (const child of command.commands)
      visit(child, path === "" ? child.name() : `${path} ${child.name()}`);
  };
  visit(program, "");
  const options = [...program.options, new Option("--help", "Show help")].map((option) => ({
    flag: option.long ?? option.flags,
    help: option.description,
    choices: option.argChoices ?? [],
  }));
  return { after, options };
}

function bash({ after, options }: Words): string {
  const cases = [...after].map(
    ([path, words]) => `    ${JSON.stringify(path)}) words="${words.map(({ word }) => word).join(" ")}" ;;`,
  );
  const choices = options
    .filter((option) => option.choices.length > 0)
    .map(
      (option) =>
        `    ${option.flag}) COMPREPLY=($(compgen -W "${option.choices.join(" ")}" -- "$current")); return ;;`,
    );
  return `# repertoire: bash completion
_repertoire() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" path="" words="" word
  case "$previous" in
${choices.join("\n")}
    --config) COMPREPLY=($(compgen -f -- "$current")); return ;;
    --home) COMPREPLY=($(compgen -d -- "$current")); return ;;
  esac
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $word == -* ]] || path="\${path:+$path }$word"
  done
  case "$path" in
${cases.join("\n")}
  esac
  [[ $current == -* ]] && words="${options.map(({ flag }) => flag).join(" ")}"
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _repertoire repertoire`;
}

function zsh(words: Words): string {
  return `#compdef repertoire
autoload -U +X bashcompinit && bashcompinit
${bash(words)}`;
}

function fish({ after, options }: Words): string {
  const quote = (text: string) => `'${text.replaceAll("'", String.raw`\'`)}'`;
  const lines = [...after].flatMap(([path, words]) => {
    const seen = path === "" ? [] : path.split(" ").map((word) => `__fish_seen_subcommand_from ${word}`);
    const condition = path === "" ? "__fish_use_subcommand" : seen.join("; and ");
    return words.map(
      ({ word, help }) =>
        `complete -c repertoire -f -n ${quote(condition)} -a ${quote(word)} -d ${quote(help)}`,
    );
  });
  const flags = options.map(({ flag, help, choices }) => {
    const values = choices.length === 0 ? "" : ` -x -a ${quote(choices.join(" "))}`;
    return `complete -c repertoire -l ${flag.replace(/^--/, "")} -d ${quote(help)}${values}`;
  });
  return ["# repertoire: fish completion", ...lines, ...flags].join("\n");
}

const SCRIPTS: Readonly<Record<Shell, (words: Words) => string>> = { bash, zsh, fish };
