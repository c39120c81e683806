import { Play } from "lucide-react";
import type { ReactNode } from "react";
import { useWakeServers } from "../../api/wake-servers.ts";
import { Button } from "../../parts/button.tsx";
import { countOf } from "../../parts/format.ts";
import { Visible } from "../../parts/visible.tsx";

/** Servers whose tools are not known yet, and a way to know them now. */
export function PendingServers({ pending }: { readonly pending: readonly string[] }): ReactNode {
  const { wake, isBusy, mayWake } = useWakeServers();
  if (pending.length === 0) return null;
  return (
    <div
      role="status"
      className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line bg-sunken px-4 py-1.5 max-sm:px-3"
    >
      <p className="min-w-0 flex-1 truncate text-muted" title={pending.join(", ")}>
        {countOf(pending.length, "server")} did not list tools yet, for a server starts when something needs
        it: <Visible text={pending.join(", ")} max={200} />
      </p>
      <Button
        size="sm"
        icon={Play}
        busy={isBusy}
        disabled={!mayWake}
        title={mayWake ? undefined : "Needs a session with the scope admin"}
        onClick={() => wake(pending)}
      >
        Start them now
      </Button>
    </div>
  );
}
