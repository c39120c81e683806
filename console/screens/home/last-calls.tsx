import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Duration, Time } from "../../parts/time.tsx";
import { StatusDot } from "../../parts/status.tsx";
import { Visible } from "../../parts/visible.tsx";
import { outcomeOf } from "../../parts/call-outcome.ts";
import type { Status } from "./status.ts";

/** Enough to see that something happens; the rest is on its own screen. */
const SHOWN = 10;

/** The newest calls, as they come. */
export function LastCalls({ calls }: Pick<Status, "calls">): ReactNode {
  if (calls.length === 0) {
    return <p className="text-muted">No call yet. The first that a client makes appears here by itself.</p>;
  }
  return (
    <ul className="divide-y divide-line" aria-live="off">
      {calls.slice(0, SHOWN).map((call) => (
        <li key={call.id} data-call={call.id}>
          <Link
            to="/calls"
            search={{ call: call.id }}
            className="row-focus grid grid-cols-[1.25rem_minmax(0,1fr)_auto_4.5rem] items-center gap-x-2 py-1.5 hover:bg-hover sm:grid-cols-[1.25rem_minmax(0,3fr)_minmax(0,2fr)_4.5rem_4.5rem]"
          >
            <StatusDot state={outcomeOf(call).state} iconOnly title={outcomeOf(call).word}>
              {outcomeOf(call).word}
            </StatusDot>
            <span className="truncate font-mono text-xs">
              <Visible text={call.tool} max={120} />
            </span>
            <span className="truncate text-muted max-sm:hidden">
              <Visible text={call.client ?? call.who} max={80} />
            </span>
            <Duration ms={call.elapsed_ms} className="text-right text-muted" />
            <Time at={call.at} className="text-right text-muted" />
          </Link>
        </li>
      ))}
    </ul>
  );
}
