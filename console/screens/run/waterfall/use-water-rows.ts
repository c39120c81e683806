import { useQueries, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { ask, type Answer } from "../../../api/client.ts";
import { clockOf, endOfRun, type RunClock } from "./run-end.ts";
import { isSettled, rowsOf } from "./rows.ts";
import { sliceKey, type LoadedPage, type Slice, type StepsPage, type WaterRow } from "./row-types.ts";

/** Rows of one request. */
const PAGE_ROWS = 500;
/** A run that was left is soon asked for again. */
const KEEP_MS = 30_000;

export interface WaterAsked {
  readonly head: Answer<"getRun">;
  readonly opened: ReadonlyMap<string, boolean>;
  readonly depth: number;
  readonly pagesMax: number;
  readonly reveal: { readonly run: string; readonly step: number } | undefined;
}

export interface Water {
  readonly rows: readonly WaterRow[];
  readonly clock: RunClock;
  /** When the run ended, in its own time; undefined while it goes on. */
  readonly endMs: number | undefined;
  readonly stepCount: number;
  readonly retry: () => void;
}

/** The rows of the waterfall, kept true. Pages in which nothing can change any more are not fetched again. */
export function useWaterRows({ head, opened, depth, pagesMax, reveal }: WaterAsked): Water {
  const client = useQueryClient();
  const pageOf = (slice: Slice) => loadedOf(client, slice);
  const asked = { run: head.run_id, pageOf, opened, depth, pagesMax, reveal };
  // Each page that came names the next one: what is known says what to ask for.
  const { slices } = rowsOf({ ...asked, endMs: undefined });
  const results = useQueries({ queries: slices.map((slice) => queryOf(slice, pageOf(slice))) });

  const version = slices
    .map((slice, at) => `${sliceKey(slice)}@${results[at]!.dataUpdatedAt}${results[at]!.status}`)
    .join();
  return useMemo(() => {
    const loaded = slices.flatMap((slice) => pageOf(slice) ?? []);
    const own = loaded.flatMap(({ page }) => (page?.run_id === head.run_id ? [page] : []));
    const endMs = endOfRun(head, own);
    return {
      rows: rowsOf({ ...asked, endMs }).rows,
      clock: clockOf(head.run_id, loaded),
      endMs,
      stepCount: own.reduce((most, { step_count: count }) => Math.max(most, count), head.step_count),
      retry: () =>
        void Promise.all(results.filter(({ isError }) => isError).map((result) => result.refetch())),
    };
    // `version` says when pages or results have changed; they are new objects each time.
  }, [version, head, opened, depth, pagesMax, reveal?.run, reveal?.step]); // eslint-disable-line react-hooks/exhaustive-deps
}

function inputOf({ run, after, flat }: Slice) {
  return { params: { run }, query: { after, limit: PAGE_ROWS, ...(flat && { flat: "true" as const }) } };
}

function loadedOf(client: QueryClient, slice: Slice): LoadedPage | undefined {
  const state = client.getQueryState<StepsPage>(["listSteps", inputOf(slice)]);
  return state && { page: state.data, hasFailed: state.status === "error", at: state.dataUpdatedAt };
}

function queryOf(slice: Slice, loaded: LoadedPage | undefined) {
  const input = inputOf(slice);
  return {
    queryKey: ["listSteps", input],
    queryFn: ({ signal }: { readonly signal: AbortSignal }): Promise<StepsPage> =>
      ask("listSteps", input, signal),
    // The refresher fetches what is enabled: a page that cannot change is left alone.
    enabled: loaded === undefined || !isSettled(loaded),
    staleTime: Infinity,
    gcTime: KEEP_MS,
  };
}
