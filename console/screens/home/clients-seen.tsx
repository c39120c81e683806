import type { ReactNode } from "react";
import { countOf } from "../../parts/format.ts";
import { Time } from "../../parts/time.tsx";
import { Visible } from "../../parts/visible.tsx";
import type { Status } from "./status.ts";

/** The clients that made a call, by what they call themselves. */
export function ClientsSeen({ clients }: Pick<Status, "clients">): ReactNode {
  if (clients.length === 0) {
    return (
      <p className="text-muted">
        None yet. Connect one with <code className="font-mono text-xs">repertoire connect claude</code>.
      </p>
    );
  }
  return (
    <ul className="divide-y divide-line">
      {clients.map(({ name, last_seen_at: lastSeenAt, call_count: callCount }) => (
        <li key={name} className="flex items-baseline gap-3 py-1.5">
          <span className="min-w-0 flex-1 truncate">
            <Visible text={name} max={100} />
          </span>
          <span className="whitespace-nowrap text-muted">{countOf(callCount, "call")}</span>
          <Time at={lastSeenAt} className="w-16 text-right whitespace-nowrap text-muted" />
        </li>
      ))}
    </ul>
  );
}
