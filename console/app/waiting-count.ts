import { useAsk } from "../api/queries.ts";

/** How much waits for a person; 0 until it is known. */
export function useWaitingCount(): number {
  return useAsk("listInbox", {}).data?.items.length ?? 0;
}
