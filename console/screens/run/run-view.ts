import type { Answer } from "../../api/client.ts";

/** A run as its page has it. */
export type RunHead = Answer<"getRun">;

/** What a run is called: what it was for, what it is saved as, or how its source begins. */
export function titleOf({ intent, name, run_id: id }: Pick<RunHead, "intent" | "name" | "run_id">): string {
  return intent ?? name ?? id;
}

/** Ids begin with their time; their end tells them apart. */
const TAIL_LENGTH = 6;

export function shortId(run: string): string {
  return run.length <= TAIL_LENGTH + 2 ? run : `…${run.slice(-TAIL_LENGTH)}`;
}

const TABS = ["waterfall", "log", "graph", "source", "difference"] as const;
export type RunTab = (typeof TABS)[number];

/** The tabs that there is something in. */
export function tabsOf({ language, source, resumed_from: before }: RunHead): readonly RunTab[] {
  return TABS.filter((tab) => {
    if (tab === "graph") return language === "json" && source !== null;
    if (tab === "source") return source !== null && language !== "text";
    return tab !== "difference" || before !== undefined;
  });
}

/** A gateway that starts again finds the runs of the one before it, and ends them as failed: they were interrupted all the same. */
export function statusOf({ status, error }: Pick<RunHead, "status" | "error">): RunHead["status"] {
  return status === "failed" && error?.reason === "interrupted" ? "interrupted" : status;
}

/** Why a run cannot be resumed now; undefined where it can. */
export function resumeProblem(head: RunHead): string | undefined {
  const { status, resumed_by: by, checkpoint, questions, parent } = head;
  if (status === "running") return "It is running.";
  if (status === "succeeded") return "It has succeeded.";
  if (by !== undefined) return "Another run goes on from it.";
  if (checkpoint?.resumable !== true) return "Nothing of it can be resumed.";
  if (parent !== undefined) return "It is part of another run: resume that one.";
  return questions.length > 0 ? "It waits for an answer." : undefined;
}

export interface UncertainStep {
  readonly name: string;
  readonly tool: string;
  readonly args: unknown;
}

/** Calls whose outcome is not known. */
export function uncertainOf({ checkpoint }: RunHead): readonly UncertainStep[] {
  return (checkpoint?.uncertain ?? []).map((step) => {
    const { name, tool, args } = step as Readonly<Record<string, unknown>>;
    const called = typeof name === "string" ? name : "";
    return { name: called, tool: typeof tool === "string" ? tool : called, args };
  });
}

/** How many steps have an answer on record. */
export function completedCount({ checkpoint }: RunHead): number {
  const done = checkpoint?.["completed_nodes"];
  return Array.isArray(done) ? done.length : 0;
}

/** The time that a run waits for, where it waits for one and not for a person. */
export function waitsUntil({ checkpoint, status }: RunHead): string | undefined {
  const until = checkpoint?.waiting_for?.["until"];
  return status === "paused" && typeof until === "string" ? until : undefined;
}
