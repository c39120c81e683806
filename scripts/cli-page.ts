/** docs/cli.md, made from the commands themselves: what is documented is what is parsed. */
import type { Argument, Command, Option } from "commander";
import { GROUP_TITLES } from "../src/cli/command.ts";

const INTRODUCTION = `# Command line

<!-- Made by \`npm run schema\` from the commands in src/cli; a test keeps it true. -->

\`repertoire help COMMAND\` shows the same at the terminal. stdout is data and everything else goes to stderr; with \`--json\` the data is one JSON value. A command
that asks takes \`--yes\` as well, for where there is no terminal.

**For scripts.** With \`--json\` a failure is one JSON value too, with \`error: {code, message, hint?, …}\`, and the exit code says what kind it is: 7 for a name that leads nowhere, 8 for a run that
is paused and can be resumed, 2 for words, values and configs that cannot be meant. \`--jq\` filters an answer as \`jq -r\` would, without jq being installed; an error is printed unfiltered. \`--quiet\`
leaves out notes and progress, \`--no-input\` never asks. \`--dry-run\`, on commands that write, does all the checks and says what would be done, with the exit code of doing it.
`;

export function formatCliPage(program: Command): string {
  const groups = groupsOf(program);
  const sections = groups.flatMap(([title, commands]) => [
    `## ${title}`,
    ...commands.flatMap((command) => sectionsOf(command, "repertoire")),
  ]);
  const everywhere = [
    "## Options of every command",
    optionTable(program.createHelp().visibleOptions(program)),
    ...helpAfter(program, "repertoire"),
  ];
  return `${[INTRODUCTION.trimEnd(), contents(groups), ...everywhere, ...sections].join("\n\n")}\n`;
}

/** As `repertoire --help` groups them. */
function groupsOf(program: Command): [string, readonly Command[]][] {
  const commands = visibleCommands(program);
  return Object.values(GROUP_TITLES).map((title) => [
    title,
    commands.filter((command) => command.helpGroup() === `${title}:`),
  ]);
}

function contents(groups: readonly [string, readonly Command[]][]): string {
  const rows = groups.map(([title, commands]) => {
    const links = commands.map((command) => `[\`${command.name()}\`](#repertoire-${command.name()})`);
    return `| ${title} | ${links.join(", ")} |`;
  });
  return `| | |\n|---|---|\n${rows.join("\n")}`;
}

/** Commander makes `help` by itself and hides nothing else that is visible. */
function visibleCommands(command: Command): readonly Command[] {
  const help = command.createHelp();
  return help.visibleCommands(command).filter((child) => child.name() !== "help");
}

function sectionsOf(command: Command, parent: string): string[] {
  const name = `${parent} ${command.name()}`;
  const children = visibleCommands(command);
  const depth = parent === "repertoire" ? "###" : "####";
  const words = [...command.registeredArguments.map(wordOf), ...(children.length > 0 ? ["[command]"] : [])];
  const options = command.createHelp().visibleOptions(command).filter(isOwn);
  return [
    `${depth} ${name}`,
    `${cell(command.description())}.`,
    ...(command.aliases().length > 0 ? [earlierNames(command.aliases(), parent)] : []),
    block("text", [name, ...(options.length > 0 ? ["[options]"] : []), ...words].join(" ")),
    ...(command.registeredArguments.length > 0 ? [argumentTable(command.registeredArguments)] : []),
    ...(options.length > 0 ? [optionTable(options)] : []),
    ...helpAfter(command, name),
    ...children.flatMap((child) => sectionsOf(child, name)),
  ];
}

function earlierNames(aliases: readonly string[], parent: string): string {
  return `Its earlier name still works: ${aliases.map((alias) => `\`${parent} ${alias}\``).join(", ")}.`;
}

function isOwn(option: Option): boolean {
  return option.long !== "--help";
}

function wordOf(argument: Argument): string {
  const name = argument.variadic ? `${argument.name()}...` : argument.name();
  return argument.required ? `<${name}>` : `[${name}]`;
}

function argumentTable(all: readonly Argument[]): string {
  const rows = all.map((argument) => {
    const meaning = withChoices(argument.description, argument.argChoices);
    return `| \`${bars(wordOf(argument))}\` | ${meaning}${defaultOf(argument.defaultValue)} |`;
  });
  return `| argument | meaning |\n|---|---|\n${rows.join("\n")}`;
}

function optionTable(all: readonly Option[]): string {
  const rows = all.map((option) => {
    // A flag that begins with --no- is on by default, and that is what its own text says.
    const usual = option.negate ? "" : defaultOf(option.defaultValue);
    return `| \`${bars(option.flags)}\` | ${withChoices(option.description, option.argChoices)}${usual} |`;
  });
  return `| option | meaning |\n|---|---|\n${rows.join("\n")}`;
}

function withChoices(description: string, choices: readonly string[] | undefined): string {
  if (choices === undefined) return cell(description);
  return `${cell(description)}: ${choices.map((choice) => `\`${choice}\``).join(", ")}`;
}

function defaultOf(value: unknown): string {
  const isNone = value === undefined || value === false || (Array.isArray(value) && value.length === 0);
  return isNone ? "" : ` (default: \`${typeof value === "string" ? value : JSON.stringify(value)}\`)`;
}

/** What the help says below its lists: paragraphs as they are, and examples as a block that a test parses. */
function helpAfter(command: Command, name: string): string[] {
  let text = "";
  command.configureOutput({ writeOut: (part) => void (text += part) });
  command.outputHelp();
  const paragraphs = text
    .slice(command.helpInformation().length)
    .trim()
    .split(/\n\n+/)
    .filter((paragraph) => paragraph !== "");
  return paragraphs.flatMap((paragraph) => {
    const [heading, ...lines] = paragraph.split("\n");
    if (heading === "Examples:") return [block("sh", examples(lines, name))];
    return [lines.some((line) => line.startsWith(" ")) ? block("text", paragraph) : inline(paragraph)];
  });
}

/** `  $ command   what it does`: the words after the gap are a comment. */
function examples(lines: readonly string[], name: string): string {
  const parts = lines.map((line) => {
    const [, command, remark] = /^ *\$ (.*?)(?: {2,}(\S.*))?$/.exec(line) ?? [];
    if (command === undefined) throw new Error(`An example of ${name} does not begin with "$ ": ${line}`);
    return { command, remark };
  });
  const width = Math.max(
    0,
    ...parts.map(({ command, remark }) => (remark === undefined ? 0 : command.length)),
  );
  return parts
    .map(({ command, remark }) => (remark === undefined ? command : `${command.padEnd(width)}   # ${remark}`))
    .join("\n");
}

function block(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

function cell(text: string): string {
  return bars(inline(text));
}

function bars(text: string): string {
  return text.replaceAll("|", "\\|");
}

/** A placeholder such as <name> would be read as a tag. */
function inline(text: string): string {
  return text.replaceAll(/<(?=[a-z/])/gi, "\\<");
}
