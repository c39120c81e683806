/** A run beside the attempt before it: what was changed, and what became of each step. */
import { createTwoFilesPatch, OMIT_HEADERS } from "diff";
import type { App } from "../../app/app.ts";
import { succeed, type ToolResult } from "../../core/result.ts";
import type { Run, StepSummary } from "../../core/store.ts";
import type { Redactor } from "../../text/redaction.ts";
import type { AnswerOf } from "../contract/contract.ts";
import { redactorOf } from "./run-redactor.ts";
import { sourceOf } from "./run-source.ts";
import { nameOf, statusOf } from "./step-row.ts";

type Difference = AnswerOf<"compareRun">;

/** What a person reads through. */
const STEPS_SHOWN_MAX = 500;
const STEPS_READ_MAX = 20_000;
const CONTEXT_LINES = 3;

const NO_DIFFERENCE: Difference = { before: null, source: "", inputs: "", steps: [], steps_left_out: 0 };

export async function compareRun(app: App, run: Run): Promise<ToolResult<Difference>> {
  const { runs } = app.store;
  const before = run.resumedFromRunId === null ? undefined : await runs.find(run.resumedFromRunId);
  if (before === undefined) return succeed(NO_DIFFERENCE);
  const redactor = await redactorOf(app, run);
  const [older, newer] = [await readSteps(app, before), await readSteps(app, run)];
  const steps = compareSteps(older, newer);
  return succeed({
    before: before.id,
    source: difference(await sourceText(app, before), await sourceText(app, run), redactor),
    inputs: difference(inputsText(before), inputsText(run), redactor),
    steps: steps.slice(0, STEPS_SHOWN_MAX),
    steps_left_out: Math.max(0, steps.length - STEPS_SHOWN_MAX),
  });
}

interface ReadSteps {
  readonly isRunning: boolean;
  readonly steps: ReadonlyMap<string, StepSummary>;
}

async function readSteps({ store, traces }: App, run: Run): Promise<ReadSteps> {
  const steps = await store.runs.stepPage(run.id, { after: 0, limit: STEPS_READ_MAX });
  return {
    isRunning: traces.statusOf(run) === "running",
    steps: new Map(steps.map((step) => [step.key, step])),
  };
}

/** In the order of the newer run; what only the older one has comes last. */
function compareSteps(older: ReadSteps, newer: ReadSteps): Difference["steps"] {
  const keys = new Set([...newer.steps.keys(), ...older.steps.keys()]);
  return [...keys].map((key) => {
    const [before, after] = [older.steps.get(key), newer.steps.get(key)];
    const step = (after ?? before)!;
    return {
      tool: step.tool,
      name: nameOf(step),
      before: before === undefined ? null : statusOf(before, older),
      after: after === undefined ? null : statusOf(after, newer),
      from_journal: after !== undefined && after.fromRunId !== null,
    };
  });
}

async function sourceText(app: App, run: Run): Promise<string> {
  return (await sourceOf(app, run))?.text ?? "";
}

function inputsText({ inputs }: Run): string {
  return `${JSON.stringify(inputs, null, 2)}\n`;
}

/** Empty where both are the same. */
function difference(before: string, after: string, redactor: Redactor): string {
  if (before === after) return "";
  const options = { context: CONTEXT_LINES, headerOptions: OMIT_HEADERS };
  return redactor.text(createTwoFilesPatch("", "", before, after, undefined, undefined, options));
}
