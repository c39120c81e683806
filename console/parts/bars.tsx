import { useRef, useState, type PointerEvent, type ReactNode } from "react";
import { TONE_FILL, type Tone } from "./badge.tsx";
import { cx } from "./class-names.ts";
import { countOf } from "./format.ts";

export interface Bucket {
  /** ISO 8601: where it begins. */
  readonly at: string;
  /** What it is called: "14:00–14:30". */
  readonly label: string;
  readonly parts: readonly { readonly tone: Tone; readonly name: string; readonly count: number }[];
}

export interface BarsProps {
  /** What is counted, for screen readers: "Runs of 24 hours". */
  readonly label: string;
  /** One of what is counted: "run". */
  readonly noun: string;
  readonly buckets: readonly Bucket[];
  readonly height?: number;
  /** A click or a drag over bars: the first and the last of them. */
  readonly onSelect?: (from: number, to: number) => void;
  /** What is chosen now. */
  readonly selected?: { readonly from: number; readonly to: number } | undefined;
}

/** A small histogram of stacked bars. Its numbers are a table for screen readers. */
export function Bars({ label, noun, buckets, height = 56, onSelect, selected }: BarsProps): ReactNode {
  const [drag, setDrag] = useState<{ readonly from: number; readonly to: number }>();
  const frame = useRef<HTMLDivElement>(null);
  const max = Math.max(1, ...buckets.map(totalOf));
  const chosen = drag ?? selected;
  const indexAt = (event: PointerEvent) => {
    const { left, width } = frame.current!.getBoundingClientRect();
    return Math.max(
      0,
      Math.min(buckets.length - 1, Math.floor(((event.clientX - left) / width) * buckets.length)),
    );
  };
  const begin = (event: PointerEvent) => {
    if (onSelect === undefined) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    setDrag({ from: indexAt(event), to: indexAt(event) });
  };
  const end = () => {
    if (drag !== undefined) onSelect?.(Math.min(drag.from, drag.to), Math.max(drag.from, drag.to));
    setDrag(undefined);
  };
  return (
    <figure aria-label={label} className="min-w-0">
      <div
        ref={frame}
        aria-hidden
        onPointerDown={begin}
        onPointerMove={(event) => drag !== undefined && setDrag({ ...drag, to: indexAt(event) })}
        onPointerUp={end}
        onPointerCancel={() => setDrag(undefined)}
        style={{ height }}
        className={cx(
          "flex touch-none items-end border-b border-line-strong select-none",
          onSelect !== undefined && "cursor-crosshair",
        )}
      >
        {buckets.map((bucket, at) => (
          <div
            key={bucket.at}
            title={titleOf(bucket, noun)}
            className={cx(
              "flex h-full min-w-0 flex-1 flex-col justify-end px-px hover:bg-hover",
              isWithin(at, chosen) && "bg-selected",
            )}
          >
            {bucket.parts.map(
              ({ tone, name, count }) =>
                count > 0 && (
                  <span
                    key={name}
                    style={{ height: `max(2px, ${(count / max) * 100}%)` }}
                    className={cx("w-full first:rounded-t-[1px]", TONE_FILL[tone])}
                  />
                ),
            )}
          </div>
        ))}
      </div>
      <BarsTable label={label} noun={noun} buckets={buckets} />
    </figure>
  );
}

function BarsTable({ label, noun, buckets }: Pick<BarsProps, "label" | "noun" | "buckets">): ReactNode {
  return (
    // A table keeps the width of its words, also where it is told to be one pixel wide.
    <div className="sr-only">
      <table>
        <caption>{label}</caption>
        <tbody>
          {buckets
            .filter((bucket) => totalOf(bucket) > 0)
            .map((bucket) => (
              <tr key={bucket.at}>
                <th scope="row">{bucket.label}</th>
                <td>{wordsOf(bucket, noun)}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </div>
  );
}

function totalOf({ parts }: Bucket): number {
  return parts.reduce((sum, { count }) => sum + count, 0);
}

function wordsOf(bucket: Bucket, noun: string): string {
  const parts = bucket.parts.filter(({ count }) => count > 0).map(({ name, count }) => `${count} ${name}`);
  return [countOf(totalOf(bucket), noun), ...(parts.length > 0 ? [parts.join(", ")] : [])].join(": ");
}

function titleOf(bucket: Bucket, noun: string): string {
  return `${bucket.label}\n${wordsOf(bucket, noun)}`;
}

function isWithin(at: number, range: { readonly from: number; readonly to: number } | undefined): boolean {
  return range !== undefined && at >= Math.min(range.from, range.to) && at <= Math.max(range.from, range.to);
}
