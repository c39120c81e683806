import type { ReactNode } from "react";
import { cx } from "../../parts/class-names.ts";
import { formatNumber } from "../../parts/format.ts";
import { Visible } from "../../parts/visible.tsx";

/** The newest; the run's own page has all. */
const LINES_MAX = 100;
const LINE_LENGTH_MAX = 4_000;

export interface RunLogsProps {
  readonly logs: readonly { readonly level: string; readonly message: string }[];
  readonly isBusy: boolean;
}

/** What the code printed with `console`. */
export function RunLogs({ logs, isBusy }: RunLogsProps): ReactNode {
  if (logs.length === 0) {
    return (
      <p className="text-muted">
        {isBusy ? "Nothing printed yet." : "It printed nothing. Use console.log in the code."}
      </p>
    );
  }
  const left = logs.length - LINES_MAX;
  return (
    <div className="font-mono text-xs leading-5">
      {left > 0 && (
        <p className="mb-1 font-sans text-muted">
          {formatNumber(left)} lines before these are on the page of the run.
        </p>
      )}
      <ol>
        {logs.slice(-LINES_MAX).map(({ level, message }, at) => (
          <li
            key={at}
            className={cx(
              "foreign flex gap-3",
              level === "error" ? "text-fail" : level === "warn" && "text-wait",
            )}
          >
            <span className="w-10 shrink-0 text-faint select-none">{level}</span>
            <span className="min-w-0">
              <Visible text={message} max={LINE_LENGTH_MAX} />
            </span>
          </li>
        ))}
      </ol>
    </div>
  );
}
