/**
 * One source in the registry: what was last read of it, and when it must be read again.
 *
 * It changes nothing but its own state. It hands each list to `onRead` before those who wait for it go on.
 */
import type { Clock } from "../core/clock.ts";
import type { JsonObject } from "../core/json.ts";
import { NOTHING_HELD, type Holds } from "../core/pin-check.ts";
import type { ToolResult } from "../core/result.ts";
import type { Offer, ToolSource } from "../core/tool.ts";
import type { CachedList } from "./cache-entry.ts";
import { createListRefresh, type RunningRefresh, type ListRefresh } from "./list-refresh.ts";
import type { Access } from "./listing.ts";
import type { After } from "../timing/after.ts";
import type { Backoff } from "../timing/backoff.ts";
import { createThrottle } from "../timing/throttle.ts";

/** A server that announces a change a thousand times a second is read once in that time. */
const REREAD_GAP_MS = 1000;

export interface RegisteredSource {
  readonly source: ToolSource;
  readonly configHash: string;
  readonly isOwn: boolean;
  /** Of the program that embeds the gateway. */
  readonly isProgram: boolean;
  readonly refresh: ListRefresh;
  access: Access;
  list: CachedList | undefined;
  /** What the config says of the server's identity. */
  readonly identity: JsonObject;
  /** What of the list may not be used. */
  holds: Holds;
  /** Takes over a list that was read just now. */
  take(list: CachedList): void;
  /** Takes over a list that another process was served: the program that answers calls here has not served it. */
  takeOver(list: CachedList): void;
  /** Has the server asked soon, as if it had said that its list changed. */
  askAgain(): void;
  /** Has the server asked when its list is next needed. What is on its way may be from before, and does not count. */
  invalidate(): void;
  /** Whether the list was served by the program that answers calls now; else it is from the cache, or from another. */
  isServed(): boolean;
  /** Whether it is also new enough, and no other is on its way. */
  isSure(): boolean;
  /** Whether it was taken out of the registry, or replaced. */
  isDetached(): boolean;
  /** Why the list could not be cached. */
  cacheProblem: string | undefined;
  /** Whether the list is too old, or the server said that it changed. */
  isOld(): boolean;
  /** Whether somebody who asks should have the server asked. */
  isDue(): boolean;
  read(traceId: string): RunningRefresh;
  /** Stops listening and gives up what is under way; the source is not closed. */
  detach(): void;
}

export interface RegisteredSourceDeps {
  readonly source: ToolSource;
  readonly access: Access;
  readonly configHash: string;
  readonly isOwn: boolean;
  readonly isProgram: boolean;
  readonly identity: JsonObject;
  readonly clock: Clock;
  readonly after: After;
  readonly backoff: Backoff;
  readonly random: () => number;
  readonly createTraceId: () => string;
  readonly onRead: (
    registered: RegisteredSource,
    result: ToolResult<Offer>,
    traceId: string,
  ) => void | Promise<void>;
}

export function createRegisteredSource(deps: RegisteredSourceDeps): RegisteredSource {
  const { source, clock, after } = deps;
  let changed = false;
  let detached = false;
  let servedBy: { readonly connection: object | undefined } | undefined;
  let cancelRetry: (() => void) | undefined;
  const refresh = createListRefresh({
    ...deps,
    onSettled: (result, traceId) => deps.onRead(registered, result, traceId),
  });
  const pace = createThrottle({ clock, after, windowMs: 0, gapMs: REREAD_GAP_MS, run: () => void reread() });

  /** A server whose list was never needed is not read. */
  function onChanged(): void {
    changed = true;
    if (registered.list !== undefined || refresh.failure !== undefined || refresh.running !== undefined)
      pace.ask();
  }

  /**
   * What was under way may have been answered before the change. A server that just failed is left alone for its time.
   */
  async function reread(): Promise<void> {
    await refresh.running?.settled;
    if (!changed || detached) return;
    if (refresh.isBackingOff()) {
      cancelRetry?.();
      cancelRetry = after(refresh.failure!.retryAt - clock.elapsed(), () => pace.ask());
    } else registered.read(deps.createTraceId());
  }

  const stopListening = source.changed(onChanged);
  const registered: RegisteredSource = {
    source,
    configHash: deps.configHash,
    isOwn: deps.isOwn,
    isProgram: deps.isProgram,
    refresh,
    access: deps.access,
    list: undefined,
    identity: deps.identity,
    holds: NOTHING_HELD,
    take(list) {
      registered.list = list;
      servedBy = { connection: source.connection?.() };
    },
    takeOver(list) {
      registered.list = list;
      servedBy = undefined;
    },
    askAgain: onChanged,
    invalidate: () => void (changed = true),
    isServed: () => servedBy !== undefined && servedBy.connection === source.connection?.(),
    isSure: () => registered.isServed() && !registered.isOld() && refresh.running === undefined,
    isDetached: () => detached,
    cacheProblem: undefined,
    isOld() {
      if (registered.list === undefined) return false;
      const ageMs = clock.now() - registered.list.fetchedAt;
      // A list from the future means that the clock was set back: its age is unknown.
      return changed || ageMs < 0 || ageMs >= registered.list.ttlMs;
    },
    isDue: () => (registered.list === undefined || registered.isOld()) && !refresh.isBackingOff(),
    read(traceId) {
      if (refresh.running !== undefined) return refresh.running;
      const announced = changed;
      changed = false;
      const running = refresh.start(traceId);
      // A change that could not be read is still a change for the next who asks.
      void running.settled.then((result) => (changed ||= announced && !result.success));
      return running;
    },
    detach() {
      detached = true;
      stopListening();
      pace.stop();
      cancelRetry?.();
      refresh.cancel();
    },
  };
  return registered;
}
