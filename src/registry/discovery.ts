/** Asking servers what they offer: those that are due, all at once, and each no longer than the asker can wait. */
import type { Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import { reportStarting, startPatienceMs } from "../process/starting.ts";
import type { CallContext } from "../core/tool.ts";
import type { After } from "../timing/after.ts";
import { within } from "../timing/deadline.ts";
import { quote } from "../text/quote.ts";
import type { Catalogue } from "./catalogue.ts";
import type { RegisteredSource } from "./registered-source.ts";
import type { SourceTable } from "./source-table.ts";

export interface DiscoverOptions {
  /** Servers that take longer go on and fill the catalogue later. */
  readonly waitMs: number;
  /** Only these; without it, all. */
  readonly servers?: readonly string[];
  /** Asks servers whose list is still good, and those that failed a moment ago. */
  readonly force?: boolean;
}

export interface Discovery {
  discover(this: void, options: DiscoverOptions, context: CallContext): Promise<Catalogue>;
  refresh(this: void, id: string, context: CallContext): Promise<ToolResult<{ readonly toolCount: number }>>;
  /**
   * Has one server asked if it is due, and waits for what is under way. A server that is still starting is waited for
   * as long as the caller can wait.
   */
  settle(registered: RegisteredSource, waitMs: number, context: CallContext): Promise<void>;
  /** The same for a list that must come from the program that answers calls now, and not from the cache. */
  verify(registered: RegisteredSource, waitMs: number, context: CallContext): Promise<void>;
}

export function createDiscovery(deps: {
  readonly table: SourceTable;
  readonly clock: Clock;
  readonly log: Log;
  readonly after: After;
  /** How long a caller without a deadline waits for a start. */
  readonly startWaitMs?: number | undefined;
}): Discovery {
  const { table, clock, log, after, startWaitMs } = deps;

  function ask(sources: readonly RegisteredSource[], { traceId }: CallContext): void {
    if (sources.length === 0) return;
    log.info("tools.discovery.started", { traceId, serverCount: sources.length });
    for (const registered of sources) registered.read(traceId);
  }

  /** A refresh that others have waited for long enough is not waited for again: it would slow down every answer. */
  function wait(
    { refresh: { running } }: RegisteredSource,
    waitMs: number,
    { signal }: CallContext,
  ): Promise<unknown> {
    if (running === undefined) return Promise.resolve();
    const leftMs = waitMs - (clock.elapsed() - running.startedAt);
    return within(running.settled, leftMs, { signal, after });
  }

  async function settle(registered: RegisteredSource, waitMs: number, context: CallContext): Promise<void> {
    const elapsedMs = clock.elapsed();
    const patienceMs = startPatienceMs(context, { elapsedMs, startWaitMs });
    if (registered.refresh.running === undefined && registered.isDue()) ask([registered], context);
    const { running } = registered.refresh;
    if (running === undefined) return;
    const starting = () => registered.source.starting?.();
    const stopReports = reportStarting(context, starting);
    const ageMs = elapsedMs - running.startedAt;
    const { signal } = context;
    await within(running.settled, Math.min(waitMs - ageMs, patienceMs), { signal, after });
    const leftMs = patienceMs - (clock.elapsed() - elapsedMs);
    if (starting() !== undefined) await within(running.settled, leftMs, { signal, after });
    stopReports();
  }

  return {
    async discover({ waitMs, servers, force = false }, context) {
      const chosen = [...table.sources.values()].filter(({ source }) => servers?.includes(source.id) ?? true);
      ask(
        chosen.filter(
          (registered) => registered.refresh.running === undefined && (force || registered.isDue()),
        ),
        context,
      );
      const stopReports = reportStarting(context, () => firstStarting(chosen));
      await Promise.all(chosen.map((registered) => wait(registered, waitMs, context)));
      stopReports();
      return table.catalogue();
    },
    async refresh(id, context) {
      const registered = table.sources.get(id);
      if (registered === undefined) return noServer(id, table);
      if (registered.refresh.running === undefined) ask([registered], context);
      const result = await registered.read(context.traceId).settled;
      return result.success ? succeed({ toolCount: table.listings.of(id).components.length }) : result;
    },
    settle,
    verify(registered, waitMs, context) {
      const { refresh } = registered;
      const mayAsk = refresh.running === undefined && !refresh.isBackingOff();
      if (!registered.isServed() && mayAsk) ask([registered], context);
      return settle(registered, waitMs, context);
    },
  };
}

function firstStarting(sources: readonly RegisteredSource[]) {
  for (const { source } of sources) {
    const starting = source.starting?.();
    if (starting !== undefined) return { source: source.id, ...starting };
  }
  return undefined;
}

export function noServer(id: string, { sources }: SourceTable): ToolResult<never> {
  return fail("TOOL_NOT_FOUND", `There is no server ${quote(id)}.`, {
    hint: `The servers are ${[...sources.keys()].sort().join(", ") || "none"}.`,
  });
}
