import type { Filter } from "../../parts/filter-bar.tsx";
import type { CallFilter } from "./live-calls.ts";
import type { Search } from "./search.ts";

const OUTCOMES = ["ok", "failed", "refused"] as const;

export const CALL_FILTERS: readonly Filter[] = [
  { key: "who", label: "Who", kind: "text", placeholder: "token:ci, local or profile:NAME" },
  {
    key: "outcome",
    label: "Outcome",
    kind: "one",
    options: [
      { value: "ok", label: "OK" },
      { value: "failed", label: "Failed" },
      { value: "refused", label: "Refused" },
    ],
  },
  { key: "run", label: "Run", kind: "text", placeholder: "The id of a run" },
  {
    key: "since",
    label: "Since",
    kind: "one",
    options: [
      { value: "15m", label: "last 15 minutes" },
      { value: "1h", label: "last hour" },
      { value: "24h", label: "last 24 hours" },
      { value: "7d", label: "last 7 days" },
    ],
  },
];

/** What the API is asked for; a word for the outcome that it does not know is left out. */
export function filterOf({ tool, who, outcome, run, since }: Search): CallFilter {
  const known = OUTCOMES.find((each) => each === outcome);
  return {
    ...(tool !== undefined && { tool: patternOf(tool) }),
    ...(who !== undefined && { who }),
    ...(known !== undefined && { outcome: known }),
    ...(run !== undefined && { run }),
    ...(since !== undefined && { since }),
  };
}

/** A word alone is found anywhere in the name; with a star it is the pattern itself. */
export function patternOf(tool: string): string {
  return tool.includes("*") ? tool : `*${tool}*`;
}
