/** What is chosen in the waterfall, as the URL has it: `?step=12`, `?step=12+` for the group from 12, `&run=` for a run below. */
import { groupId, stepId, type WaterRow } from "./row-types.ts";

export interface Chosen {
  readonly run: string;
  readonly step: number;
  readonly isGroup: boolean;
}

const STEP = /^(\d{1,9})(\+?)$/;

export function readChosen(
  rootRun: string,
  step: string | undefined,
  run: string | undefined,
): Chosen | undefined {
  // A plus in a query may have become a space on its way.
  const match = STEP.exec(step?.replace(/ $/, "+") ?? "");
  if (match === null) return undefined;
  return { run: run ?? rootRun, step: Number(match[1]), isGroup: match[2] === "+" };
}

export function writeChosen(
  rootRun: string,
  chosen: Chosen | undefined,
): { readonly step: string | undefined; readonly run: string | undefined } {
  if (chosen === undefined) return { step: undefined, run: undefined };
  const { run, step, isGroup } = chosen;
  return { step: `${step}${isGroup ? "+" : ""}`, run: run === rootRun ? undefined : run };
}

export function chosenOfRow(row: WaterRow): Chosen | undefined {
  if (row.kind === "step") return { run: row.run, step: row.step.step, isGroup: false };
  return row.kind === "group" ? { run: row.run, step: row.group.from_step, isGroup: true } : undefined;
}

export function idOfChosen({ run, step, isGroup }: Chosen): string {
  return isGroup ? groupId(run, step) : stepId(run, step);
}
