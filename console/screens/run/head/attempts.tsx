import { Link } from "@tanstack/react-router";
import { ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import { cx } from "../../../parts/class-names.ts";
import { formatInstant } from "../../../parts/format.ts";
import { StatusDot, wordOf } from "../../../parts/status.tsx";
import { shortId, type RunHead } from "../run-view.ts";

/** More chips than fit a line say less than their number. */
const SHOWN_MAX = 7;

/** This run and those before and after it by resuming. */
export function Attempts({
  current,
  attempts,
}: {
  readonly current: string;
  readonly attempts: RunHead["attempts"];
}): ReactNode {
  const at = attempts.findIndex(({ run_id: id }) => id === current);
  const from = Math.max(0, Math.min(at - Math.floor(SHOWN_MAX / 2), attempts.length - SHOWN_MAX));
  const shown = attempts.slice(from, from + SHOWN_MAX);
  return (
    <ol aria-label="Attempts, the first one first" className="flex min-w-0 flex-wrap items-center gap-0.5">
      {from > 0 && <li className="text-xs text-faint">{from} before</li>}
      {shown.map(({ run_id: id, status, started_at: began }, index) => (
        <li key={id} className="flex items-center gap-0.5">
          {(index > 0 || from > 0) && <ChevronRight aria-hidden size={12} className="text-faint" />}
          <Link
            to="/runs/$run"
            params={{ run: id }}
            aria-current={id === current ? "page" : undefined}
            title={`${wordOf(status)}, began ${formatInstant(Date.parse(began))}`}
            className={cx(
              "inline-flex h-5 items-center gap-1 rounded-sm px-1.5 font-mono text-2xs",
              id === current
                ? "bg-selected text-text inset-ring inset-ring-accent"
                : "text-muted hover:bg-hover hover:text-text",
            )}
          >
            <StatusDot state={status} iconOnly />
            {shortId(id)}
          </Link>
        </li>
      ))}
      {from + SHOWN_MAX < attempts.length && (
        <li className="text-xs text-faint">{attempts.length - from - SHOWN_MAX} after</li>
      )}
    </ol>
  );
}
