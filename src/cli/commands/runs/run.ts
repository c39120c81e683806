import type { JsonObject } from "../../../core/json.ts";
import { succeed, type ToolResult } from "../../../core/result.ts";
import { refuse } from "../../app-call.ts";
import { perform, type Execution } from "./execution.ts";
import {
  collect,
  isPath,
  isWorkflowFile,
  readInputs,
  readSource,
  readTimeout,
  STDIN,
} from "./run-request.ts";
import { openSession } from "../../session.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { defineCommand } from "../../command.ts";

interface RunOptions extends GlobalOptions {
  readonly input: readonly string[];
  readonly intent?: string;
  readonly timeout?: string;
}

export const runCommand = defineCommand({
  name: "run",
  group: "runs",
  summary: "Run TypeScript, a workflow, a library item or a draft with your tools",
  arguments: [
    {
      words: "<file|name>",
      about: "a .ts or .js file, - for standard input, a .json workflow, or the name of an item or draft",
      completes: ["kept", "drafts", "files"],
    },
  ],
  options: [
    {
      flags: "--input <key=value>",
      about: "an input, args.key in code; parsed as JSON if it is JSON, else text; repeatable",
      parse: collect,
      default: [],
    },
    { flags: "--intent <text>", about: "what the run is for, in one sentence" },
    { flags: "--timeout <ms>", about: "the time limit of the run" },
  ],
  help: `A run that fails prints which steps are done; continue it with: repertoire resume RUN. Completed steps are not repeated.
After SIGINT or SIGTERM, the calls under way finish and are recorded; a second signal exits at once.`,
  examples: [
    "repertoire run report.ts --input repo=me/it --input days=7",
    "repertoire run deploy.json --input version=1.4.0",
    "repertoire run issues:stale --input days=30",
    "echo 'return Object.keys(args)' | repertoire run - --input a=1 --json",
  ],
  run: (options: RunOptions, what: string) => run(what, options),
});

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
