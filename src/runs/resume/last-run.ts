/**
 * `resume: "last"`: the newest run of the caller itself that can go on. Several clients share one store, so the newest
 * run of all may be another client's: going on with it would repeat this caller's effects and answer it from the
 * other's journal. A caller is its principal and its session; a caller that has none of its own to resume is told which
 * ids it could name.
 */
import type { Clock } from "../../core/clock.ts";
import { canonicalJson, DATA_LIMITS, type JsonObject } from "../../core/json.ts";
import type { Scope } from "../../core/names.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import type { RunStarter, RunStore, RunSummary } from "../../core/store.ts";
import type { CallContext } from "../../core/tool.ts";
import type { Liveness } from "../replicas/liveness.ts";
import { quote } from "../../text/quote.ts";

/** How many of the caller's unfinished runs are looked at; more are never under way at once. */
const LOOKED_AT_MAX = 20;
/** How many runs of other sessions an error names. */
const NAMED_MAX = 5;
const INTENT_SHOWN_MAX = 60;

export interface LastRunDeps {
  readonly store: Pick<RunStore, "listUnfinished">;
  readonly scope: () => Scope;
  readonly clock: Clock;
  readonly liveness: Pick<Liveness, "isGone" | "isSilent">;
}

/** Who starts, and may say "last" of, the runs of this call. */
export function starterOf({ principal, session }: CallContext): Required<RunStarter> {
  return { principal: principal?.id ?? null, session: session ?? null };
}

export async function findLastRun(deps: LastRunDeps, context: CallContext): Promise<ToolResult<string>> {
  const { store, scope } = deps;
  const starter = starterOf(context);
  const own = await store.listUnfinished(scope(), LOOKED_AT_MAX, starter);
  const last = await findStopped(deps, own);
  if (last !== undefined) return succeed(last.id);
  // Which runs there are is not told in a profile.
  if (context.view !== undefined) return noOwnRun([], 0);
  const others = await store.listUnfinished(scope(), LOOKED_AT_MAX, { principal: starter.principal });
  const stopped = others.filter((run) => hasStopped(deps, run));
  return noOwnRun(stopped.slice(0, NAMED_MAX), deps.clock.now());
}

/**
 * The newest that has stopped; where all are under way, the newest. One whose owner is silent may have been cut short a
 * moment ago: an older run would be the wrong one, so it counts, and who resumes it waits for the verdict.
 */
async function findStopped(deps: LastRunDeps, own: readonly RunSummary[]): Promise<RunSummary | undefined> {
  const silent = new Map<string, Promise<boolean>>();
  for (const run of own) {
    const { leaseOwner } = run;
    if (hasStopped(deps, run)) return run;
    if (leaseOwner === null) continue;
    const isSilent = silent.get(leaseOwner) ?? deps.liveness.isSilent(leaseOwner);
    silent.set(leaseOwner, isSilent);
    if (await isSilent) return run;
  }
  return own[0];
}

/**
 * A run of the caller that is this very call and waits for a person, or has its yes: calling again goes on with it. The
 * newest `limit` are compared.
 */
export async function findWaitingCall(
  {
    store,
    scope,
  }: Pick<LastRunDeps, "scope"> & { readonly store: Pick<RunStore, "list" | "find" | "successor"> },
  name: string,
  args: JsonObject,
  limit: number,
  context: CallContext,
): Promise<string | undefined> {
  const paused = await store.list(scope(), { limit, status: "paused", starter: starterOf(context) });
  for (const { id, kind } of paused) {
    const run = kind === "call" ? await store.find(id) : undefined;
    if (run?.source !== name || canonical(run.inputs) !== canonical(args)) continue;
    if ((await store.successor(id)) === undefined) return id;
  }
  return undefined;
}

/** Whether one of the newest runs of this principal was started by this client, as it names itself. */
export async function hasRunBefore(
  { store, scope }: Pick<LastRunDeps, "scope"> & { readonly store: Pick<RunStore, "list"> },
  { principal, clientName }: CallContext,
): Promise<boolean> {
  if (clientName === undefined) return false;
  const starter = { principal: principal?.id ?? null };
  const runs = await store.list(scope(), { limit: LOOKED_AT_MAX, starter });
  return runs.some(({ client }) => client === clientName);
}

function canonical(value: JsonObject): string {
  return canonicalJson(value, DATA_LIMITS);
}

/** It has ended, or its process has. */
function hasStopped({ liveness }: LastRunDeps, { status, leaseOwner }: RunSummary): boolean {
  return (
    status !== "queued" && (status !== "running" || (leaseOwner !== null && liveness.isGone(leaseOwner)))
  );
}

function noOwnRun(others: readonly RunSummary[], now: number): ToolResult<never> {
  const own = "No run that was started here can be resumed.";
  const [newest] = others;
  if (newest === undefined) {
    return fail("TOOL_NOT_FOUND", own, { field: "resume", hint: "repertoire://runs lists the runs." });
  }
  const named = others.map((run) => `${run.id} (${describe(run, now)})`).join(", ");
  return fail("TOOL_NOT_FOUND", `${own} Others can, by their ids: ${named}.`, {
    field: "resume",
    reason: "no_own_run",
    nearest: others.map(({ id }) => id),
    hint: `If one of them is meant, name it: execute {"resume": "${newest.id}"}.`,
  });
}

function describe({ intent, status, startedAt }: RunSummary, now: number): string {
  const state = status === "running" ? "interrupted" : status;
  const said = intent === null ? "" : `${quote(intent, INTENT_SHOWN_MAX)}, `;
  return `${said}${state}, started ${ageOf(now - startedAt)} ago`;
}

function ageOf(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
