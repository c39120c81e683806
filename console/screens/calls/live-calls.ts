/** The calls of a filter: the tail, which events make longer, and the pages before it, which nothing changes. */
import { useInfiniteQuery, useQuery, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import type { ApiError } from "../../api/api-error.ts";
import { ask, type AskInput } from "../../api/client.ts";
import { beginTail, extendTail, FIRST_PAGE, NEWER_MAX, type CallRow, type CallTail } from "./call-tail.ts";

export type CallFilter = Omit<NonNullable<AskInput<"listCalls">["query"]>, "before" | "after" | "limit">;

/** Of one page of older calls. */
const PAGE = 200;

export interface LiveCalls {
  readonly rows: readonly CallRow[];
  readonly isLoading: boolean;
  readonly error: ApiError | null;
  readonly retry: () => void;
  /** Undefined at the end. */
  readonly loadOlder: (() => void) | undefined;
}

export function useLiveCalls(filter: CallFilter): LiveCalls {
  const client = useQueryClient();
  // The name of the route comes first: by it the events find what to ask for again.
  const queryKey = ["listCalls", { query: filter }, "tail"] as const;
  const tail = useQuery<CallTail, ApiError>({
    queryKey,
    queryFn: ({ signal }) => readTail(client, queryKey, filter, signal),
    staleTime: Infinity,
    gcTime: 0,
  });
  const before = tail.data?.before;
  const older = useInfiniteQuery({
    queryKey: ["calls before", filter, before],
    enabled: false,
    initialPageParam: before,
    queryFn: ({ pageParam, signal }) =>
      ask("listCalls", { query: { ...filter, before: pageParam, limit: PAGE } }, signal),
    getNextPageParam: ({ next }) => next,
    staleTime: Infinity,
    gcTime: 0,
  });
  const rows = useMemo(
    () => [...(tail.data?.calls ?? []), ...(older.data?.pages.flatMap(({ calls }) => calls) ?? [])],
    [tail.data, older.data],
  );
  const hasOlder = before !== undefined && (older.data === undefined || older.hasNextPage);
  return {
    rows,
    isLoading: tail.isPending,
    error: tail.error,
    retry: () => void tail.refetch(),
    loadOlder: hasOlder && !older.isFetching ? () => void older.fetchNextPage() : undefined,
  };
}

async function readTail(
  client: QueryClient,
  queryKey: readonly unknown[],
  filter: CallFilter,
  signal: AbortSignal,
): Promise<CallTail> {
  const newest = client.getQueryData<CallTail>(queryKey)?.calls[0]?.id;
  if (newest === undefined)
    return beginTail(await ask("listCalls", { query: { ...filter, limit: FIRST_PAGE } }, signal));
  const newer = await ask("listCalls", { query: { ...filter, after: newest, limit: NEWER_MAX } }, signal);
  const tail = client.getQueryData<CallTail>(queryKey);
  if (newer.next === undefined && tail !== undefined) return extendTail(tail, newer.calls);
  return beginTail(await ask("listCalls", { query: { ...filter, limit: FIRST_PAGE } }, signal));
}
