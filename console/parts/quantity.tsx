import type { ReactNode } from "react";
import { formatBytes, formatCompact, formatNumber } from "./format.ts";

/** A size; the exact number is its title. */
export function Bytes({ value }: { readonly value: number | null | undefined }): ReactNode {
  if (value === null || value === undefined) return <span className="text-faint">–</span>;
  return <span title={`${formatNumber(value)} bytes`}>{formatBytes(value)}</span>;
}

/** A number; `compact` writes 12.4K and has the exact one as its title. */
export function Count(props: {
  readonly value: number | null | undefined;
  readonly compact?: boolean;
}): ReactNode {
  const { value, compact = false } = props;
  if (value === null || value === undefined) return <span className="text-faint">–</span>;
  return (
    <span title={compact ? formatNumber(value) : undefined}>
      {(compact ? formatCompact : formatNumber)(value)}
    </span>
  );
}
