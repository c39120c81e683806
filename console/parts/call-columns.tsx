import type { ReactNode } from "react";
import { outcomeOf } from "./call-outcome.ts";
import { StatusDot } from "./status.tsx";
import type { Column } from "./table-types.ts";
import { Duration, Time } from "./time.tsx";
import { Visible } from "./visible.tsx";

/** A call as a row shows it. */
type ShownCall = Parameters<typeof outcomeOf>[0] & {
  readonly at: string;
  readonly outcome: string;
  readonly rule: string;
  readonly elapsed_ms: number;
};

/** The columns that every list of calls has. */
export const CALL_COLUMNS = {
  at: { id: "at", title: "When", width: "5.5rem", cell: ({ at }) => <Time at={at} /> },
  outcome: {
    id: "outcome",
    title: "Outcome",
    width: "minmax(6rem, 1fr)",
    cell: (call) => <Outcome call={call} />,
  },
  rule: {
    id: "rule",
    title: "Rule",
    width: "minmax(6rem, 1fr)",
    from: "md",
    cell: ({ rule }) => <Visible text={rule} max={100} />,
  },
  took: {
    id: "took",
    title: "Took",
    width: "4.5rem",
    align: "end",
    cell: ({ elapsed_ms }) => <Duration ms={elapsed_ms} />,
  },
} as const satisfies Readonly<Record<string, Column<ShownCall>>>;

function Outcome({ call }: { readonly call: ShownCall }): ReactNode {
  const { state, word } = outcomeOf(call);
  return (
    <StatusDot state={state} title={call.outcome}>
      {word}
    </StatusDot>
  );
}
