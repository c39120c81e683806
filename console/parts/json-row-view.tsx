import { ChevronRight } from "lucide-react";
import { useState, type ReactNode } from "react";
import { cx } from "./class-names.ts";
import { countOf, formatBytes } from "./format.ts";
import type { JsonNode, JsonRow } from "./json-rows.ts";
import type { JsonControl } from "./json-state.ts";
import { Visible } from "./visible.tsx";

/** Of a string in the tree, until more is asked for. */
const STRING_FIRST = 300;
/** Then so many more each time: a browser lays it out without a pause. */
const STRING_STEP = 20_000;

export interface JsonRowViewProps {
  readonly row: JsonRow;
  readonly index: number;
  readonly isTabStop: boolean;
  readonly onFocus: () => void;
  readonly control: JsonControl;
}

export function JsonRowView({ row, index, isTabStop, onFocus, control }: JsonRowViewProps): ReactNode {
  const isNode = row.row === "node";
  const canOpen = isNode && row.canOpen;
  return (
    // The tree hears the keys.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
    <div
      role="treeitem"
      aria-level={row.depth + 1}
      aria-expanded={canOpen ? row.isOpen : undefined}
      aria-selected={false}
      data-index={index}
      tabIndex={isTabStop ? 0 : -1}
      onFocus={onFocus}
      onClick={() => {
        if (canOpen && getSelection()?.type !== "Range") control.setOpen(row.node.path, !row.isOpen);
      }}
      style={{ paddingLeft: `${row.depth * 14 + 4}px` }}
      className={cx("row-focus flex min-w-0 items-start gap-1 rounded-sm pr-2", canOpen && "hover:bg-hover")}
    >
      <ChevronRight
        aria-hidden
        size={12}
        className={cx(
          "mt-1 shrink-0 text-faint",
          canOpen ? isNode && row.isOpen && "rotate-90" : "invisible",
        )}
      />
      <span className="min-w-0 flex-1">
        {isNode ? (
          <NodeText node={row.node} isOpen={row.isOpen} />
        ) : (
          <OtherText row={row} control={control} />
        )}
      </span>
    </div>
  );
}

function NodeText({ node, isOpen }: { readonly node: JsonNode; readonly isOpen: boolean }): ReactNode {
  return (
    <span className="foreign">
      {node.key !== undefined && (
        <>
          <span className={typeof node.key === "number" ? "text-faint" : "text-code-name"}>
            <Visible text={String(node.key)} max={STRING_FIRST} />
          </span>
          <span className="text-faint">: </span>
        </>
      )}
      <ValueText node={node} isOpen={isOpen} />
    </span>
  );
}

function ValueText({ node, isOpen }: { readonly node: JsonNode; readonly isOpen: boolean }): ReactNode {
  const { kind, value, count, bytes } = node;
  if (kind === "object" || kind === "array" || value === undefined) {
    const [left, right] = kind === "array" ? ["[", "]"] : ["{", "}"];
    const size = count === undefined ? "" : countOf(count, kind === "array" ? "item" : "key");
    const about = [
      value === undefined && kind === "string" ? "string" : size,
      bytes === undefined ? "" : formatBytes(bytes),
    ];
    return (
      <span className="text-faint">
        {count === 0
          ? `${left}${right}`
          : `${left}${isOpen ? "" : "…"}${right} ${about.filter(Boolean).join(", ")}`}
      </span>
    );
  }
  if (typeof value === "string") return <StringText text={value} />;
  return <span className={kind === "null" ? "text-faint" : "text-code-number"}>{JSON.stringify(value)}</span>;
}

function StringText({ text }: { readonly text: string }): ReactNode {
  const [shown, setShown] = useState(STRING_FIRST);
  const left = text.length - shown;
  return (
    <span className="text-code-string">
      &quot;
      <Visible text={left > 0 ? text.slice(0, shown) : text} />
      {left > 0 ? "…" : '"'}
      {left > 0 && (
        <button
          type="button"
          onClick={(event) => {
            event.stopPropagation();
            setShown(shown + STRING_STEP);
          }}
          className="ml-1 font-sans text-accent hover:underline"
        >
          {countOf(left, "character")} more
        </button>
      )}
    </span>
  );
}

function OtherText({
  row,
  control,
}: {
  readonly row: Exclude<JsonRow, { row: "node" }>;
  readonly control: JsonControl;
}): ReactNode {
  if (row.row === "loading") return <span className="font-sans text-faint">Loading…</span>;
  const isFailed = row.row === "failed";
  const isLoaded = control.state.loaded.has(row.path);
  const act = () => (isFailed || isLoaded ? control.load(row.path) : control.showMore(row.path));
  return (
    <button
      type="button"
      tabIndex={-1}
      onClick={act}
      className={cx("font-sans hover:underline", isFailed ? "text-fail" : "text-accent")}
    >
      {isFailed ? `${row.message ?? "It failed"}: try again` : moreText(row)}
    </button>
  );
}

function moreText(row: Exclude<JsonRow, { row: "node" }>): string {
  if (row.row !== "more") return "";
  if (row.of === "text") return "Show more of it";
  return row.left === undefined ? "Show more" : `Show more (${countOf(row.left, "entry", "entries")} left)`;
}
