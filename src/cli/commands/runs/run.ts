import type { Command } from "commander";
import type { JsonObject } from "../../../core/json.ts";
import { succeed, type ToolResult } from "../../../core/result.ts";
import { refuse } from "../../app-call.ts";
import { perform, type Execution } from "./execution.ts";
import type { Finish } from "../../program.ts";
import {
  collect,
  isPath,
  isWorkflowFile,
  readInputs,
  readSource,
  readTimeout,
  STDIN,
} from "./run-request.ts";
import { globalOptionsOf, openSession, type GlobalOptions } from "../../session.ts";

interface RunOptions extends GlobalOptions {
  readonly input: readonly string[];
  readonly intent?: string;
  readonly timeout?: string;
}

export function addRun(program: Command, finish: Finish): void {
  program
    .command("run")
    .description("Run TypeScript, a workflow, or something kept or drafted, against your tools")
    .argument("<file|name>", "a .ts or .js file, - for standard input, a .json workflow, or a name")
    .option(
      "--input <key=value>",
      "an input, args.key in code; JSON where it is JSON, else text",
      collect,
      [],
    )
    .option("--intent <text>", "what the run is for, in one sentence")
    .option("--timeout <ms>", "the time limit of the run")
    .addHelpText(
      "after",
      `
A run that fails says what is done, and goes on with: repertoire resume RUN. Nothing that is done is done again.
SIGINT and SIGTERM let the calls under way finish and be recorded first; a second one ends it at once.

Examples:
  $ repertoire run report.ts --input repo=me/it --input days=7
  $ repertoire run deploy.json --input version=1.4.0
  $ repertoire run issues:stale --input days=30
  $ echo 'return Object.keys(args)' | repertoire run - --input a=1 --json`,
    )
    .action(async (what: string, _options: unknown, command: Command) => {
      finish(await run(what, { ...globalOptionsOf(command), ...command.opts<RunOptions>() }));
    });
}

async function run(what: string, options: RunOptions): Promise<number> {
  const execution = await readExecution(what, options);
  if (!execution.success) return refuse(execution.error, options);
  const origin = isPath(what) && what !== STDIN ? { file: what } : {};
  const session = await openSession(options);
  try {
    return await perform(session, execution.data, origin, options);
  } finally {
    await session.close();
  }
}

async function readExecution(what: string, options: RunOptions): Promise<ToolResult<Execution>> {
  const inputs = readInputs(options.input);
  if (!inputs.success) return inputs;
  const timeout = readTimeout(options.timeout);
  if (!timeout.success) return timeout;
  const source = isPath(what) ? await readSource(what) : undefined;
  if (source?.success === false) return source;
  const isWorkflow = source !== undefined && isWorkflowFile(what);
  const args: JsonObject = {
    ...(source === undefined && { name: what }),
    ...(source !== undefined && !isWorkflow && { code: source.data }),
    inputs: inputs.data,
    ...(options.intent !== undefined && { intent: options.intent }),
    ...(timeout.data !== undefined && { timeout_ms: timeout.data }),
  };
  return succeed({ args, ...(isWorkflow && { workflow: source.data }) });
}
