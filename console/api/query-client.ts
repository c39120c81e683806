import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiError } from "./api-error.ts";

/** Long enough to go back to a list; large answers set their own. */
const KEEP_MS = 60_000;

export interface QueryClientHooks {
  /** The gateway no longer knows who looks. */
  readonly onSignedOut: () => void;
  /** An action failed, and no screen shows it. */
  readonly onActFailed: (failure: unknown) => void;
}

export function createQueryClient({ onSignedOut, onActFailed }: QueryClientHooks): QueryClient {
  const noticeSignedOut = (failure: unknown): boolean => {
    const isSignedOut = failure instanceof ApiError && failure.isSignedOut;
    if (isSignedOut) onSignedOut();
    return isSignedOut;
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError: noticeSignedOut }),
    mutationCache: new MutationCache({
      onError: (failure, _input, _result, mutation) => {
        if (!noticeSignedOut(failure) && mutation.meta?.["quiet"] !== true) onActFailed(failure);
      },
    }),
    defaultOptions: {
      queries: {
        // The gateway is on this machine or near it: whether the browser believes to be online says nothing.
        networkMode: "always",
        retry: false,
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        gcTime: KEEP_MS,
      },
    },
  });
}
