import type { ReactNode } from "react";
import { cx } from "../../parts/class-names.ts";
import { StatusDot } from "../../parts/status.tsx";
import { Countdown, Time } from "../../parts/time.tsx";
import { Visible } from "../../parts/visible.tsx";
import { headlineOf } from "./headline.ts";
import { keyOfItem, type WaitingItem } from "./waiting-items.ts";

export interface InboxRowProps {
  readonly item: WaitingItem;
  readonly isShown: boolean;
  readonly onOpen: () => void;
  /** The item itself, below its row. */
  readonly below?: ReactNode;
}

/** Beyond this a row is cut; the detail has it whole. */
const ROW_CHARS = 160;

export function InboxRow({ item, isShown, onOpen, below }: InboxRowProps): ReactNode {
  const { title, about } = headlineOf(item);
  const isBelow = below !== undefined && below !== null;
  return (
    <>
      <button
        type="button"
        data-item={keyOfItem(item)}
        aria-current={isShown || undefined}
        aria-expanded={isBelow || undefined}
        onClick={onOpen}
        className={cx(
          "row-focus grid min-h-14 w-full grid-cols-[1rem_minmax(0,1fr)_auto] items-start gap-x-2 border-b border-line/60 px-4 py-2 text-left max-sm:px-3",
          isShown ? "bg-selected" : "hover:bg-hover",
        )}
      >
        <span className="mt-0.5">
          <StatusDot state={item.kind} iconOnly />
        </span>
        <span className="min-w-0">
          <span className="block truncate font-medium">
            <Visible text={title} max={ROW_CHARS} />
          </span>
          <span className="block truncate text-xs text-muted">
            <Visible text={about} max={ROW_CHARS} />
          </span>
        </span>
        <RowTime item={item} />
      </button>
      {isBelow && <div className="border-b border-line bg-bg">{below}</div>}
    </>
  );
}

function RowTime({ item: { since, expires } }: { readonly item: WaitingItem }): ReactNode {
  return (
    <span className="text-right text-xs whitespace-nowrap text-muted">
      {since !== undefined && <Time at={since} className="block" />}
      {expires !== undefined && <Countdown until={expires} className="block text-wait" />}
    </span>
  );
}
