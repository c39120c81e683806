/** A part of the histogram as a time: what a click on a bar, or a drag over several, asks the list for. */
import type { Answer } from "../../api/client.ts";

export type Histogram = Answer<"countRuns">;

/** From the earlier bar to the end of the later one, whichever was pressed first. */
export function rangeOf(
  { buckets, bucket_ms: bucketMs }: Histogram,
  first: number,
  last: number,
): { readonly since: string; readonly until: string } | undefined {
  const from = buckets[Math.min(first, last)];
  const to = buckets[Math.max(first, last)];
  if (from === undefined || to === undefined) return undefined;
  return {
    since: new Date(Date.parse(from.at)).toISOString(),
    until: new Date(Date.parse(to.at) + bucketMs).toISOString(),
  };
}

/** Where no time was asked for, the bars show a day. */
export const USUAL_SINCE = "24h";
