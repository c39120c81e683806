import { type JsonObject, isJsonObject, parseJson, type Json } from "../../../core/json.ts";
import { succeed, type ToolResult, fail } from "../../../core/result.ts";
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
import type { UncertainAnswer } from "../../../core/tool.ts";
import { findResumableRunId } from "./run-reference.ts";
import { dim, note } from "../../terminal/terminal.ts";

interface RunOptions extends GlobalOptions {
  readonly input: readonly string[];
  readonly intent?: string;
  readonly timeout?: string;
  readonly background?: boolean;
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
    { flags: "--background", about: "check it, put it into the queue and return; a serving gateway runs it" },
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
  const execution = await readRun(what, options);
  if (!execution.success) return refuse(execution.error, options);
  const origin = isPath(what) && what !== STDIN ? { file: what } : {};
  const session = await openSession(options);
  try {
    return await perform(session, execution.data, origin, options);
  } finally {
    await session.close();
  }
}

async function readRun(what: string, options: RunOptions): Promise<ToolResult<Execution>> {
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
    ...(options.background === true && { background: true }),
  };
  return succeed({ args, ...(isWorkflow && { workflow: source.data }) });
}

interface ResumeOptions extends GlobalOptions {
  readonly code?: string;
  readonly name?: string;
  readonly input: readonly string[];
  readonly uncertain?: string;
  readonly timeout?: string;
  readonly background?: boolean;
}

export const resumeCommand = defineCommand({
  name: "resume",
  group: "runs",
  summary: "Continue a run that stopped; completed steps are not repeated",
  arguments: [
    {
      words: "<run|last>",
      about: "the id of the run, or its start or end, or last for the newest of this folder",
      completes: ["runs"],
    },
  ],
  options: [
    {
      flags: "--code <file>",
      about: "the corrected code, or the corrected .json of a workflow; - for standard input",
      completes: ["files"],
    },
    {
      flags: "--name <name>",
      about: "the library item or draft that has the corrected code",
      completes: ["kept", "drafts"],
    },
    {
      flags: "--input <key=value>",
      about: "an input that replaces one of the earlier run; secrets must be given again",
      parse: collect,
      default: [],
    },
    {
      flags: "--uncertain <answer>",
      about: `for a call whose outcome is not known: retry, skip or '{"result": …}'`,
    },
    { flags: "--timeout <ms>", about: "the time limit of the run" },
    { flags: "--background", about: "continue in the background: a serving gateway runs it" },
  ],
  help: `A background run that is queued or under way is waited for, up to the time limit. One that stopped continues here.`,
  examples: [
    "repertoire resume last",
    "repertoire resume last --code report.ts",
    "repertoire resume 01980f0e-6c3a-7000-8000-0000000000aa --uncertain skip",
  ],
  run: (options: ResumeOptions, reference: string) => resume(reference, options),
});

async function resume(reference: string, options: ResumeOptions): Promise<number> {
  const execution = await readResumption(reference, options);
  if (!execution.success) return refuse(execution.error, options);
  const { code } = options;
  const session = await openSession(options);
  try {
    const id = await findResumableRunId(session.app, session.config.current().scope, reference);
    if (!id.success) return refuse(id.error, options);
    if (id.data !== reference && options.json !== true) note(dim(`resuming ${id.data}`));
    const args = { ...execution.data.args, resume: id.data };
    const origin = code === undefined || code === STDIN ? {} : { file: code };
    return await perform(session, { ...execution.data, args }, origin, options);
  } finally {
    await session.close();
  }
}

async function readResumption(runId: string, options: ResumeOptions): Promise<ToolResult<Execution>> {
  const { code, name } = options;
  if (code !== undefined && name !== undefined) {
    return fail("TOOL_INVALID_INPUT", "Give --code or --name, not both.", { field: "code" });
  }
  const inputs = readInputs(options.input);
  if (!inputs.success) return inputs;
  const timeout = readTimeout(options.timeout);
  if (!timeout.success) return timeout;
  const uncertain = readUncertain(options.uncertain);
  if (!uncertain.success) return uncertain;
  const source = code === undefined ? undefined : await readSource(code);
  if (source?.success === false) return source;
  const isWorkflow = source !== undefined && isWorkflowFile(code!);
  const args: JsonObject = {
    resume: runId,
    ...(options.input.length > 0 && { inputs: inputs.data }),
    ...(uncertain.data !== undefined && { uncertain: uncertain.data }),
    ...(source !== undefined && !isWorkflow && { code: source.data }),
    ...(name !== undefined && { name }),
    // A person who continues a run wants it to go on, also one that the queue would leave.
    background: options.background === true,
    ...(timeout.data !== undefined && { timeout_ms: timeout.data }),
  };
  return succeed({ args, ...(isWorkflow && { workflow: source.data }) });
}

/** One answer for all, or a list with one for each. */
function readUncertain(
  written: string | undefined,
): ToolResult<UncertainAnswer | readonly UncertainAnswer[] | undefined> {
  if (written === undefined || written === "retry" || written === "skip") return succeed(written);
  const parsed = parseJson(written);
  const value = parsed.ok ? parsed.value : undefined;
  const answers: readonly Json[] = Array.isArray(value) ? value : [];
  if (value !== undefined && isAnswer(value)) return succeed(value as UncertainAnswer);
  if (answers.length > 0 && answers.every(isAnswer)) return succeed(answers as readonly UncertainAnswer[]);
  const message = `--uncertain ${JSON.stringify(written)} is not an answer. Give retry (call again), skip (continue without its result) or '{"result": …}' (continue with this result); for several calls, a JSON list of these.`;
  return fail("TOOL_INVALID_INPUT", message, { field: "uncertain" });
}

function isAnswer(value: Json): boolean {
  if (value === "retry" || value === "skip") return true;
  return isJsonObject(value) && Object.hasOwn(value, "result") && Object.keys(value).length === 1;
}
