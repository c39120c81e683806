/**
 * The one way to define a command. A definition is data: what the command is called, what it takes, what completes
 * there, and `run`, which returns the exit code. `commands.ts` has the list of all definitions; help, docs/cli.md and
 * completions are made from them.
 */
import { Argument, Option, type Command } from "commander";
import { runOnCopy, type DryRunOptions } from "./dry-run.ts";
import type { GlobalOptions } from "./global-options.ts";

/** What the groups of `repertoire --help` and of docs/cli.md are called, in their order. */
export const GROUP_TITLES = {
  start: "Start",
  servers: "Servers",
  use: "Use",
  library: "Library",
  runs: "Runs",
  access: "Access",
  operate: "Operate",
} as const;

type CommandGroup = keyof typeof GROUP_TITLES;

/** What completes a word. */
export type WordKind =
  | "files"
  | "dirs"
  | "servers"
  | "tools"
  | "nodes"
  | "parameters"
  | "kept"
  | "runs"
  | "drafts"
  | "inputs"
  | "tokens"
  | "clients";

interface WordDefinition {
  readonly about: string;
  readonly choices?: readonly string[];
  readonly default?: unknown;
  readonly completes?: readonly WordKind[];
}

interface ArgumentDefinition extends WordDefinition {
  /** `<name>`, `[name]` or `[name...]`. */
  readonly words: string;
}

interface OptionDefinition extends WordDefinition {
  /** `-e, --env <KEY=value>`. */
  readonly flags: string;
  readonly isRequired?: true;
  /** Turns each value into what `run` gets; `before` is what the earlier ones gave. */
  readonly parse?: (value: string, before: never) => unknown;
}

export interface CommandDefinition<
  O extends GlobalOptions = GlobalOptions,
  A extends readonly unknown[] = readonly unknown[],
> {
  readonly name: string;
  /** Earlier names that still work. Help does not list them. */
  readonly aliases?: readonly string[];
  /** Absent for a command inside another. */
  readonly group?: CommandGroup;
  readonly isHidden?: true;
  readonly summary: string;
  readonly arguments?: readonly ArgumentDefinition[];
  readonly options?: readonly OptionDefinition[];
  /** Words beyond the arguments are handed to `run` instead of being an error. */
  readonly takesExcess?: true;
  /**
   * `--dry-run`: with `copy`, the command runs as it is on a copy of the home. With `own`, `run` looks at
   * `options.dryRun` and stops before it writes.
   */
  readonly dryRun?: "copy" | "own";
  /** Paragraphs below the options, at most 120 columns wide. */
  readonly help?: string;
  /** Command lines; what follows two spaces or more is a remark. */
  readonly examples?: readonly string[];
  readonly commands?: readonly CommandDefinition[];
  /**
   * Returns the exit code; throws only what no command can foresee. Absent where only the commands inside can be run.
   */
  run?(options: O, ...args: A): number | Promise<number>;
}

/** Infers the types of `run`. */
export function defineCommand<O extends GlobalOptions, A extends readonly unknown[]>(
  definition: CommandDefinition<O, A>,
): CommandDefinition {
  return definition;
}

/** Hears the exit code of the command that ran. */
export type Finish = (exitCode: number) => void;

export function registerCommand(parent: Command, definition: CommandDefinition, finish: Finish): Command {
  const { name, aliases = [], group, isHidden = false, summary, dryRun, commands = [] } = definition;
  const command = parent
    .command(name, { hidden: isHidden })
    .description(summary)
    .aliases(aliases)
    .allowExcessArguments(definition.takesExcess ?? false);
  if (group !== undefined) command.helpGroup(`${GROUP_TITLES[group]}:`);
  for (const argument of definition.arguments ?? []) command.addArgument(createArgument(argument));
  for (const option of definition.options ?? []) command.addOption(createOption(option));
  if (dryRun !== undefined) command.option("--dry-run", "Show what would be done, and change nothing");
  const after = helpAfter(definition);
  if (after !== "") command.addHelpText("after", after);
  for (const inner of commands) registerCommand(command, inner, finish);
  if (definition.run !== undefined) command.action(actionOf(definition, finish));
  return command;
}

function helpAfter({ help, examples = [] }: CommandDefinition): string {
  const lines = examples.map((example) => `\n  $ ${example}`);
  return [
    ...(help === undefined ? [] : [`\n${help}`]),
    ...(lines.length === 0 ? [] : [`\nExamples:${lines.join("")}`]),
  ].join("\n");
}

/** commander hands over the arguments, the options of the command and the command. */
function actionOf(definition: CommandDefinition, finish: Finish) {
  return async (...handed: unknown[]): Promise<void> => {
    const command = handed.at(-1) as Command;
    const declared = handed.slice(0, -2);
    const excess = command.args.slice(command.registeredArguments.length);
    const args = definition.takesExcess === true ? [...declared, ...excess] : declared;
    // An option of the command itself comes before one of the program of the same name, such as --input and --no-input.
    const options: DryRunOptions = { ...command.optsWithGlobals(), ...command.opts() };
    const run = (chosen: GlobalOptions) => definition.run!(chosen, ...args);
    finish(await (definition.dryRun === "copy" ? runOnCopy(options, run) : run(options)));
  };
}

const completesOfWord = new WeakMap<Argument | Option, readonly WordKind[]>();

/** What completes an argument or the value of an option; nothing for a word that can be anything. */
export function completesOf(word: Argument | Option): readonly WordKind[] {
  return completesOfWord.get(word) ?? [];
}

function createArgument(definition: ArgumentDefinition): Argument {
  const { words, about, choices, completes } = definition;
  const argument = new Argument(words, about);
  if (choices !== undefined) argument.choices(choices);
  if (definition.default !== undefined) argument.default(definition.default);
  if (completes !== undefined) completesOfWord.set(argument, completes);
  return argument;
}

export function createOption(definition: OptionDefinition): Option {
  const { flags, about, choices, completes, isRequired = false, parse } = definition;
  const option = new Option(flags, about).makeOptionMandatory(isRequired);
  if (choices !== undefined) option.choices(choices);
  if (parse !== undefined) option.argParser(parse as (value: string, before: unknown) => unknown);
  if (definition.default !== undefined) option.default(definition.default);
  if (completes !== undefined) completesOfWord.set(option, completes);
  return option;
}

/** `parse` of an option that may be given several times. */
export function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}
