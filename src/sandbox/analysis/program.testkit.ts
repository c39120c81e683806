import type { CodeProblem, Program } from "./contract.ts";
import { analyseCode } from "./program.ts";

/** Code that can be read, as what it was read to. */
export function programOf(code: string): Program {
  const { analysis } = analyseCode(code);
  if (analysis.kind === "refused") throw new Error(`refused: ${JSON.stringify(analysis.problems)}`);
  return analysis.program;
}

/** What is wrong with code; empty where nothing is. */
export function problemsOf(code: string): readonly CodeProblem[] {
  const { analysis } = analyseCode(code);
  return analysis.kind === "refused" ? analysis.problems : [];
}
