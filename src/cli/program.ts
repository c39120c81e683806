import { Command, CommanderError, Option } from "commander";
import { LOG_FORMATS, LOG_LEVELS } from "../core/log.ts";
import { VERSION } from "../core/version.ts";
import { addAdd } from "./commands/servers/add.ts";
import { addAlias } from "./commands/library/alias.ts";
import { addApprove } from "./commands/runs/approve.ts";
import { addAudit } from "./commands/operate/audit.ts";
import { addBugReport } from "./doctor/bug-report.ts";
import { addCall } from "./commands/use/call.ts";
import { addCompletions } from "./completion/completions.ts";
import { addConfig } from "./commands/operate/config.ts";
import { addConnect } from "./connect/connect.ts";
import { addDemo } from "./demo/demo.ts";
import { addDemoServer } from "./demo/demo-server.ts";
import { addDelete } from "./commands/library/delete.ts";
import { addDescribe } from "./commands/use/describe.ts";
import { addDiff } from "./commands/library/diff.ts";
import { addDisable } from "./commands/servers/disable.ts";
import { addDoctor } from "./doctor/doctor.ts";
import { addEnable } from "./commands/servers/enable.ts";
import { EXIT, exitCodeOfThrown } from "./terminal/exit-code.ts";
import { addExport } from "./commands/library/export.ts";
import { addGraph } from "./commands/runs/graph.ts";
import { addHistory } from "./commands/library/history.ts";
import { addImport } from "./commands/library/import.ts";
import { addInit } from "./init/init.ts";
import { addInput } from "./commands/access/input.ts";
import { addList } from "./commands/library/list.ts";
import { addLogin } from "./commands/access/login.ts";
import { addLogout } from "./commands/access/logout.ts";
import { addRemove } from "./commands/servers/remove.ts";
import { addRename } from "./commands/library/rename.ts";
import { addResume } from "./commands/runs/resume.ts";
import { addRollback } from "./commands/library/rollback.ts";
import { addRun } from "./commands/runs/run.ts";
import { addRuns } from "./commands/runs/runs.ts";
import { addSave } from "./commands/library/save.ts";
import { addStart } from "./start/start.ts";
import { addServers } from "./commands/servers/servers.ts";
import { addServe } from "./commands/operate/serve.ts";
import { addShow } from "./commands/runs/show.ts";
import {
  configureTerminal,
  finishAnswer,
  printFailure,
  printThrown,
  terminalOptions,
  write,
} from "./terminal/terminal.ts";
import { addTest } from "./commands/library/test.ts";
import { addTools } from "./commands/use/tools.ts";
import { addToken } from "./commands/access/token.ts";
import { addTokens } from "./commands/use/cost.ts";
import { addTrust } from "./commands/access/trust.ts";
import { addTypes } from "./commands/use/types.ts";
import { addValidate } from "./commands/runs/validate.ts";
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
    if (args.length === 0) return await (await import("./start/bare.ts")).runBare();
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

/** What the scripts of `completions` ask, with the words so far. It is no command for people, and in no list of them. */
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

const HELP_HINT = "repertoire --help shows what there is.";

/** A command reports how it went through this; it throws only when the world is broken. */
export type Finish = (exitCode: number) => void;

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
    .option("--json", "Print one JSON value instead of text, also of what fails")
    .addOption(
      new Option("--jq <filter>", "Print what this jq filter makes of the JSON; implies --json").implies({
        json: true,
      }),
    )
    .option("--config <file>", "Use this config file and no other")
    .option(
      "--home <folder>",
      "Keep everything in this folder (default: REPERTOIRE_HOME or the XDG data folder)",
    )
    .option("--quiet", "No notes and no progress; errors stay")
    .option("--no-input", "Never ask; a command that would ask fails and says which option answers")
    .addOption(new Option("--log-level <level>", "What goes to the log").choices(LOG_LEVELS))
    .addOption(
      new Option(
        "--log-format <format>",
        "How it is written (default: text on a terminal, else json)",
      ).choices(LOG_FORMATS),
    )
    .helpOption("-h, --help", "Show help")
    .helpCommand("help [command]", "Show help for a command")
    .showHelpAfterError("(repertoire --help shows what there is)")
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
  for (const add of [
    addStart,
    addInit,
    addAdd,
    addRemove,
    addEnable,
    addDisable,
    addConnect,
    addServers,
    addLogin,
    addLogout,
    addInput,
    addCall,
    addRun,
    addResume,
    addRuns,
    addShow,
    addApprove,
    addAudit,
    addValidate,
    addGraph,
    addTypes,
    addServe,
    addTools,
    addTokens,
    addList,
    addDescribe,
    addSave,
    addTest,
    addHistory,
    addDiff,
    addRollback,
    addRename,
    addAlias,
    addDelete,
    addExport,
    addImport,
    addDoctor,
    addBugReport,
    addConfig,
    addTrust,
    addToken,
    addCompletions,
    addDemo,
    addDemoServer,
  ]) {
    add(program, finish);
  }
  return program;
}

const HELP_AFTER = `
Examples:
  $ repertoire init                        take over the servers that your other clients have
  $ repertoire serve                       the gateway over stdio, for an MCP client to start
  $ repertoire connect cursor              write the gateway into a client's config
  $ repertoire doctor                      is everything in order?
  $ repertoire tools                       all tools, by server, as code calls them
  $ repertoire call notes.add text=Hello   call one of them
  $ repertoire tokens                      what they cost in every conversation
  $ repertoire run report.ts --input n=3   TypeScript against your tools
  $ repertoire run deploy.json             a workflow; repertoire validate checks it first
  $ repertoire resume last                 go on where the last run stopped
  $ repertoire show last                   what a run did, step by step
  $ repertoire list "github*"              what was kept, by pattern
  $ repertoire describe pr-analyzer --json
  $ repertoire save DRAFT issues:stale --description "Issues that nobody touched."
  $ repertoire test                        does what was kept still give what it gave?

Exit codes:
  0 ok            1 failed       2 usage       3 auth      4 unreachable     5 tool error
  6 refused       7 not found    8 waiting     130 interrupted                143 terminated`;
