/** Which line of the source made which calls. */
import type { CodeMark } from "../../../parts/code.tsx";
import { countOf } from "../../../parts/format.ts";
import { shownStatus } from "../waterfall/bar.ts";
import type { WaterRow } from "../waterfall/row-types.ts";

export type CallRow = Extract<WaterRow, { readonly kind: "step" | "group" }>;

/** The rows of each line, from 1. A tool that is called on several lines has its calls on all of them. */
export function rowsByLine(rows: readonly WaterRow[], run: string): ReadonlyMap<number, readonly CallRow[]> {
  const byLine = new Map<number, CallRow[]>();
  for (const row of rows) {
    if ((row.kind !== "step" && row.kind !== "group") || row.run !== run) continue;
    for (const line of linesOf(row)) {
      const known = byLine.get(line);
      if (known === undefined) byLine.set(line, [row]);
      else known.push(row);
    }
  }
  return byLine;
}

export function linesOf(row: CallRow): readonly number[] {
  return (row.kind === "step" ? row.step.lines : row.group.lines) ?? [];
}

/** One mark for each line that calls something, as bad as the worst of its calls. */
export function marksOf(byLine: ReadonlyMap<number, readonly CallRow[]>): readonly CodeMark[] {
  return [...byLine].map(([line, rows]) => {
    const states = Map.groupBy(rows, stateOf);
    const count = (state: string) => (states.get(state) ?? []).reduce((sum, row) => sum + countOfRow(row), 0);
    const all = rows.reduce((sum, row) => sum + countOfRow(row), 0);
    const [failed, uncertain] = [count("failed"), count("uncertain")];
    return {
      line,
      tone:
        failed > 0
          ? "fail"
          : uncertain + count("waiting") > 0
            ? "wait"
            : count("under_way") > 0
              ? "run"
              : "ok",
      title: [
        countOf(all, "call"),
        ...(failed > 0 ? [`${failed} failed`] : []),
        ...(uncertain > 0 ? [`${uncertain} uncertain`] : []),
      ].join(", "),
    };
  });
}

function stateOf(row: CallRow): string {
  return shownStatus(row.kind === "step" ? row.step.status : row.group.status, row.place.endMs !== undefined);
}

function countOfRow(row: CallRow): number {
  return row.kind === "step" ? 1 : row.group.count;
}
