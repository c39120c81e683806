/** The hooks with which screens fetch and act. Keys are `[name, input]`; the events of the gateway say when they are stale. */
import {
  keepPreviousData,
  useMutation,
  useQuery,
  useQueryClient,
  type UseMutationResult,
  type UseQueryResult,
} from "@tanstack/react-query";
import { useMemo } from "react";
import type { RouteName } from "../../src/operator/routes.ts";
import type { ApiError } from "./api-error.ts";
import { queryOptionsOf, staleMsOf, type AskOptions } from "./ask-options.ts";
import { CHANGED_BY } from "./changes.ts";
import { ask, type Answer, type AskInput } from "./client.ts";
import { useLive } from "./live.ts";

export { useAskPages } from "./pages.ts";

/** An answer of the gateway that stays true while it is on screen. */
export function useAsk<Name extends RouteName>(
  name: Name,
  input: AskInput<Name>,
  options: AskOptions = {},
): UseQueryResult<Answer<Name>, ApiError> {
  return useQuery<Answer<Name>, ApiError>({
    queryKey: [name, input],
    queryFn: ({ signal }) => ask(name, input, signal),
    ...queryOptionsOf(name, options),
    ...(options.keep === true && { placeholderData: keepPreviousData }),
  });
}

export interface ActOptions<Name extends RouteName> {
  readonly onSuccess?: (answer: Answer<Name>, input: AskInput<Name>) => void;
  /** The screen shows the failure itself; otherwise it is a toast. */
  readonly quiet?: boolean;
}

/** An action: `const resume = useAct("resumeRun"); resume.mutate({params: {run}, body: {}})`. */
export function useAct<Name extends RouteName>(
  name: Name,
  options: ActOptions<Name> = {},
): UseMutationResult<Answer<Name>, ApiError, AskInput<Name>> {
  const { refresher } = useLive();
  return useMutation<Answer<Name>, ApiError, AskInput<Name>>({
    mutationKey: [name],
    mutationFn: (input) => ask(name, input),
    networkMode: "always",
    meta: { quiet: options.quiet === true },
    onSuccess: (answer, input) => {
      for (const topic of CHANGED_BY[name] ?? []) refresher.refresh({ topic });
      options.onSuccess?.(answer, input);
    },
  });
}

/** For what asks outside of rendering, such as completion in an editor: one answer for everybody who asks. */
export function useAsker(): <Name extends RouteName>(
  name: Name,
  input: AskInput<Name>,
) => Promise<Answer<Name>> {
  const client = useQueryClient();
  return useMemo(
    () => (name, input) =>
      client.fetchQuery({
        queryKey: [name, input],
        queryFn: ({ signal }) => ask(name, input, signal),
        staleTime: staleMsOf(name),
      }),
    [client],
  );
}
