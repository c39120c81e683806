import type { ReactNode, RefObject } from "react";
import type { Width } from "./viewport.ts";

export interface Column<Row> {
  readonly id: string;
  readonly title: string;
  /** There is no room for the title: only screen readers have it. */
  readonly hideTitle?: boolean;
  /** A track of a CSS grid: `8rem`, `minmax(12rem, 1fr)`. */
  readonly width: string;
  readonly cell: (row: Row) => ReactNode;
  /** Numbers end at the right. */
  readonly align?: "end";
  /** Only shown in windows that are at least so wide. */
  readonly from?: Width;
}

export interface TableProps<Row> {
  /** What is listed, for screen readers: "Runs". */
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly rowKey: (row: Row) => string;
  /** Enter, a click. */
  readonly onOpen?: (row: Row) => void;
  /** The key of the row that is open beside the list. */
  readonly current?: string | undefined;
  /** The keys of the chosen rows; with it, each row has a box. */
  readonly selected?: ReadonlySet<string>;
  readonly onSelectedChange?: (selected: ReadonlySet<string>) => void;
  /** Keys that do something with the row that has the focus. */
  readonly rowKeys?: Readonly<Record<string, { readonly label: string; readonly run: (row: Row) => void }>>;
  /** Gets the element that scrolls. */
  readonly scroller?: RefObject<HTMLDivElement | null>;
  readonly isLoading?: boolean;
  /** An `EmptyState`. */
  readonly empty?: ReactNode;
  /** More rows are wanted: `fetchNextPage`. */
  readonly onEndReached?: (() => void) | undefined;
  /** Where more exist than are loaded. */
  readonly totalCount?: number;
  readonly rowHeight?: number;
  /** `false` where another list of the screen has `j` and `k`. */
  readonly keys?: boolean;
  readonly rowClass?: (row: Row) => string | undefined;
  readonly className?: string;
}
