/**
 * A JSON value as a tree: with arrow keys, opened to a depth, and by parts where it is large. Give `value`, or `load` for a value
 * that is too large to have; then only what is open is ever asked for.
 */
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import { cx } from "./class-names.ts";
import { JsonRowView } from "./json-row-view.tsx";
import { nodeOf, rowsOf, type JsonNode, type JsonRow } from "./json-rows.ts";
import { useJsonState, type JsonControl, type LoadValue } from "./json-state.ts";

export type { ValueSlice } from "./json-rows.ts";

const ROW_PX = 20;
/** Up to here all rows are in the page, and it scrolls; above, the tree has its own height. */
const PLAIN_ROWS_MAX = 150;

export interface JsonViewProps {
  readonly value?: unknown;
  readonly load?: LoadValue | undefined;
  /** Of a value that is loaded, where it is known. */
  readonly bytes?: number | undefined;
  /** What it is, for screen readers: "Arguments". */
  readonly label: string;
  /** How deep it is open at first; 2 unless it is said. */
  readonly depth?: number;
  /** Of a long tree, in px. */
  readonly height?: number;
}

export function JsonView({ value, load, bytes, label, depth = 2, height = 420 }: JsonViewProps): ReactNode {
  const control = useJsonState(load === undefined ? depth : 1, load);
  const { state, load: loadPart } = control;
  const root = useMemo(
    (): JsonNode => (load === undefined ? nodeOf(value) : { path: "", kind: "object", bytes }),
    [value, load, bytes],
  );
  const rows = useMemo(() => rowsOf(root, state), [root, state.open, state.shown, state.loaded, state.depth]); // eslint-disable-line react-hooks/exhaustive-deps
  useEffect(() => {
    for (const row of rows) {
      if (row.row === "loading" && !state.loaded.has(row.path)) loadPart(row.path);
    }
  }, [rows, state.loaded, loadPart]);
  return <JsonTree rows={rows} control={control} label={label} height={height} />;
}

interface TreeProps {
  readonly rows: readonly JsonRow[];
  readonly control: JsonControl;
  readonly label: string;
  readonly height: number;
}

function JsonTree({ rows, control, label, height }: TreeProps): ReactNode {
  const scroller = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState(0);
  const isLong = rows.length > PLAIN_ROWS_MAX;
  const virtual = useVirtualizer({
    count: isLong ? rows.length : 0,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 20,
  });
  const goTo = (next: number) => {
    const bounded = Math.max(0, Math.min(rows.length - 1, next));
    setAt(bounded);
    if (isLong) virtual.scrollToIndex(bounded);
    requestAnimationFrame(() =>
      scroller.current
        ?.querySelector<HTMLElement>(`[role="treeitem"][data-index="${bounded}"]`)
        ?.focus({ preventScroll: isLong }),
    );
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (moveIn(rows, at, event.key, control, goTo)) event.preventDefault();
  };
  const draw = (index: number) => (
    <JsonRowView
      row={rows[index]!}
      index={index}
      isTabStop={index === Math.min(at, rows.length - 1)}
      onFocus={() => setAt(index)}
      control={control}
    />
  );
  return (
    // oxlint-disable-next-line jsx-a11y/interactive-supports-focus -- its items have the focus
    <div
      ref={scroller}
      role="tree"
      aria-label={label}
      onKeyDown={onKeyDown}
      style={isLong ? { height } : undefined}
      className={cx("min-w-0 overflow-auto font-mono text-xs leading-5", isLong && "relative")}
    >
      {isLong ? (
        <div role="presentation" style={{ height: virtual.getTotalSize() }} className="relative">
          {virtual.getVirtualItems().map(({ index, start }) => (
            <div
              key={index}
              role="presentation"
              data-index={index}
              ref={virtual.measureElement}
              style={{ transform: `translateY(${start}px)` }}
              className="absolute inset-x-0 top-0"
            >
              {draw(index)}
            </div>
          ))}
        </div>
      ) : (
        rows.map((row, index) => (
          <div key={keyOf(row, index)} role="presentation">
            {draw(index)}
          </div>
        ))
      )}
    </div>
  );
}

function keyOf(row: JsonRow, index: number): string {
  return row.row === "node" ? row.node.path : `${row.row}:${row.path}:${index}`;
}

/** What a key does in the tree; false where it is not one of its keys. */
function moveIn(
  rows: readonly JsonRow[],
  at: number,
  key: string,
  control: JsonControl,
  goTo: (at: number) => void,
): boolean {
  const row = rows[at];
  if (row === undefined) return false;
  const moves: Readonly<Record<string, number>> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    Home: 0,
    End: rows.length - 1,
  };
  const to = moves[key];
  if (to !== undefined) goTo(to);
  else if (key === "ArrowRight" || key === "ArrowLeft") step(rows, at, key === "ArrowRight", control, goTo);
  else if (key === "Enter" || key === " ") activate(row, control);
  else return false;
  return true;
}

function step(
  rows: readonly JsonRow[],
  at: number,
  isRight: boolean,
  control: JsonControl,
  goTo: (at: number) => void,
): void {
  const row = rows[at]!;
  if (row.row === "node" && row.canOpen && row.isOpen !== isRight)
    return control.setOpen(row.node.path, isRight);
  if (isRight) return goTo(at + 1);
  goTo(rows.slice(0, at).findLastIndex((each) => each.depth < row.depth));
}

/** Opens, closes, or shows more. */
function activate(row: JsonRow, control: JsonControl): void {
  if (row.row === "node" && row.canOpen) control.setOpen(row.node.path, !row.isOpen);
  else if (row.row === "failed") control.load(row.path);
  else if (row.row === "more")
    (control.state.loaded.has(row.path) ? control.load : control.showMore)(row.path);
}

/** Whether a value has the shape in which the gateway names one that it did not send. */
export function isHandle(
  value: unknown,
): value is { readonly handle: string; readonly bytes: number; readonly preview: string } {
  return (
    typeof value === "object" &&
    value !== null &&
    typeof (value as Record<string, unknown>)["handle"] === "string" &&
    typeof (value as Record<string, unknown>)["bytes"] === "number"
  );
}
