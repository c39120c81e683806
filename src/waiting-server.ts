import { fail } from "./core/result.ts";
import type { ToolSource } from "./core/tool.ts";

/** A server that lacks something only a person can give. It starts nothing, and says to everybody what is missing. */
export function createWaitingServer(id: string, missingInputs: readonly string[]): ToolSource {
  const refuse = async () => refuseForInputs(id, missingInputs);
  return {
    id,
    list: refuse,
    call: refuse,
    request: refuse,
    describe: refuse,
    changed: () => () => {},
    close: async () => {},
  };
}

/** What is said where a server would have to be started. */
export function refuseForInputs(id: string, missing: readonly string[]) {
  const named = missing.length === 1 ? "the input" : "the inputs";
  const commands = missing.map((input) => `repertoire input set ${input}`);
  return fail(
    "TOOL_UNAVAILABLE",
    `The server ${id} needs ${named} ${missing.join(", ")}. Run: ${commands.join("; ")}`,
    {
      reason: "needs_input",
      retryable: false,
      missing,
      hint: "Only a person can give it, at a terminal. The server starts by itself once it is there.",
    },
  );
}
