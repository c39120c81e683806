import { EffectMark } from "../../parts/effect-mark.tsx";
import { outcomeOf } from "../../parts/call-outcome.ts";
import { Bytes } from "../../parts/quantity.tsx";
import { StatusDot } from "../../parts/status.tsx";
import type { Column } from "../../parts/table-types.ts";
import { Duration, Time } from "../../parts/time.tsx";
import { Visible } from "../../parts/visible.tsx";
import type { CallRow } from "./call-tail.ts";

/** Of one cell; the detail has the whole. */
const CELL_CHARS = 160;

const OUTCOME: Column<CallRow> = {
  id: "outcome",
  title: "Outcome",
  width: "6.5rem",
  cell: (call) => {
    const { state, word } = outcomeOf(call);
    return (
      <StatusDot state={state} title={call.outcome}>
        {word}
      </StatusDot>
    );
  },
};
const TOOL: Column<CallRow> = {
  id: "tool",
  title: "Tool",
  width: "minmax(8rem, 3fr)",
  cell: ({ tool }) => (
    <span className="font-mono text-xs">
      <Visible text={tool} max={CELL_CHARS} />
    </span>
  ),
};
const WHO: Column<CallRow> = {
  id: "who",
  title: "Who",
  width: "minmax(5rem, 1.2fr)",
  from: "sm",
  cell: ({ who, client }) => (
    <span className="text-muted" title={client === null ? undefined : `${who}, ${client}`}>
      <Visible text={client ?? who} max={CELL_CHARS} />
    </span>
  ),
};
const EFFECT: Column<CallRow> = {
  id: "effect",
  title: "Effect",
  width: "7rem",
  from: "md",
  cell: ({ effect }) => <EffectMark effect={effect} />,
};
const RULE: Column<CallRow> = {
  id: "rule",
  title: "Rule",
  width: "minmax(5rem, 1.2fr)",
  from: "lg",
  cell: ({ rule }) => (
    <span className="text-muted">
      <Visible text={rule} max={CELL_CHARS} />
    </span>
  ),
};
const DURATION: Column<CallRow> = {
  id: "duration",
  title: "Duration",
  width: "4.5rem",
  align: "end",
  from: "sm",
  cell: ({ elapsed_ms: ms }) => <Duration ms={ms} className="text-muted" />,
};
const SIZE: Column<CallRow> = {
  id: "size",
  title: "Answer",
  width: "4.5rem",
  align: "end",
  from: "md",
  cell: ({ bytes }) => (
    <span className="text-muted">
      <Bytes value={bytes} />
    </span>
  ),
};
const WHEN: Column<CallRow> = {
  id: "when",
  title: "When",
  width: "4.5rem",
  align: "end",
  cell: ({ at }) => <Time at={at} className="text-muted" />,
};

/** Beside an open call there is room for less. */
export function callColumns(isBeside: boolean): readonly Column<CallRow>[] {
  return isBeside
    ? [OUTCOME, TOOL, DURATION, WHEN]
    : [OUTCOME, TOOL, WHO, EFFECT, RULE, SIZE, DURATION, WHEN];
}
