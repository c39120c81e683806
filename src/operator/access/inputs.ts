/** The values of inputs, which are given once and never shown. */
import { INPUT_ID_RULE, isInputId } from "../../config/values/expand.ts";
import { fail, succeed } from "../../core/result.ts";
import { openInputsOf } from "../../app/app.ts";
import { findValueProblem } from "./input-value.ts";
import type { Handlers } from "../operator.ts";
import { recordChange } from "../record-change.ts";

export const inputHandlers: Handlers<"setInput"> = {
  async setInput(deps, viewer, { params: { input: id }, body: { value } }) {
    if (!isInputId(id)) return badInputId();
    const { inputs } = deps.config.current();
    const input = inputs.find((one) => one.id === id);
    const problem = findValueProblem(value, input);
    if (problem !== undefined) {
      return fail("TOOL_INVALID_INPUT", `The value of ${id} ${problem}.`, {
        field: "value",
        hint: "Nothing was changed.",
      });
    }
    const store = openInputsOf(deps.config.current());
    await store.set(id, value);
    await deps.app.followConfig();
    await recordChange(deps, viewer, { action: "input.set", subject: id });
    return succeed({ input: id, ...viewSet(id, store.protectionOf(id), input?.servers ?? []) });
  },
};

/** What `input set --json` prints. */
export function viewSet(id: string, protectedBy: string | undefined, servers: readonly string[]) {
  return { set: id, protectedBy, servers: [...servers] };
}

export function badInputId() {
  return fail("TOOL_INVALID_INPUT", `This is not a valid id: ${INPUT_ID_RULE}.`, { field: "id" });
}
