import type { CSSProperties, MouseEvent, ReactNode } from "react";
import { cx } from "./class-names.ts";
import { Checkbox } from "./field.tsx";
import type { SelectRow } from "./row-selection.ts";
import type { TableProps } from "./table-types.ts";

interface TableRowProps<Row> extends TableProps<Row> {
  readonly row: Row;
  readonly index: number;
  readonly isTabStop: boolean;
  readonly onFocus: () => void;
  readonly onSelect: SelectRow;
  readonly style: CSSProperties;
}

export function TableRow<Row>(props: TableRowProps<Row>): ReactNode {
  const { row, index, columns, rowKey, onOpen, selected, current, isTabStop, onFocus, style, rowClass } =
    props;
  const key = rowKey(row);
  const isSelected = selected?.has(key) === true;
  const open = (event: MouseEvent) => {
    if (event.shiftKey && selected !== undefined && !isOnControl(event)) return props.onSelect(key, true);
    if (onOpen !== undefined && !isOnControl(event) && getSelection()?.type !== "Range") onOpen(row);
  };
  return (
    // Enter opens it too: `row-focus.ts` hears it for the whole list.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
    <div
      role="row"
      data-index={index}
      aria-rowindex={index + 2}
      aria-selected={selected === undefined ? undefined : isSelected}
      aria-current={current === key || undefined}
      tabIndex={isTabStop ? 0 : -1}
      onFocus={onFocus}
      onClick={open}
      onMouseDown={(event) => {
        // Shift chooses rows here, not text.
        if (event.shiftKey && selected !== undefined) event.preventDefault();
      }}
      style={style}
      className={cx(
        "row-focus absolute inset-x-0 top-0 grid grid-cols-[var(--tracks)] items-center gap-x-3 border-b border-line/60 px-4 max-sm:px-3",
        current === key || isSelected ? "bg-selected" : "hover:bg-hover",
        rowClass?.(row),
      )}
    >
      {selected !== undefined && <SelectCell {...props} isSelected={isSelected} />}
      {columns.map(({ id, cell, align }) => (
        <div key={id} role="gridcell" className={cx("min-w-0 truncate", align === "end" && "text-right")}>
          {cell(row)}
        </div>
      ))}
    </div>
  );
}

function SelectCell<Row>(props: TableRowProps<Row> & { readonly isSelected: boolean }): ReactNode {
  const { row, rowKey, onSelect, index, isSelected } = props;
  return (
    <div role="gridcell">
      <Checkbox
        label={`Select row ${index + 1}`}
        hideLabel
        tabIndex={-1}
        checked={isSelected}
        onChange={(event) => onSelect(rowKey(row), (event.nativeEvent as globalThis.MouseEvent).shiftKey)}
      />
    </div>
  );
}

/** A click on a control of the row, or in a menu of it: that is elsewhere in the page, and React still tells the row of it. */
function isOnControl({ target, currentTarget }: MouseEvent): boolean {
  if (!(target instanceof Element)) return false;
  return (
    !currentTarget.contains(target) || target.closest("a, button, input, select, label, summary") !== null
  );
}
