import type { ReactNode } from "react";
import { cx } from "./class-names.ts";

/** A line that is on its way. */
export function Skeleton({ className = "h-4 w-32" }: { readonly className?: string }): ReactNode {
  return <span aria-hidden className={cx("block animate-breathe rounded-sm bg-active", className)} />;
}

const WIDTHS = ["w-3/5", "w-2/5", "w-4/5", "w-1/2", "w-2/3"];

/** Rows that are on their way; said once to screen readers. */
export function SkeletonRows({
  rows = 6,
  label = "Loading",
}: {
  readonly rows?: number;
  readonly label?: string;
}): ReactNode {
  return (
    <div role="status" className="px-4 py-2">
      <span className="sr-only">{label}</span>
      {Array.from({ length: rows }, (_, at) => (
        <Skeleton key={at} className={cx("my-3 h-3", WIDTHS[at % WIDTHS.length])} />
      ))}
    </div>
  );
}
