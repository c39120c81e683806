import type { ReactNode } from "react";
import type { Tone } from "./badge.tsx";
import { Bars, type Bucket } from "./bars.tsx";
import { cx } from "./class-names.ts";
import { TONE_FILL } from "./badge.tsx";
import { formatNumber } from "./format.ts";

export interface RunCounts {
  readonly succeeded: number;
  readonly failed: number;
  readonly waiting: number;
  readonly running: number;
}

export interface RunHistogram {
  readonly bucket_ms: number;
  readonly buckets: readonly (RunCounts & { readonly at: string })[];
}

/** In the order of the stack, from the top. */
const PARTS: readonly { readonly key: keyof RunCounts; readonly tone: Tone; readonly name: string }[] = [
  { key: "running", tone: "run", name: "running" },
  { key: "waiting", tone: "wait", name: "waiting" },
  { key: "failed", tone: "fail", name: "failed" },
  { key: "succeeded", tone: "ok", name: "succeeded" },
];

export interface RunBarsProps {
  readonly label: string;
  readonly histogram: RunHistogram;
  readonly height?: number;
  readonly onSelect?: (from: number, to: number) => void;
}

/** How many runs began in each part of a time, by what became of them. */
export function RunBars({ label, histogram, height = 56, onSelect }: RunBarsProps): ReactNode {
  const { buckets, bucket_ms: bucketMs } = histogram;
  const [first] = buckets;
  const last = buckets.at(-1);
  return (
    <div className="min-w-0">
      <Bars
        label={label}
        noun="run"
        buckets={buckets.map((bucket) => barOf(bucket, bucketMs))}
        height={height}
        {...(onSelect !== undefined && { onSelect })}
      />
      {first !== undefined && last !== undefined && (
        <div aria-hidden className="mt-1 flex justify-between text-2xs text-faint">
          <span>{edgeText(Date.parse(first.at), bucketMs)}</span>
          <span>{edgeText(Date.parse(last.at) + bucketMs, bucketMs)}</span>
        </div>
      )}
    </div>
  );
}

/** What the colours mean, with how many there are of each. */
export function RunLegend({ counts }: { readonly counts: RunCounts }): ReactNode {
  return (
    <ul className="flex flex-wrap gap-x-3 gap-y-0.5 text-xs text-muted">
      {PARTS.toReversed().map(({ key, tone, name }) => (
        <li key={key} className="flex items-center gap-1.5">
          <span aria-hidden className={cx("size-2 rounded-[2px]", TONE_FILL[tone])} />
          <span className="font-medium text-text">{formatNumber(counts[key])}</span> {name}
        </li>
      ))}
    </ul>
  );
}

export function sumOfRuns({ buckets }: RunHistogram): RunCounts {
  const sum = { succeeded: 0, failed: 0, waiting: 0, running: 0 };
  for (const bucket of buckets) for (const { key } of PARTS) sum[key] += bucket[key];
  return sum;
}

function barOf(bucket: RunHistogram["buckets"][number], bucketMs: number): Bucket {
  const from = Date.parse(bucket.at);
  return {
    at: bucket.at,
    label: `${edgeText(from, bucketMs)} – ${edgeText(from + bucketMs, bucketMs)}`,
    parts: PARTS.map(({ key, tone, name }) => ({ tone, name, count: bucket[key] })),
  };
}

const DAY_MS = 86_400_000;
const HOUR = new Intl.DateTimeFormat("en", { hour: "2-digit", minute: "2-digit", hour12: false });
const DAY = new Intl.DateTimeFormat("en", {
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  hour12: false,
});

/** What was not today needs its day; so do bars that are long. */
function edgeText(at: number, bucketMs: number): string {
  const isToday = new Date(at).toDateString() === new Date().toDateString();
  return (isToday && bucketMs < DAY_MS / 8 ? HOUR : DAY).format(at);
}
