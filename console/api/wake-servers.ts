import { useQueryClient } from "@tanstack/react-query";
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
  const client = useQueryClient();
  const { refresher } = useLive();
  const wake = (servers: readonly string[]) => {
    if (isBusy) return;
    setBusy(true);
    const asked = servers.map((server) => ask("restartServer", { params: { server } }));
    void Promise.allSettled(asked).then(() => {
      setBusy(false);
      refresher.refresh({ topic: "servers" });
      void client.invalidateQueries({ queryKey: ["searchTools"] });
    });
  };
  return { wake, isBusy, mayWake };
}
