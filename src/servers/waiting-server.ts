import { lackOnlyInputs, missingName, type ConfigProblem } from "../config/problem.ts";
import { fail } from "../core/result.ts";
import type { ToolSource } from "../core/tool.ts";

/**
 * A server that cannot be started as it is configured. It starts nothing, and tells every caller why and what cures it.
 */
export function createWaitingServer(id: string, problems: readonly ConfigProblem[]): ToolSource {
  const refuse = async () => refuseUnusable(id, problems);
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

/** More are no help to a caller; `repertoire doctor` lists them all. */
const PROBLEMS_TOLD_MAX = 5;

/** What is said where a server would have to be started. */
export function refuseUnusable(id: string, problems: readonly ConfigProblem[]) {
  const inputs = namesOf(problems, (problem) => missingName(problem, "input"));
  const variables = namesOf(problems, (problem) => missingName(problem, "variable"));
  const missing = [...inputs, ...variables];
  const details = { retryable: false, ...(missing.length > 0 && { missing }) };
  if (lackOnlyInputs(problems)) {
    return fail("TOOL_UNAVAILABLE", describeInputs(id, inputs), {
      ...details,
      reason: "needs_input",
      hint: "A person must set it at a terminal. The server then starts by itself.",
    });
  }
  return fail("TOOL_UNAVAILABLE", `The server ${id} is not usable: ${describeProblems(problems)}.`, {
    ...details,
    reason: "unusable",
    hint: variables.length > 0 ? adviceOnVariables(variables) : ADVICE,
  });
}

const ADVICE =
  "A person must correct the config; `repertoire doctor` shows where. The server then starts by itself.";

function adviceOnVariables(variables: readonly string[]): string {
  const named = variables.join(", ");
  return (
    `${named} must be set where the gateway is started: a client that was started from the desktop does not have the variables of a ` +
    "terminal. A person can set it in that client's entry for Repertoire, or store the value as an input: `repertoire input set ID`, " +
    "and ${input:ID} in the config."
  );
}

function describeInputs(id: string, inputs: readonly string[]): string {
  const named = inputs.length === 1 ? "the input" : "the inputs";
  const commands = inputs.map((input) => `repertoire input set ${input}`);
  return `The server ${id} needs ${named} ${inputs.join(", ")}. Run: ${commands.join("; ")}`;
}

/** One sentence: each problem with the key it is about and its cure. */
function describeProblems(problems: readonly ConfigProblem[]): string {
  const told = problems.slice(0, PROBLEMS_TOLD_MAX).map(describeProblem);
  const rest = problems.length - told.length;
  return [...new Set(told), ...(rest > 0 ? [`${rest} more problems`] : [])].join("; ");
}

function describeProblem({ path, message, hint, missing }: ConfigProblem): string {
  const said = hint === undefined ? message : `${message} (${hint})`;
  return missing === undefined && path !== "" ? `${path}: ${said}` : said;
}

/** Each once, in order. */
function namesOf(
  problems: readonly ConfigProblem[],
  nameOf: (problem: ConfigProblem) => string | undefined,
): string[] {
  return [...new Set(problems.flatMap((problem) => nameOf(problem) ?? []))].sort();
}
