import { useState } from "react";
import { ask } from "./client.ts";
import { useLive } from "./live.ts";
import { useMay } from "./session.ts";

export interface WakeServers {
  /** Starts them, so that they list what they offer. Each that fails says so where servers are listed. */
  readonly wake: (servers: readonly string[]) => void;
  readonly isBusy: boolean;
  readonly mayWake: boolean;
}

/** Servers start when something needs them; a person who wants to see their tools does not have to wait for that. */
export function useWakeServers(): WakeServers {
  const [isBusy, setBusy] = useState(false);
  const mayWake = useMay("restartServer");
  const { refresher } = useLive();
  const wakeAll = async (servers: readonly string[]) => {
    setBusy(true);
    await Promise.allSettled(servers.map((server) => ask("restartServer", { params: { server } })));
    setBusy(false);
    refresher.refresh({ topic: "servers" });
  };
  const wake = (servers: readonly string[]) => {
    if (!isBusy) void wakeAll(servers);
  };
  return { wake, isBusy, mayWake };
}
