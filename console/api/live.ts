import { createContext, use, useSyncExternalStore } from "react";
import type { ConnectionState, EventStream } from "./events.ts";
import type { Refresher } from "./refresh.ts";

/** What keeps the page true: one for the page, given by the shell. */
export interface Live {
  readonly refresher: Refresher;
  readonly stream: EventStream;
}

export const LiveContext = createContext<Live | undefined>(undefined);

export function useLive(): Live {
  const live = use(LiveContext);
  if (live === undefined) throw new Error("This part of the page is outside of LiveContext");
  return live;
}

/** Whether the page hears from the gateway. */
export function useConnection(): ConnectionState {
  const { stream } = useLive();
  return useSyncExternalStore(stream.subscribe, stream.state);
}
