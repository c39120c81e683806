import * as z from "zod";
import { isJsonObject } from "../../core/json.ts";
import { parseReference } from "../../core/names.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import { TIMEOUT_MS_MAX } from "../../runs/runs.ts";

/** More calls are never under way at once. */
const UNCERTAIN_MAX = 1_000;
const UNCERTAIN_FORM = `it is "retry", "skip", {"result": …}, or a list of at most ${UNCERTAIN_MAX} of these`;

/** The arguments of `execute`. */
export const executeInput = z.strictObject({
  name: z.string().optional(),
  inputs: z.record(z.string(), z.unknown()).optional().describe("args in code"),
  code: z.string().optional(),
  intent: z.string().max(1000).optional().describe("What it is for; searches learn from it"),
  resume: z.string().optional().describe('run_id, or "last"'),
  uncertain: z
    .union([z.string(), z.looseObject({}), z.array(z.unknown()).max(UNCERTAIN_MAX)], {
      error: UNCERTAIN_FORM,
    })
    .optional()
    .describe(
      'With resume, for a call of unknown outcome: "retry", "skip", {"result": …}, or a list of these',
    ),
  timeout_ms: z.int().min(1).max(TIMEOUT_MS_MAX).optional().describe("30000 by default"),
  background: z.boolean().optional().describe("Answer at once; resume waits for the end"),
  save_as: z.string().optional().describe("Keep the code under this name"),
  calls: z.boolean().optional().describe("List its calls"),
});

export type ExecuteInput = z.output<typeof executeInput>;

/**
 * All that can be wrong with a request before anything is looked up; `hasText` is what comes with a source of its
 * own.
 */
export function checkRequest(args: ExecuteInput, hasText = false): ToolResult<void> {
  const chosen = (["name", "code", "resume"] as const).filter((key) => args[key] !== undefined);
  if (chosen.length === 0 && !hasText) {
    return fail("TOOL_INVALID_INPUT", "Give one of name, code and resume: what should run?", {
      field: "name",
    });
  }
  if (args.name !== undefined && args.code !== undefined) {
    return fail("TOOL_INVALID_INPUT", "Give name or code, not both.", { field: "code" });
  }
  if (args.uncertain !== undefined && args.resume === undefined) {
    const message = "uncertain is an answer to a run that stopped: give its run_id as resume.";
    return fail("TOOL_INVALID_INPUT", message, { field: "uncertain" });
  }
  if (args.background === true && args.save_as !== undefined) {
    return fail("TOOL_INVALID_INPUT", "save_as keeps what has succeeded, and a background run has not yet.", {
      field: "save_as",
      hint: "Leave save_as out. When the run has succeeded, keep its draft with save_to_library.",
    });
  }
  const { uncertain = [] } = args;
  if (!(Array.isArray(uncertain) ? uncertain : [uncertain]).every(isUncertainAnswer)) {
    const message = Array.isArray(uncertain)
      ? 'Each answer in uncertain is "retry", "skip" or {"result": …}.'
      : `The argument "uncertain" is not valid: ${UNCERTAIN_FORM}.`;
    return fail("TOOL_INVALID_INPUT", message, { field: "uncertain" });
  }
  return checkNames(args);
}

function isUncertainAnswer(answer: unknown): boolean {
  if (answer === "retry" || answer === "skip") return true;
  return isJsonObject(answer) && Object.hasOwn(answer, "result") && Object.keys(answer).length === 1;
}

function checkNames(args: ExecuteInput): ToolResult<void> {
  for (const key of ["name", "save_as"] as const) {
    const text = args[key];
    const reference = text === undefined ? undefined : parseReference(text, key);
    // A name that is only not well formed is told the nearest ones, which takes a look at what there is.
    if (reference?.success === false && reference.error.code === "SECURITY_ERROR") return reference;
  }
  const isRunId = args.resume === undefined || /^(?:last|[0-9a-f-]{4,36})$/.test(args.resume);
  if (isRunId) return succeed(undefined);
  return fail("TOOL_INVALID_INPUT", "resume must be a run_id, as execute returned it, or last.", {
    field: "resume",
    nearest: ["last"],
    hint: '"last" is your own newest run that can go on.',
  });
}
