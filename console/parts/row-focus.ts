import { useEffect, useRef, useState, type RefObject } from "react";
import { useKeys, type KeyBindings } from "./keys.ts";
import type { SelectRow } from "./row-selection.ts";
import type { TableProps } from "./table-types.ts";

const PAGE_ROWS = 15;

export interface RowFocus {
  /** The row that Tab reaches. */
  readonly at: number;
  readonly set: (at: number) => void;
}

/** Moves the focus from row to row; a row that is not in the page yet is scrolled to first. */
export function useRowFocus<Row>(
  { rows, rowKey, onOpen, selected, rowKeys = {}, keys = true }: TableProps<Row>,
  scroller: RefObject<HTMLElement | null>,
  select: SelectRow,
  scrollTo: (at: number) => void,
): RowFocus {
  const [chosen, setChosen] = useState<ChosenRow>(FIRST_ROW);
  const wanted = useRef<number>(undefined);
  const at = indexOf(rows, rowKey, chosen);
  const setAt = (next: number) => setChosen({ at: next, key: rows[next] && rowKey(rows[next]) });

  // After each drawing: the wanted row may have come into the page with it.
  useEffect(() => {
    if (wanted.current === undefined) return;
    const row = scroller.current?.querySelector<HTMLElement>(`[data-index="${wanted.current}"]`);
    if (row === null || row === undefined) return;
    wanted.current = undefined;
    row.focus({ preventScroll: true });
  });

  const isInside = () => scroller.current?.contains(document.activeElement) === true;
  const goTo = (next: number) => {
    if (rows.length === 0) return;
    const bounded = Math.max(0, Math.min(rows.length - 1, next));
    wanted.current = bounded;
    setAt(bounded);
    scrollTo(bounded);
    scroller.current?.querySelector<HTMLElement>(`[data-index="${bounded}"]`)?.focus({ preventScroll: true });
  };
  /** The first press goes to the row itself, the next ones move on. */
  const move = (step: number) => goTo(isInside() ? at + step : at);
  const withFocused = (act: (row: Row) => void) => {
    const row = rows[at];
    if (isInside() && row !== undefined) act(row);
  };
  const openFocused = () => withFocused((row) => onOpen?.(row));
  const toggle = () => {
    const row = rows[at];
    if (selected !== undefined && row !== undefined) select(rowKey(row), false);
  };

  const own: KeyBindings = {
    j: { label: "Next row", group: "Lists", run: () => move(1) },
    k: { label: "Row before", group: "Lists", run: () => move(-1) },
    ...Object.fromEntries(
      Object.entries(rowKeys).map(([key, { label, run }]) => [
        key,
        { label, group: "Lists", run: () => withFocused(run) },
      ]),
    ),
    ...(selected !== undefined && { x: { label: "Select the row", group: "Lists", run: toggle } }),
  };
  useKeys(own, keys);
  useListKeys(scroller, { move, goTo, openFocused, toggle, last: rows.length - 1 });
  return { at, set: setAt };
}

interface ListMoves {
  readonly move: (step: number) => void;
  readonly goTo: (at: number) => void;
  readonly openFocused: () => void;
  readonly toggle: () => void;
  readonly last: number;
}

interface ChosenRow {
  readonly at: number;
  readonly key: string | undefined;
}

const FIRST_ROW: ChosenRow = { at: 0, key: undefined };

/** Where the chosen row is by now: rows may have come before it. */
function indexOf<Row>(rows: readonly Row[], rowKey: (row: Row) => string, { at, key }: ChosenRow): number {
  const bounded = Math.min(at, Math.max(0, rows.length - 1));
  const row = rows[bounded];
  if (key === undefined || row === undefined || rowKey(row) === key) return bounded;
  const found = rows.findIndex((each) => rowKey(each) === key);
  return found === -1 ? bounded : found;
}

/** Arrows, Home, End, Space and Enter belong to a list only while it has the focus. */
function useListKeys(scroller: RefObject<HTMLElement | null>, moves: ListMoves): void {
  const current = useRef(moves);
  useEffect(() => {
    current.current = moves;
  });
  useEffect(() => {
    const list = scroller.current;
    const onKeyDown = (event: KeyboardEvent) => {
      if (!(event.target instanceof HTMLElement) || event.target.role !== "row") return;
      const { move, goTo, openFocused, toggle, last } = current.current;
      const act: Readonly<Record<string, () => void>> = {
        ArrowDown: () => move(1),
        ArrowUp: () => move(-1),
        PageDown: () => move(PAGE_ROWS),
        PageUp: () => move(-PAGE_ROWS),
        Home: () => goTo(0),
        End: () => goTo(last),
        Enter: openFocused,
        " ": toggle,
      };
      const found = act[event.key];
      if (found === undefined || event.metaKey || event.ctrlKey || event.altKey) return;
      event.preventDefault();
      found();
    };
    list?.addEventListener("keydown", onKeyDown);
    return () => list?.removeEventListener("keydown", onKeyDown);
  }, [scroller]);
}
