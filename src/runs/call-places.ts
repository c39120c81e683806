/** Where code calls which tool, by a look at its text: what a person sees beside a step. */
import type { CodeAnalysis } from "../sandbox/analysis/analysis.ts";

/** The lines that name a tool, from 1, in their order, by `namespace.tool` as code writes it. */
export type CallPlaces = ReadonlyMap<string, readonly number[]>;

export async function findCallPlaces(
  analysis: Pick<CodeAnalysis, "analyse">,
  code: string,
): Promise<CallPlaces> {
  const read = await analysis.analyse(code);
  const lines = new Map<string, number[]>();
  for (const { namespace, tool, line } of read.kind === "program" ? read.program.uses : []) {
    const known = lines.get(`${namespace}.${tool}`);
    if (known === undefined) lines.set(`${namespace}.${tool}`, [line]);
    else if (known.at(-1) !== line) known.push(line);
  }
  return lines;
}
