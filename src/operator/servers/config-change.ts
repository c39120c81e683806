/** Changes of the config file, one after another, and a way to tell that the file cannot be changed. */
import { formatProblem, type ConfigProblem } from "../../config/problem.ts";
import { RepertoireError } from "../../core/errors.ts";
import { fail, type ToolResult } from "../../core/result.ts";
import { Mutex } from "../../timing/mutex.ts";

const changes = new Mutex();

/** A file that cannot be read or written is told to the caller, and is no bug of ours. */
export async function changeConfig<T>(work: () => Promise<ToolResult<T>>): Promise<ToolResult<T>> {
  try {
    return await changes.run(work);
  } catch (error) {
    if (!(error instanceof RepertoireError)) throw error;
    const { message, hint } = error;
    return fail("TOOL_EXECUTION_FAILED", message, {
      reason: "config_unchanged",
      ...(hint !== undefined && { hint }),
    });
  }
}

export function configError(problems: readonly ConfigProblem[]): RepertoireError {
  const lines = problems.map((problem) => `  ${formatProblem(problem)}`);
  return new RepertoireError("CONFIG_INVALID", `the config is not valid:\n${lines.join("\n")}`, {
    hint: "Fix the file, then run: repertoire config check",
  });
}
