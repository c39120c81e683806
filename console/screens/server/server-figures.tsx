import type { ReactNode } from "react";
import { cx } from "../../parts/class-names.ts";
import { formatBytes, formatDuration, formatNumber } from "../../parts/format.ts";
import type { ServerDetails } from "./server-details.ts";

interface Figure {
  readonly term: string;
  readonly value: string;
  readonly title: string;
  readonly isBad?: boolean;
}

/** The numbers of the last 24 hours, and what it takes now. */
export function ServerFigures({ server }: { readonly server: ServerDetails }): ReactNode {
  return (
    <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-md border border-line bg-line sm:grid-cols-4 lg:grid-cols-8">
      {figuresOf(server).map(({ term, value, title, isBad }) => (
        <div key={term} title={title} className="flex flex-col-reverse justify-end bg-bg px-3 py-2">
          <dt className="truncate text-xs text-muted">{term}</dt>
          <dd className={cx("text-lg font-semibold", isBad === true && "text-fail")}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

const NONE = "–";

function figuresOf({
  latency,
  memory_bytes,
  tokens,
  toolCount,
  tools,
  connectMs,
}: ServerDetails): readonly Figure[] {
  const day = "Of its calls in 24 hours";
  return [
    { term: "Calls, 24 h", value: formatNumber(latency?.call_count ?? 0), title: day },
    {
      term: "Errors",
      value: formatNumber(latency?.error_count ?? 0),
      title: day,
      isBad: (latency?.error_count ?? 0) > 0,
    },
    {
      term: "p50",
      value: latency === null ? NONE : formatDuration(latency.p50_ms),
      title: `${day}: half were faster`,
    },
    {
      term: "p95",
      value: latency === null ? NONE : formatDuration(latency.p95_ms),
      title: `${day}: 95 of 100 were faster`,
    },
    {
      term: "Connect",
      value: connectMs === undefined ? NONE : formatDuration(connectMs),
      title: "From its start to the end of the handshake",
    },
    {
      term: "Memory",
      value: memory_bytes === undefined ? NONE : formatBytes(memory_bytes),
      title: "Of its whole process tree",
    },
    { term: "Tools", value: formatNumber(toolCount ?? tools.length), title: "That it offers" },
    {
      term: "Tokens",
      value: tokens === null ? NONE : formatNumber(tokens),
      title: "What its tools cost in a list",
    },
  ];
}
