import type { ReactNode } from "react";
import { cx } from "./class-names.ts";
import { Checkbox } from "./field.tsx";
import type { TableProps } from "./table-types.ts";

/** The names of the columns; they stay in sight. */
export function TableHead<Row>({
  columns,
  rows,
  rowKey,
  selected,
  onSelectedChange,
}: TableProps<Row>): ReactNode {
  const isAll = rows.length > 0 && selected?.size === rows.length;
  return (
    <div role="rowgroup" className="sticky top-0 z-10 bg-bg">
      <div
        role="row"
        aria-rowindex={1}
        className="grid h-8 grid-cols-[var(--tracks)] items-center gap-x-3 border-b border-line px-4 text-xs text-muted max-sm:px-3"
      >
        {selected !== undefined && (
          <div role="columnheader">
            <Checkbox
              label="Select all"
              hideLabel
              checked={isAll}
              mixed={!isAll && selected.size > 0}
              onChange={() => onSelectedChange?.(new Set(isAll ? [] : rows.map(rowKey)))}
            />
          </div>
        )}
        {columns.map(({ id, title, hideTitle = false, align }) => (
          <div key={id} role="columnheader" className={cx("truncate", align === "end" && "text-right")}>
            {hideTitle || title === "" ? <span className="sr-only">{title || "Actions"}</span> : title}
          </div>
        ))}
      </div>
    </div>
  );
}
