/** One step of a run: what it was given, what it answered, and the line of the source that called it. */
import { stepUriOf, type App } from "../../app/app.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import type { Run } from "../../core/store.ts";
import type { AnswerOf } from "../contract/contract.ts";
import { boundedValue, findValue } from "./run-value.ts";
import { sourceOf } from "./run-source.ts";
import { readRowContext, rowOf, type RowContext } from "./step-row.ts";

export async function getStep(app: App, run: Run, written: string): Promise<ToolResult<AnswerOf<"getStep">>> {
  const number = /^\d{1,9}$/.test(written) ? Number(written) : 0;
  const [step] = number === 0 ? [] : await app.store.runs.stepPage(run.id, { after: number - 1, limit: 1 });
  if (step === undefined) return noStep(run, written);
  const context = await readRowContext(app, run);
  const { row: _, ...row } = rowOf(step, context);
  const handle = stepUriOf(run.id, number);
  const args = (await findValue(app, run, written, "args")) ?? {};
  const isDone = step.status === "succeeded";
  const result = isDone ? ((await findValue(app, run, written, "result")) ?? null) : undefined;
  const line = await sourceLine(app, context, row.lines);
  return succeed({
    ...row,
    run_id: run.id,
    args: boundedValue(args, handle, context.redactor),
    ...(result !== undefined && {
      result: boundedValue(result, handle, context.redactor, step.resultBytes ?? undefined),
    }),
    ...(line !== undefined && { source_line: line }),
  });
}

async function sourceLine(
  app: App,
  { run, redactor }: RowContext,
  [line]: readonly number[] = [],
): Promise<string | undefined> {
  if (line === undefined) return undefined;
  const text = (await sourceOf(app, run))?.text.split("\n")[line - 1];
  return text === undefined ? undefined : redactor.text(text);
}

function noStep({ id }: Run, step: string): ToolResult<never> {
  return fail("TOOL_NOT_FOUND", `The run ${id} has no step ${JSON.stringify(step)}.`, {
    field: "step",
    hint: "Steps are numbered from 1.",
  });
}
