import { TOPICS_OF, type RouteName } from "../../src/operator/routes.ts";

/** How a screen asks. */
export interface AskOptions {
  /** `false`: do not ask yet. */
  readonly enabled?: boolean;
  /** While a filter changes, show the answer before it instead of a skeleton. */
  readonly keep?: boolean;
  /** How long an answer is kept once it is off screen; large ones should go at once (0). */
  readonly keepMs?: number;
  readonly refetchMs?: number;
}

/** The same for react-query. */
export function queryOptionsOf(name: RouteName, { enabled = true, keepMs, refetchMs }: AskOptions) {
  return {
    enabled,
    staleTime: staleMsOf(name),
    ...(keepMs !== undefined && { gcTime: keepMs }),
    ...(refetchMs !== undefined && { refetchInterval: refetchMs }),
  };
}

/** What events keep true is never stale by itself. */
export function staleMsOf(name: RouteName): number {
  return TOPICS_OF[name] === undefined ? 0 : Infinity;
}
