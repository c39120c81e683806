import { Unplug } from "lucide-react";
import type { ReactNode } from "react";
import { useConnection } from "../api/live.ts";

/** The gateway is gone: what is on screen may be old. */
export function ConnectionBanner(): ReactNode {
  const isLost = useConnection() === "lost";
  return (
    <div role="status" aria-live="polite">
      {isLost && (
        <p className="flex items-center gap-2 border-b border-line bg-wait-bg px-4 py-1.5 text-wait">
          <Unplug aria-hidden size={14} />
          The gateway does not answer. Reconnecting…
        </p>
      )}
    </div>
  );
}
