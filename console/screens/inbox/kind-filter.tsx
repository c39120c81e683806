import type { ReactNode } from "react";
import { cx } from "../../parts/class-names.ts";
import { formatNumber } from "../../parts/format.ts";
import { KIND_WORDS, WAITING_KINDS } from "../../parts/waiting-kinds.ts";
import type { WaitingItem } from "./waiting-items.ts";

export interface KindFilterProps {
  readonly items: readonly WaitingItem[];
  readonly kind: string | undefined;
  readonly onChange: (kind: string | undefined) => void;
}

/** One kind or all of them, with how many wait of each. */
export function KindFilter({ items, kind, onChange }: KindFilterProps): ReactNode {
  const kinds = WAITING_KINDS.filter((each) => each === kind || items.some((item) => item.kind === each));
  return (
    <nav
      aria-label="Kinds"
      className="flex shrink-0 gap-1 overflow-x-auto border-b border-line px-3 py-1.5 [scrollbar-width:none]"
    >
      <KindButton
        label="All"
        count={items.length}
        isOn={kind === undefined}
        onClick={() => onChange(undefined)}
      />
      {kinds.map((each) => (
        <KindButton
          key={each}
          label={KIND_WORDS[each].title}
          count={items.filter((item) => item.kind === each).length}
          isOn={kind === each}
          onClick={() => onChange(each)}
        />
      ))}
    </nav>
  );
}

interface KindButtonProps {
  readonly label: string;
  readonly count: number;
  readonly isOn: boolean;
  readonly onClick: () => void;
}

function KindButton({ label, count, isOn, onClick }: KindButtonProps): ReactNode {
  return (
    <button
      type="button"
      aria-pressed={isOn}
      onClick={onClick}
      className={cx(
        "row-focus flex h-7 shrink-0 items-center gap-1.5 rounded-md px-2 font-medium whitespace-nowrap",
        isOn ? "bg-selected text-text" : "text-muted hover:bg-hover hover:text-text",
      )}
    >
      {label}
      <span className="text-xs font-normal text-faint">{formatNumber(count)}</span>
    </button>
  );
}
