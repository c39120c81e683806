/**
 * A corrected source that makes none of the calls on record is probably not a correction of that run: its effects would
 * come on top of those that the run has had already. So before the first of them is made, the run stops and says so.
 */
import { fail } from "../../core/result.ts";
import type { ToolError } from "../../core/errors.ts";
import type { Step } from "../../core/store.ts";
import { QUESTION_TOOL, type StepRequest } from "../journal/journal.ts";
import { labelOf } from "../workflow/labels.ts";
import type { FoundTool } from "../prepare/tool-directory.ts";
import { isRepeatable } from "../tool-caller.ts";

const NAMED_MAX = 5;

/** Says why a call of corrected code must not be made, if it must not; one that matches the record lifts the guard. */
export function createMatchGuard(
  recorded: readonly Step[],
  tools: readonly (FoundTool | undefined)[],
): (step: Pick<StepRequest, "key" | "isRepeatable" | "startsRun">) => ToolError | undefined {
  const harmless = new Set(
    tools.flatMap((tool) => (tool !== undefined && isRepeatable(tool.definition) ? [tool.name] : [])),
  );
  const keys = new Set(recorded.map(({ key }) => key));
  const effects = recorded.filter(
    ({ status, tool }) => status === "succeeded" && !harmless.has(tool) && tool !== QUESTION_TOOL,
  );
  let isLifted = effects.length === 0;
  return ({ key, isRepeatable: isHarmless, startsRun }) => {
    isLifted ||= keys.has(key);
    return isLifted || (isHarmless && startsRun !== true) ? undefined : unmatched(effects);
  };
}

/** The same for a workflow, whose calls are its nodes: whether any node of the run before is still there. */
export function findUnmatchedNodes(recorded: readonly Step[], ids: readonly string[]): ToolError | undefined {
  const ended = recorded.filter(({ status }) => status === "succeeded");
  const isLeft = ended.some(({ key }) => ids.includes(labelOf(key).replace(/[[~?].*$/s, "")));
  return ended.length === 0 || isLeft ? undefined : unmatched(ended);
}

function unmatched(effects: readonly Step[]): ToolError {
  const count = effects.length;
  const names = [...new Set(effects.map(({ tool }) => tool))];
  const more = names.length > NAMED_MAX ? " …" : "";
  const what = `${count} ${count === 1 ? "call" : "calls"} on record (${names.slice(0, NAMED_MAX).join(", ")}${more})`;
  return fail(
    "TOOL_INVALID_INPUT",
    `nothing_matched: the run has ${what}, and this version has made none of them again so far. It stopped before its first effect.`,
    {
      reason: "nothing_matched",
      field: "resume",
      hint: "To go on with the run, make its recorded calls first, with the same arguments. To start over, execute without resume: then nothing is answered from the record.",
    },
  ).error;
}
