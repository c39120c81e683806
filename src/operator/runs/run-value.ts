/** What a run and its steps were given and gave: whole where it is short, in parts where it is not. */
import type { App } from "../../app/app.ts";
import type { Json } from "../../core/json.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import { INLINE_RESULT_BYTES_MAX, type Run } from "../../core/store.ts";
import { cut } from "../../text/cut.ts";
import type { Redactor } from "../../text/redaction.ts";
import type { AnswerOf, Asked } from "../contract/contract.ts";
import { measureJson } from "./json-size.ts";
import { createLargeValues, readPart, type LargeValues } from "./large-value.ts";
import { redactorOf } from "./run-redactor.ts";

/** The step that stands for the run as a whole. */
const OUTPUTS = "outputs";

/** By app, so that values go with the store that they are from. */
const valuesOf = new WeakMap<App, LargeValues>();

type Which = Asked<"readValue">["query"]["of"];

export async function readValue(
  app: App,
  run: Run,
  step: string,
  { of, ...wanted }: Asked<"readValue">["query"],
): Promise<ToolResult<AnswerOf<"readValue">>> {
  const value = await findValue(app, run, step, of);
  const part = value === undefined ? undefined : readPart(value, wanted, await redactorOf(app, run));
  return part === undefined ? nothingThere(run, step, of) : succeed(part);
}

/** A result that lies apart from its step is kept for the next part of it. */
export async function findValue(app: App, run: Run, step: string, of: Which): Promise<Json | undefined> {
  if (of === "inputs") return run.inputs;
  if (step === OUTPUTS) return of === "result" && run.status === "succeeded" ? run.result : undefined;
  const number = /^\d{1,9}$/.test(step) ? Number(step) : 0;
  const found = number === 0 ? undefined : await app.store.runs.step(run.id, number);
  if (found === undefined || of === "args") return found?.args;
  if (found.status !== "succeeded") return undefined;
  if (found.resultBytes === null) return found.result;
  const values = valuesOf.get(app) ?? createLargeValues();
  valuesOf.set(app, values);
  return values.get(`${run.id} ${found.key}`, () => app.store.runs.stepResult(run.id, found.key));
}

function nothingThere({ id }: Run, step: string, of: Which): ToolResult<never> {
  return fail("TOOL_NOT_FOUND", `The step ${JSON.stringify(step)} of ${id} has no ${of} there.`, {
    field: "step",
    hint: "Name a step by its number, or outputs for the result of the run; path is a JSON Pointer.",
  });
}

/** A value as it is shown: whole up to a limit, and beyond that its beginning and where the rest is. */
export function boundedValue(value: Json, handle: string, redactor: Redactor, bytes = measureJson(value)) {
  if (bytes <= INLINE_RESULT_BYTES_MAX) return redactor.value(value);
  return { handle, bytes, preview: previewOf(value, redactor) };
}

const PREVIEW_LENGTH = 500;
/** Of a text that is redacted before it is cut, so that no half of a secret is shown. */
const READ_LENGTH = 4_000;
const ENTRIES_READ = 20;
const DEPTH_READ = 6;

function previewOf(value: Json, redactor: Redactor): string {
  const text = JSON.stringify(redactor.value(beginningOf(value, 0)));
  return cut(text, PREVIEW_LENGTH);
}

/** Enough of a value for a preview, whatever its size. */
function beginningOf(value: Json, depth: number): Json {
  if (typeof value === "string") return value.slice(0, READ_LENGTH);
  if (typeof value !== "object" || value === null) return value;
  if (depth >= DEPTH_READ) return "…";
  if (Array.isArray(value))
    return (value as readonly Json[]).slice(0, ENTRIES_READ).map((item) => beginningOf(item, depth + 1));
  const entries = Object.entries(value).slice(0, ENTRIES_READ);
  return Object.fromEntries(entries.map(([key, item]) => [key, beginningOf(item, depth + 1)]));
}
