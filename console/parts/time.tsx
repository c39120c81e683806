import { useCallback, useSyncExternalStore, type ReactNode } from "react";
import { formatDuration, formatInstant, formatRelative } from "./format.ts";

/** One clock for all times of the page: a thousand rows need no thousand timers. */
const listeners = new Set<() => void>();
let ticking: ReturnType<typeof setInterval> | undefined;

function subscribeToSeconds(listener: () => void): () => void {
  listeners.add(listener);
  ticking ??= setInterval(() => {
    for (const each of listeners) each();
  }, 1_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(ticking);
    ticking = undefined;
  };
}

/** A text that depends on the time of day: drawn again only when the text itself changes. */
function useTicking(text: (now: number) => string): string {
  return useSyncExternalStore(subscribeToSeconds, () => text(Date.now()));
}

export interface TimeProps {
  /** ISO 8601; without one, a dash. */
  readonly at: string | null | undefined;
  readonly className?: string;
}

/** An instant as its distance from now; the exact one is its title. */
export function Time({ at, className }: TimeProps): ReactNode {
  const ms = at === null || at === undefined ? Number.NaN : Date.parse(at);
  const text = useTicking(useCallback((now) => (Number.isNaN(ms) ? "–" : formatRelative(ms, now)), [ms]));
  if (Number.isNaN(ms)) return <span className="text-faint">–</span>;
  return (
    <time dateTime={at ?? undefined} title={formatInstant(ms)} className={className}>
      {text}
    </time>
  );
}

export interface DurationProps {
  /** Of something that has ended. */
  readonly ms?: number | null | undefined;
  /** Of something that has not: it counts up from this ISO 8601 instant. */
  readonly since?: string | null | undefined;
  readonly className?: string;
}

/** How long something took, or takes until now. */
export function Duration({ ms, since, className }: DurationProps): ReactNode {
  if (ms !== null && ms !== undefined) {
    return <span className={className}>{formatDuration(ms)}</span>;
  }
  if (since === null || since === undefined) return <span className="text-faint">–</span>;
  return <Elapsed since={since} {...(className !== undefined && { className })} />;
}

function Elapsed({ since, className }: { readonly since: string; readonly className?: string }): ReactNode {
  const from = Date.parse(since);
  const text = useTicking((now) =>
    now - from < 1_000 ? "< 1 s" : formatDuration(Math.floor((now - from) / 1_000) * 1_000),
  );
  return <span className={className}>{text}</span>;
}

export interface CountdownProps {
  /** ISO 8601. */
  readonly until: string;
  /** In front of what is left: "expires in". */
  readonly label?: string;
  readonly className?: string;
}

/** What is left until an instant, to the second; the instant is its title. */
export function Countdown({ until, label, className }: CountdownProps): ReactNode {
  const ms = Date.parse(until);
  const text = useTicking((now) => leftText(ms - now, label));
  return (
    <time dateTime={until} title={formatInstant(ms)} className={className}>
      {text}
    </time>
  );
}

function leftText(ms: number, label: string | undefined): string {
  if (ms <= 0) return "expired";
  const left = formatDuration(Math.max(1, Math.ceil(ms / 1_000)) * 1_000).replace(/\.0+ s$/, " s");
  return label === undefined ? `${left} left` : `${label} ${left}`;
}
