import { useRef } from "react";
import type { TableProps } from "./table-types.ts";

/** Chooses a row, or with `isRange` every row from the one that was chosen last. */
export type SelectRow = (key: string, isRange: boolean) => void;

export function useRowSelection<Row>(props: TableProps<Row>): SelectRow {
  const { rows, rowKey, selected = NOTHING, onSelectedChange } = props;
  const last = useRef<string>(undefined);
  return (key, isRange) => {
    const from = last.current;
    last.current = key;
    if (!isRange) return onSelectedChange?.(toggled(selected, key));
    onSelectedChange?.(selected.union(new Set(keysBetween(rows.map(rowKey), from, key))));
  };
}

const NOTHING: ReadonlySet<string> = new Set();

/** The set with the key, or without it where it was in. */
export function toggled(keys: ReadonlySet<string>, key: string): ReadonlySet<string> {
  return keys.symmetricDifference(new Set([key]));
}

/** The keys from one row to another, both included, in the order of the list; only the second where the first is gone. */
export function keysBetween(
  keys: readonly string[],
  from: string | undefined,
  to: string,
): readonly string[] {
  const first = from === undefined ? -1 : keys.indexOf(from);
  const last = keys.indexOf(to);
  if (first === -1 || last === -1) return [to];
  return keys.slice(Math.min(first, last), Math.max(first, last) + 1);
}
