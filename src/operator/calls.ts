/** The call log, as `repertoire calls --json` and the API have it. */
import { succeed, type ToolResult } from "../core/result.ts";
import type { CallFilter, CallOutcome } from "../core/trust-store.ts";
import type { Store } from "../core/store.ts";
import { viewCall } from "./call-view.ts";
import type { AnswerOf } from "./contract/contract.ts";
import type { Viewer } from "./operator.ts";
import { readTime } from "./runs/run-filter.ts";

export interface AskedCalls {
  readonly tool?: string | undefined;
  readonly who?: string | undefined;
  readonly outcome?: CallOutcome | undefined;
  readonly run?: string | undefined;
  readonly since?: string | undefined;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  readonly limit: number;
}

export async function listCalls(
  { calls }: Pick<Store, "calls">,
  { owner, view }: Pick<Viewer, "owner" | "view">,
  asked: AskedCalls,
): Promise<ToolResult<AnswerOf<"listCalls">>> {
  const since = readTime(asked.since, "since");
  if (!since.success) return since;
  // Which calls others make is not told in a profile that they use as well.
  if (view !== undefined && owner === undefined) return succeed({ calls: [] });
  const filter = filterOf(asked, since.data);
  // One more than is shown says whether there are more.
  const found = await calls.list({
    ...filter,
    ...(owner !== undefined && { owner }),
    limit: asked.limit + 1,
  });
  const shown = found.slice(0, asked.limit).map(viewCall);
  return succeed({ calls: shown, ...(found.length > asked.limit && { next: shown.at(-1)!.id }) });
}

function filterOf(asked: AskedCalls, since: number | undefined): Omit<CallFilter, "limit"> {
  const { tool, who, outcome, run, before, after } = asked;
  return {
    ...(tool !== undefined && tool !== "" && { tool }),
    ...(who !== undefined && who !== "" && { who }),
    ...(outcome !== undefined && { outcome }),
    ...(run !== undefined && { runId: run }),
    ...(since !== undefined && { since }),
    ...(before !== undefined && { beforeId: before }),
    ...(after !== undefined && { afterId: after }),
  };
}
