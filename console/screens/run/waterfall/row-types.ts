/** The rows of the waterfall. */
import type { Answer } from "../../../api/client.ts";
import type { RunPlace } from "./bar.ts";

export type StepsPage = Answer<"listSteps">;
export type StepRow = Extract<StepsPage["rows"][number], { readonly row: "step" }>;
export type GroupRow = Extract<StepsPage["rows"][number], { readonly row: "group" }>;

interface Placed {
  readonly id: string;
  /** The run that the row is a step of. */
  readonly run: string;
  /** From 1. */
  readonly level: number;
  readonly place: RunPlace;
  /** Undefined where there is nothing inside. */
  readonly isOpen: boolean | undefined;
}

export type WaterRow =
  | (Placed & { readonly kind: "step"; readonly step: StepRow })
  | (Placed & { readonly kind: "group"; readonly group: GroupRow })
  /** Rows that are on their way, did not come, or are more than are asked for by themselves. */
  | (Placed & { readonly kind: "loading" | "failed" | "more"; readonly slice: Slice });

/** Rows that one request asks for: the steps after this one, of a group only up to its last. */
export interface Slice {
  readonly run: string;
  readonly after: number;
  readonly flat: boolean;
}

/** A page as it came, and when. */
export interface LoadedPage {
  readonly page: StepsPage | undefined;
  readonly hasFailed: boolean;
  readonly at: number;
}

export function sliceKey({ run, after, flat }: Slice): string {
  return `${run}/${after}${flat ? "/flat" : ""}`;
}

/** A group keeps its id while it grows. */
export function groupId(run: string, fromStep: number): string {
  return `${run}/${fromStep}+`;
}

export function stepId(run: string, step: number): string {
  return `${run}/${step}`;
}
