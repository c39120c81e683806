import { useId, useRef, type KeyboardEvent, type ReactNode } from "react";
import { cx } from "./class-names.ts";

interface Tab<Id extends string> {
  readonly id: Id;
  readonly label: ReactNode;
  /** Beside the label. */
  readonly count?: number | undefined;
}

export interface TabsProps<Id extends string> {
  readonly label: string;
  readonly tabs: readonly Tab<Id>[];
  /** Keep it in the URL. */
  readonly value: Id;
  readonly onChange: (id: Id) => void;
  /** The chosen panel. */
  readonly children: ReactNode;
  /** At the right of the tabs. */
  readonly extra?: ReactNode;
  readonly panelClassName?: string;
}

/** Tabs with one panel; arrow keys move between them. */
export function Tabs<Id extends string>(props: TabsProps<Id>): ReactNode {
  const {
    label,
    tabs,
    value,
    onChange,
    children,
    extra,
    panelClassName = "min-h-0 flex-1 overflow-auto",
  } = props;
  const base = useId();
  const list = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const at = tabs.findIndex(({ id }) => id === value);
    const next = tabs[(at + step + tabs.length) % tabs.length]!;
    onChange(next.id);
    list.current?.querySelector<HTMLElement>(`[data-tab="${next.id}"]`)?.focus();
  };
  return (
    <>
      <div className="flex shrink-0 items-center gap-2 border-b border-line px-3">
        {/* oxlint-disable-next-line jsx-a11y/interactive-supports-focus -- its tabs have the focus */}
        <div
          ref={list}
          role="tablist"
          aria-label={label}
          onKeyDown={move}
          className="-mb-px flex min-w-0 flex-1 gap-1 overflow-x-auto [scrollbar-width:none]"
        >
          {tabs.map(({ id, label: text, count }) => (
            <button
              key={id}
              type="button"
              role="tab"
              data-tab={id}
              id={`${base}-${id}`}
              aria-selected={id === value}
              aria-controls={`${base}-panel`}
              tabIndex={id === value ? 0 : -1}
              onClick={() => onChange(id)}
              className={cx(
                "row-focus flex h-9 items-center gap-1.5 border-b-2 px-2 font-medium whitespace-nowrap",
                id === value ? "border-accent text-text" : "border-transparent text-muted hover:text-text",
              )}
            >
              {text}
              {count !== undefined && <span className="text-xs font-normal text-faint">{count}</span>}
            </button>
          ))}
        </div>
        {extra}
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls */}
      <div
        id={`${base}-panel`}
        role="tabpanel"
        aria-labelledby={`${base}-${value}`}
        tabIndex={0}
        className={cx("row-focus", panelClassName)}
      >
        {children}
      </div>
    </>
  );
}
