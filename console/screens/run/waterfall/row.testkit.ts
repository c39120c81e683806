import type { GroupRow, LoadedPage, StepRow, StepsPage } from "./row-types.ts";

/** A step that succeeded; what a test is about is named in it. */
export function aStep(step: number, changed: Partial<StepRow> = {}): StepRow {
  return {
    row: "step",
    step,
    key: `counter__add ${step}`,
    name: `counter__add#${step}`,
    tool: "counter__add",
    status: "succeeded",
    started_ms: step * 10,
    elapsed_ms: 8,
    args_text: "{}",
    result_bytes: 2,
    ...changed,
  };
}

export function aGroup(from: number, to: number, changed: Partial<GroupRow> = {}): GroupRow {
  return {
    row: "group",
    from_step: from,
    to_step: to,
    count: to - from + 1,
    tool: "counter__add",
    status: "succeeded",
    started_ms: from * 10,
    elapsed_ms: (to - from + 1) * 10,
    from_journal: false,
    ...changed,
  };
}

export function aPage(rows: readonly (StepRow | GroupRow)[], next?: number, run: string = "r"): LoadedPage {
  const page: StepsPage = {
    run_id: run,
    rows: [...rows],
    step_count: rows.length,
    elapsed_ms: 1_000,
    ...(next !== undefined && { next }),
  };
  return { page, hasFailed: false, at: 0 };
}
