import { Command, CommanderError, Help, Option } from "commander";
import { LOG_FORMATS, LOG_LEVELS } from "../core/log.ts";
import { VERSION } from "../core/version.ts";
import { createOption, GROUP_TITLES, registerCommand, type Finish } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { runWithoutCommand } from "./start/start.ts";
import { EXIT, exitCodeOfThrown } from "./terminal/exit-code.ts";
import {
  configureTerminal,
  finishAnswer,
  printFailure,
  printThrown,
  terminalOptions,
  write,
} from "./terminal/terminal.ts";
import { assumeSize } from "./terminal/wrap-text.ts";

/** Runs one command and returns the exit code; only `serve` and `demo` go on for longer than their output. */
export async function runCli(args: readonly string[]): Promise<number> {
  if (args[0] === COMPLETE) return completeWords(args.slice(1));
  let exitCode: number = EXIT.ok;
  assumeSize([process.stdout, process.stderr]);
  // What is wrong with the words is told before a command has its options.
  configureTerminal({ json: wantsJson(args), quiet: false, mayAsk: true });
  const program = createProgram((code) => {
    exitCode = code;
  });
  try {
    if (args.length === 0) return await runWithoutCommand();
    await program.parseAsync([...args], { from: "user" });
  } catch (error) {
    exitCode = explain(error);
  }
  try {
    return await finishAnswer(exitCode);
  } catch (error) {
    return explain(error);
  }
}

/**
 * What the scripts of `completions` ask, with the words so far. It is no command for people, and in no list of them.
 */
const COMPLETE = "__complete";

async function completeWords(args: readonly string[]): Promise<number> {
  const { complete } = await import("./completion/complete.ts");
  const words = args[0] === "--" ? args.slice(1) : args;
  write(
    await complete(
      createProgram(() => {}),
      words,
    ),
  );
  return EXIT.ok;
}

/** Tells what was thrown; returns its exit code. */
function explain(error: unknown): number {
  if (error instanceof CommanderError) return usageError(error);
  printThrown(error);
  return exitCodeOfThrown(error);
}

/** Before `--`; what comes after it is for a server's program. */
function wantsJson(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  return (end === -1 ? args : args.slice(0, end)).some(
    (word) => word === "--json" || /^--jq(=|$)/.test(word),
  );
}

/** commander has told a person already. */
function usageError({ exitCode, code, message }: CommanderError): number {
  if (exitCode === 0) return EXIT.ok;
  if (terminalOptions().json) {
    const said = code === "commander.help" ? "Give a command." : message.replace(/^error: /, "");
    printFailure({ message: said, exitCode: EXIT.usage, hint: HELP_HINT });
  }
  return EXIT.usage;
}

const HELP_HINT = "Run: repertoire --help";

/** The options of the program that say how it speaks. */
interface OwnOptions {
  readonly json?: boolean;
  readonly jq?: string;
  readonly quiet?: boolean;
  readonly input: boolean;
}

/** All commands, ready to parse; `finish` hears the exit code of the one that ran. */
export function createProgram(finish: Finish): Command {
  const program = new Command("repertoire")
    .description("One MCP endpoint in front of all your MCP servers. It keeps what worked as a tool.")
    .version(VERSION, "-V, --version", "Print the version")
    .option("--json", "Print one JSON value instead of text, also for errors")
    .addOption(
      new Option("--jq <filter>", "Filter the JSON with jq; implies --json").implies({
        json: true,
      }),
    )
    .addOption(
      createOption({
        flags: "--config <file>",
        about: "Use this config file and no other",
        completes: ["files"],
      }),
    )
    .addOption(
      createOption({
        flags: "--home <folder>",
        about: "Store all data in this folder (default: REPERTOIRE_HOME or the XDG data folder)",
        completes: ["dirs"],
      }),
    )
    .option("--quiet", "Print no notes and no progress, only results and errors")
    .option("--no-input", "Never ask; a command that would ask fails and names the option that answers")
    .addOption(new Option("--log-level <level>", "The lowest level that is logged").choices(LOG_LEVELS))
    .addOption(
      new Option(
        "--log-format <format>",
        "The format of the log (default: text on a terminal, else json)",
      ).choices(LOG_FORMATS),
    )
    .helpOption("-h, --help", "Show help")
    .helpCommand("help [command]", "Show help for a command")
    .commandsGroup(`${GROUP_TITLES.operate}:`)
    .configureHelp({ subcommandTerm })
    .showHelpAfterError("(run repertoire --help for the list of commands)")
    .exitOverride()
    .configureOutput({
      writeOut: write,
      writeErr: (text) => terminalOptions().json || process.stderr.write(text),
    })
    .hook("preAction", () => {
      const { json = false, jq, quiet = false, input } = program.opts<OwnOptions>();
      configureTerminal({ json, ...(jq !== undefined && { jq }), quiet, mayAsk: input });
    })
    .addHelpText("after", HELP_AFTER);
  for (const definition of COMMANDS) registerCommand(program, definition, finish);
  return program;
}

/** As commander writes it, without the earlier names that still work. */
function subcommandTerm(command: Command): string {
  return new Help().subcommandTerm(command).replace(`|${command.alias()}`, "");
}

const HELP_AFTER = `
Examples:
  $ repertoire init                        import the servers of your AI clients
  $ repertoire serve                       serve MCP over stdio; MCP clients start this
  $ repertoire connect cursor              add the gateway to a client's config
  $ repertoire doctor                      check that everything works
  $ repertoire tools                       list all tools, by server
  $ repertoire call notes.add text=Hello   call one of them
  $ repertoire cost                        what they cost in tokens in every conversation
  $ repertoire run report.ts --input n=3   run TypeScript that calls your tools
  $ repertoire run deploy.json             run a workflow; repertoire validate checks it first
  $ repertoire resume last                 continue the last run where it stopped
  $ repertoire show last                   show what a run did, step by step
  $ repertoire list "github*"              list the library, by pattern
  $ repertoire describe pr-analyzer --json
  $ repertoire save DRAFT issues:stale --description "Issues without activity."
  $ repertoire test                        replay the examples of the library

Exit codes:
  0 ok            1 failed       2 usage       3 auth      4 unreachable     5 tool error
  6 refused       7 not found    8 waiting     130 interrupted                143 terminated`;
