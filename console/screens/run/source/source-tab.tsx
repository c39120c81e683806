import { useMemo, type ReactNode } from "react";
import { Code } from "../../../parts/code.tsx";
import { CopyButton } from "../../../parts/copy-button.tsx";
import { countOf, formatDuration, formatNumber } from "../../../parts/format.ts";
import { StatusDot } from "../../../parts/status.tsx";
import { Visible } from "../../../parts/visible.tsx";
import type { RunHead } from "../run-view.ts";
import type { Search } from "../search.ts";
import { shownStatus } from "../waterfall/bar.ts";
import { chosenOfRow, idOfChosen, type Chosen } from "../waterfall/chosen.ts";
import { useWaterRows } from "../waterfall/use-water-rows.ts";
import { linesOf, marksOf, rowsByLine, type CallRow } from "./line-steps.ts";

export interface SourceTabProps {
  readonly head: RunHead;
  readonly search: Search;
  readonly onSearch: (patch: Partial<Search>) => void;
  readonly chosen: Chosen | undefined;
  readonly onChoose: (chosen: Chosen) => void;
}

const NOTHING_OPEN: ReadonlyMap<string, boolean> = new Map();
const PAGES_MAX = 40;
/** More calls of one line are in the waterfall. */
const SHOWN_MAX = 60;

/** What ran. A line leads to its calls, a call to its line. */
export function SourceTab({ head, search, onSearch, chosen, onChoose }: SourceTabProps): ReactNode {
  const { rows } = useWaterRows({
    head,
    opened: NOTHING_OPEN,
    depth: 1,
    pagesMax: PAGES_MAX,
    reveal: chosen,
  });
  const byLine = useMemo(() => rowsByLine(rows, head.run_id), [rows, head.run_id]);
  const marks = useMemo(() => marksOf(byLine), [byLine]);
  const line = lineOf(search.line) ?? chosenLine(byLine, chosen);
  const calls = line === undefined ? undefined : byLine.get(line);
  const source = head.source ?? "";
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex h-9 shrink-0 items-center gap-2 border-b border-line px-4 text-xs text-muted">
        <span className="min-w-0 flex-1 truncate">
          {countOf(source.split("\n").length, "line")}
          {marks.length > 0 && `, ${marks.length} with calls`}
        </span>
        <CopyButton text={source} label="Copy the source" />
      </div>
      <Code
        text={source}
        language={head.language}
        label="Source"
        marks={marks}
        current={line}
        onLine={(next) => onSearch({ line: String(next) })}
        className="min-h-0 flex-1"
      />
      {calls !== undefined && line !== undefined && (
        <LineCalls line={line} calls={calls} chosen={chosen} onChoose={onChoose} />
      )}
    </div>
  );
}

function lineOf(text: string | undefined): number | undefined {
  const line = Number(text ?? Number.NaN);
  return Number.isInteger(line) && line > 0 ? line : undefined;
}

/** Where the chosen step was called. */
function chosenLine(
  byLine: ReadonlyMap<number, readonly CallRow[]>,
  chosen: Chosen | undefined,
): number | undefined {
  if (chosen === undefined) return undefined;
  const id = idOfChosen(chosen);
  for (const rows of byLine.values()) {
    const found = rows.find((row) => row.id === id);
    if (found !== undefined) return linesOf(found)[0];
  }
  return undefined;
}

interface LineCallsProps {
  readonly line: number;
  readonly calls: readonly CallRow[];
  readonly chosen: Chosen | undefined;
  readonly onChoose: (chosen: Chosen) => void;
}

function LineCalls({ line, calls, chosen, onChoose }: LineCallsProps): ReactNode {
  const chosenId = chosen && idOfChosen(chosen);
  return (
    <section className="max-h-[35%] shrink-0 overflow-auto border-t border-line-strong">
      <h2 className="sticky top-0 bg-bg px-4 py-1.5 text-xs font-medium text-muted">Calls of line {line}</h2>
      <ul className="pb-2">
        {calls.slice(0, SHOWN_MAX).map((row) => (
          <li key={row.id}>
            <button
              type="button"
              aria-pressed={row.id === chosenId}
              onClick={() => onChoose(chosenOfRow(row)!)}
              className="row-focus flex h-7 w-full items-center gap-2 px-4 text-left hover:bg-hover aria-pressed:bg-selected"
            >
              <CallText row={row} />
            </button>
          </li>
        ))}
        {calls.length > SHOWN_MAX && (
          <li className="px-4 text-xs text-muted">
            {formatNumber(calls.length - SHOWN_MAX)} more in the waterfall
          </li>
        )}
      </ul>
    </section>
  );
}

function CallText({ row }: { readonly row: CallRow }): ReactNode {
  const { status, elapsed_ms: ms } = row.kind === "step" ? row.step : row.group;
  const name = row.kind === "step" ? row.step.name : `${row.group.tool} × ${formatNumber(row.group.count)}`;
  return (
    <>
      <StatusDot state={shownStatus(status, row.place.endMs !== undefined)} iconOnly />
      <span className="min-w-0 flex-1 truncate font-mono text-xs">
        <Visible text={name} max={120} />
        {row.kind === "step" && (
          <span className="text-faint">
            {" "}
            <Visible text={row.step.args_text} max={120} />
          </span>
        )}
      </span>
      <span className="text-xs text-muted">{ms === null ? "" : formatDuration(ms)}</span>
    </>
  );
}
