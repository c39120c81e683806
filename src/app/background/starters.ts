/** What the config starts by itself, or lets others start, as people are shown it. */
import type { Config } from "../../config/config.ts";
import type { RunStore } from "../../core/store.ts";
import { findSecretProblem } from "./hooks.ts";
import { nextOf, readCron } from "./schedules.ts";
import type { KeptStart, StarterKind } from "./start-kept.ts";

/** A schedule or a hook. */
export interface StarterView {
  readonly kind: StarterKind;
  readonly name: string;
  readonly tool: string;
  readonly enabled: boolean;
  /** The five fields, or the path of the hook. */
  readonly when: string;
  /** ISO 8601. */
  readonly next?: string;
  readonly last?: { readonly run_id: string; readonly status: string; readonly started_at: string };
  /** Why it does not run. */
  readonly problem?: string;
}

export interface StartersDeps {
  readonly config: () => Config;
  readonly runs: Pick<RunStore, "list">;
  readonly findStartProblem: (
    start: Pick<KeptStart, "kind" | "name" | "tool" | "profile">,
  ) => Promise<string | undefined>;
  readonly now: () => number;
}

export async function listStarters(deps: StartersDeps): Promise<StarterView[]> {
  const { schedules, hooks } = deps.config();
  const views: StarterView[] = [];
  for (const [name, schedule] of Object.entries(schedules)) {
    const { tool, enabled, profile, timezone } = schedule;
    const cron = await readCron(schedule);
    const next = typeof cron === "string" ? undefined : nextOf(cron, deps.now());
    const problem =
      typeof cron === "string"
        ? cron
        : await deps.findStartProblem({ kind: "schedule", name, tool, profile });
    views.push({
      kind: "schedule",
      name,
      tool,
      enabled,
      when: timezone === undefined ? schedule.cron : `${schedule.cron} ${timezone}`,
      ...(next !== undefined && enabled && { next: new Date(next).toISOString() }),
      ...(await lastOf(deps, "schedule", name)),
      ...(problem !== undefined && { problem }),
    });
  }
  for (const [name, hook] of Object.entries(hooks)) {
    const { tool, enabled, profile } = hook;
    const problem =
      findSecretProblem(hook) ?? (await deps.findStartProblem({ kind: "hook", name, tool, profile }));
    views.push({
      kind: "hook",
      name,
      tool,
      enabled,
      when: `POST /hooks/${name}`,
      ...(await lastOf(deps, "hook", name)),
      ...(problem !== undefined && { problem }),
    });
  }
  return views;
}

async function lastOf({ config, runs }: StartersDeps, kind: StarterKind, name: string) {
  const starter = { principal: `${kind}:${name}` };
  const [last] = await runs.list(config().scope, { limit: 1, starter });
  if (last === undefined) return {};
  const { id, status, startedAt } = last;
  return { last: { run_id: id, status, started_at: new Date(startedAt).toISOString() } };
}
