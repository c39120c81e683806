/**
 * A call of a run that its server answered with a task. The task is on record with the open step before it is followed: a
 * process that dies then leaves a step that was sent and whose task is known, and whoever goes on with the run follows
 * that task. So the call is not made again, and nobody need decide about it.
 */
import { isJsonObject } from "../../core/json.ts";
import type { Lease, RunStore, Step } from "../../core/store.ts";
import type { ServerTask, TaskRecord } from "../../core/tool.ts";

/** The task of a step without an answer; undefined where its call became none. */
export function taskOfStep({ status, error }: Pick<Step, "status" | "error">): ServerTask | undefined {
  const task = status === "sent" ? error?.["task"] : undefined;
  if (!isJsonObject(task)) return undefined;
  const { server, taskId } = task;
  return typeof server === "string" && typeof taskId === "string" ? { server, taskId } : undefined;
}

export interface StepTaskDeps {
  readonly store: Pick<RunStore, "noteTask">;
  /** Whether the run is only set aside, and goes on later. */
  readonly isSetAside: () => boolean;
}

/** What is called below is told of it. */
export interface StepTask extends TaskRecord {
  /** Whether the run left the task to whoever goes on with it: then its call has no outcome yet. */
  isLeft(): boolean;
}

export function createStepTask(
  { store, isSetAside }: StepTaskDeps,
  { lease, key }: { readonly lease: Lease; readonly key: string },
  begun: ServerTask | undefined,
): StepTask {
  let isNoted = begun !== undefined;
  const isLeft = (): boolean => isNoted && isSetAside();
  return {
    ...(begun !== undefined && { begun }),
    async note(task) {
      isNoted = await store.noteTask(lease, key, task);
      return isNoted;
    },
    goesOn: isLeft,
    isLeft,
  };
}
