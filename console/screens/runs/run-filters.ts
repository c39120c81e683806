import type { Filter } from "../../parts/filter-bar.tsx";
import { wordOf } from "../../parts/status.tsx";
import type { Search } from "./search.ts";

const STATUSES = ["queued", "running", "paused", "succeeded", "failed", "cancelled", "interrupted"];
const KINDS = [
  { value: "code", label: "Code" },
  { value: "workflow", label: "Workflow" },
  { value: "capability", label: "Library item" },
  { value: "call", label: "Call" },
];
const TIMES = [
  { value: "1h", label: "last hour" },
  { value: "24h", label: "last 24 hours" },
  { value: "7d", label: "last 7 days" },
  { value: "30d", label: "last 30 days" },
];

/** The filters of the list. A time that was chosen in the bars is named as what it is. */
export function runFilters({ since, until }: Search): readonly Filter[] {
  const isOwn = since !== undefined && !TIMES.some(({ value }) => value === since);
  const own = isOwn ? [{ value: since, label: spanText(since, until) }] : [];
  return [
    {
      key: "status",
      label: "Status",
      kind: "many",
      options: STATUSES.map((value) => ({ value, label: wordOf(value) })),
    },
    { key: "kind", label: "Kind", kind: "many", options: KINDS },
    { key: "tool", label: "Tool", kind: "text", placeholder: "github__*" },
    { key: "since", label: "Began", kind: "one", options: [...TIMES, ...own] },
  ];
}

/** Changing the beginning of a time leaves its end behind. */
export function withSpan(patch: Partial<Search>): Partial<Search> {
  return "since" in patch && !("until" in patch) ? { ...patch, until: undefined } : patch;
}

/** What the API is asked for. */
export function queryOf({ status, kind, tool, text, since, until }: Search) {
  return { status, kind, tool, text, since, until };
}

const DAY = new Intl.DateTimeFormat("en", { month: "short", day: "numeric" });
const CLOCK = new Intl.DateTimeFormat("en", { hour: "2-digit", minute: "2-digit", hour12: false });

/** `Nov 18, 14:00 – 15:30`. */
function spanText(since: string, until: string | undefined): string {
  const [from, to] = [Date.parse(since), Date.parse(until ?? "")];
  if (Number.isNaN(from)) return since;
  const start = `${DAY.format(from)}, ${CLOCK.format(from)}`;
  if (Number.isNaN(to)) return `since ${start}`;
  return DAY.format(from) === DAY.format(to)
    ? `${start} – ${CLOCK.format(to)}`
    : `${start} – ${DAY.format(to)}, ${CLOCK.format(to)}`;
}
