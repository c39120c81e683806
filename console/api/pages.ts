/** Lists in pages. In a file of its own: the shell does not need it. */
import {
  keepPreviousData,
  useInfiniteQuery,
  type InfiniteData,
  type UseInfiniteQueryResult,
} from "@tanstack/react-query";
import type { ApiError } from "./api-error.ts";
import { queryOptionsOf, type AskOptions } from "./ask-options.ts";
import { ask, type Answer, type AskInput } from "./client.ts";

/** A list in pages: `next` of each answer is `before` of the next one, or what `cursor` names. */
export function useAskPages<Name extends "listRuns" | "listCalls" | "listSteps">(
  name: Name,
  input: AskInput<Name>,
  options: AskOptions & { readonly cursor?: "before" | "after" } = {},
): UseInfiniteQueryResult<InfiniteData<Answer<Name>>, ApiError> {
  const { cursor = "before" } = options;
  return useInfiniteQuery<Answer<Name>, ApiError, InfiniteData<Answer<Name>>>({
    queryKey: [name, input, "pages"],
    initialPageParam: undefined,
    queryFn: ({ pageParam, signal }) =>
      ask(
        name,
        (pageParam === undefined ? input : withCursor(input, cursor, pageParam)) as AskInput<Name>,
        signal,
      ),
    getNextPageParam: (last) => (last as { readonly next?: unknown }).next,
    ...queryOptionsOf(name, options),
    ...(options.keep === true && { placeholderData: keepPreviousData }),
  });
}

function withCursor(input: object, cursor: string, page: unknown): object {
  const { query = {} } = input as { readonly query?: object };
  return { ...input, query: { ...query, [cursor]: page } };
}
