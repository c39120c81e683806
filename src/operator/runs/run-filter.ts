/** Which runs somebody asks for, as the query of the API and the options of `repertoire runs` say it. */
import type { App } from "../../app/app.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import type { RunFilter, RunKind, RunMode, RunStatus, RunSummary } from "../../core/store.ts";
import { parseMoment } from "../../text/moment.ts";
import { RUN_KINDS, RUN_STATUSES } from "../contract/runs.ts";
import type { Viewer } from "../operator.ts";

export interface AskedRuns {
  readonly status?: string | undefined;
  readonly kind?: string | undefined;
  readonly tool?: string | undefined;
  readonly text?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly session?: string | undefined;
  readonly mode?: RunMode | undefined;
}

export interface WantedRuns {
  readonly filter: RunFilter;
  /** What the store cannot know: whether the process of a run is gone. */
  readonly isWanted: (run: Pick<RunSummary, "status" | "leaseOwner">) => boolean;
}

type ShownStatus = (typeof RUN_STATUSES)[number];

export function readFilter(
  { traces }: Pick<App, "traces">,
  asked: AskedRuns,
  { owner }: Pick<Viewer, "owner">,
): ToolResult<WantedRuns> {
  const statuses = readList<ShownStatus>(asked.status, RUN_STATUSES, "status");
  if (!statuses.success) return statuses;
  const kinds = readList<RunKind>(asked.kind, RUN_KINDS, "kind");
  if (!kinds.success) return kinds;
  const since = readTime(asked.since, "since");
  if (!since.success) return since;
  const until = readTime(asked.until, "until");
  if (!until.success) return until;
  const wanted = statuses.data;
  return succeed({
    filter: {
      ...(wanted !== undefined && { statuses: [...new Set(wanted.map(storedStatus))] }),
      ...(kinds.data !== undefined && { kinds: kinds.data }),
      ...(asked.tool !== undefined && asked.tool !== "" && { tool: asked.tool }),
      ...(asked.text !== undefined && { text: asked.text }),
      ...(since.data !== undefined && { since: since.data }),
      ...(until.data !== undefined && { until: until.data }),
      ...(asked.session !== undefined && { session: asked.session }),
      ...(asked.mode !== undefined && { mode: asked.mode }),
      ...(owner !== undefined && { starter: { principal: owner } }),
    },
    isWanted: (run) => wanted === undefined || wanted.includes(traces.statusOf(run)),
  });
}

/** On record, a run whose process is gone is still running. */
function storedStatus(status: ShownStatus): RunStatus {
  return status === "interrupted" ? "running" : status;
}

function readList<Word extends string>(
  written: string | undefined,
  words: readonly Word[],
  field: string,
): ToolResult<readonly Word[] | undefined> {
  const given = (written ?? "").split(",").flatMap((word) => (word.trim() === "" ? [] : [word.trim()]));
  const unknown = given.find((word) => !words.some((known) => known === word));
  if (unknown === undefined) return succeed(given.length === 0 ? undefined : (given as Word[]));
  return fail("TOOL_INVALID_INPUT", `There is no ${field} ${JSON.stringify(unknown)}.`, {
    field,
    hint: `Give one or several of ${words.join(", ")}, separated by commas.`,
  });
}

/** A time back from now, or a date. */
export function readTime(written: string | undefined, field: string): ToolResult<number | undefined> {
  if (written === undefined || written === "") return succeed(undefined);
  const at = parseMoment(written, -1, Date.now());
  if (at !== undefined) return succeed(at);
  return fail("TOOL_INVALID_INPUT", `${field} is no time: ${JSON.stringify(written)}.`, {
    field,
    hint: "Give 30m, 2h or 7d, or a date such as 2026-03-01.",
  });
}
