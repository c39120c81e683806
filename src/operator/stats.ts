/** What the gateway was used for in a time, and what it spared. Figures come from the store; nothing is started. */
import type { App } from "../app/app.ts";
import { succeed, type ToolResult } from "../core/result.ts";
import type { Usage } from "../core/usage-store.ts";
import { BYTES_A_TOKEN, estimateTokens } from "../text/token-estimate.ts";
import type { AnswerOf } from "./contract/contract.ts";
import type { OperatorDeps, Viewer } from "./operator.ts";
import { findLastCheck } from "./library-check.ts";
import { listedTokens, readToolCost, type ToolCost } from "./tool-cost.ts";
import { CONSOLE_CLIENT } from "./viewer.ts";
import { isoWeekOf, mondayOf, WEEK_MS } from "./iso-week.ts";

type Stats = AnswerOf<"getStats">;

const DAY_MS = 24 * 60 * 60_000;

export async function getStats(
  deps: OperatorDeps,
  viewer: Viewer,
  { days }: { readonly days: number },
  now: number = Date.now(),
): Promise<ToolResult<Stats>> {
  const { app, config } = deps;
  const since = now - days * DAY_MS;
  const [usage, cost] = await Promise.all([readUsage(deps, viewer, since), readToolCost(app, viewer)]);
  const isWhole = viewer.view === undefined;
  const executions = executionsOf(usage, callsSince(config.current().calls.days, since, now));
  return succeed({
    days,
    from: iso(since),
    executions,
    reuse: reuseOf(usage, { since, now, isWhole }),
    ...(isWhole && { tests: await readTests(app, usage) }),
    tokens: tokensOf(usage.inner, cost),
    ...(executions.total === 0 && { hint: HINT }),
  });
}

const HINT =
  "Nothing ran in this time. Connect a client with `repertoire connect`, let it run code, and keep what worked with `repertoire save`; then the figures are here.";

function readUsage({ app, config }: OperatorDeps, { owner, view }: Viewer, since: number): Promise<Usage> {
  return app.store.usage.read({
    scope: config.current().scope,
    since,
    bucketFrom: mondayOf(since),
    bucketMs: WEEK_MS,
    owner,
    profile: view?.profile,
    personalClient: CONSOLE_CLIENT,
  });
}

/** The log of older calls was removed. */
function callsSince(keptDays: number, since: number, now: number): string | null {
  return keptDays === 0 ? null : iso(Math.max(since, now - keptDays * DAY_MS));
}

function executionsOf({ runs, plainCallCount }: Usage, since: string | null): Stats["executions"] {
  const { code, capability: kept, workflow: workflows } = runs;
  const runCount = code + kept + workflows;
  // One that waited for a person is a run of its own.
  const calls = plainCallCount + runs.call;
  const total = runCount + calls;
  return {
    total,
    code,
    kept,
    workflows,
    calls,
    calls_since: since,
    library_share: shareOf(kept, total),
    library_share_of_runs: shareOf(kept, runCount),
  };
}

function shareOf(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.round((1_000 * part) / whole) / 1_000;
}

interface Span {
  readonly since: number;
  readonly now: number;
  /** Whether what is saved may be told. */
  readonly isWhole: boolean;
}

function reuseOf({ uses, saved }: Usage, { since, now, isWhole }: Span): Stats["reuse"] {
  const begin = mondayOf(since);
  const count = Math.floor((now - begin) / WEEK_MS) + 1;
  const weeks = Array.from({ length: count }, (_, bucket) => {
    const at = begin + bucket * WEEK_MS;
    const own = uses.filter((use) => use.bucket === bucket);
    return {
      week: isoWeekOf(at),
      from: iso(at),
      uses: sum(own),
      tools: own.length,
      ...(isWhole && { saved: sum(saved.filter((some) => some.bucket === bucket)) }),
    };
  });
  const tools = new Set(uses.map(({ capabilityId }) => capabilityId)).size;
  return { uses: sum(uses), tools, ...(isWhole && { saved: sum(saved) }), weeks };
}

function sum(counts: readonly { readonly count: number }[]): number {
  return counts.reduce((total, { count }) => total + count, 0);
}

async function readTests({ store }: App, { library }: Usage): Promise<NonNullable<Stats["tests"]>> {
  const found = await findLastCheck(store.audit);
  return {
    saved: library.count,
    with_example: library.exampleCount,
    last_check: found ?? null,
  };
}

const HOW = `About: for each conversation, all tools of servers as they are now, less what is listed and what a typical task's searches cost; and for calls made inside runs, their results less what the runs returned, at ${BYTES_A_TOKEN.usual} bytes a token. What a model writes (code, arguments) is not counted.`;

function tokensOf({ conversationCount, ...inner }: Usage["inner"], cost: ToolCost | null): Stats["tokens"] {
  const definitions = cost === null ? null : definitionsOf(conversationCount, cost);
  const results = {
    runs: inner.runCount,
    calls: inner.callCount,
    bytes: inner.resultBytes,
    returned_bytes: inner.returnedBytes,
    not_sent: estimateTokens(inner.resultBytes - inner.returnedBytes),
  };
  const notSent = definitions === null ? null : definitions.not_sent + results.not_sent;
  return { not_sent: notSent, definitions, results, how: HOW };
}

/** Less than nothing where few tools cost less than the way to find them. */
function definitionsOf(conversations: number, cost: ToolCost): NonNullable<Stats["tokens"]["definitions"]> {
  const listed = listedTokens(cost);
  const search = cost.mode === "lean" ? (cost.lean.taskTokens ?? 0) : 0;
  return {
    conversations,
    all_tokens: cost.toolTokens,
    listed_tokens: listed,
    search_tokens: search,
    not_sent: conversations === 0 ? 0 : conversations * (cost.toolTokens - listed - search),
  };
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
