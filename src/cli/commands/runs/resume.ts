import { isJsonObject, parseJson, type Json, type JsonObject } from "../../../core/json.ts";
import { fail, succeed, type ToolResult } from "../../../core/result.ts";
import type { UncertainAnswer } from "../../../core/tool.ts";
import { refuse } from "../../app-call.ts";
import { perform, type Execution } from "./execution.ts";
import { collect, isWorkflowFile, readInputs, readSource, readTimeout, STDIN } from "./run-request.ts";
import { findResumableRunId } from "./run-reference.ts";
import { openSession } from "../../session.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { dim, note } from "../../terminal/terminal.ts";
import { defineCommand } from "../../command.ts";

interface ResumeOptions extends GlobalOptions {
  readonly code?: string;
  readonly name?: string;
  readonly input: readonly string[];
  readonly uncertain?: string;
  readonly timeout?: string;
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
  ],
  examples: [
    "repertoire resume last",
    "repertoire resume last --code report.ts",
    "repertoire resume 01980f0e-6c3a-7000-8000-0000000000aa --uncertain skip",
  ],
  run: (options: ResumeOptions, run: string) => resume(run, options),
});

async function resume(run: string, options: ResumeOptions): Promise<number> {
  const execution = await readExecution(run, options);
  if (!execution.success) return refuse(execution.error, options);
  const { code } = options;
  const session = await openSession(options);
  try {
    const id = await findResumableRunId(session.app, session.config.current().scope, run);
    if (!id.success) return refuse(id.error, options);
    if (id.data !== run && options.json !== true) note(dim(`resuming ${id.data}`));
    const args = { ...execution.data.args, resume: id.data };
    const origin = code === undefined || code === STDIN ? {} : { file: code };
    return await perform(session, { ...execution.data, args }, origin, options);
  } finally {
    await session.close();
  }
}

async function readExecution(runId: string, options: ResumeOptions): Promise<ToolResult<Execution>> {
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
