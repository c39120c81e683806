import type { ReactNode } from "react";
import { cx } from "./class-names.ts";
import { useTabTitle } from "./tab-title.ts";

export interface PageProps {
  readonly title: ReactNode;
  /** Of the browser's tab, where the title is more than a text. */
  readonly tabTitle?: string;
  /** Beside the title: a count, a status. */
  readonly aside?: ReactNode;
  /** Buttons at the right. */
  readonly actions?: ReactNode;
  /** Above the title: where this is, as links. */
  readonly crumbs?: ReactNode;
  readonly children: ReactNode;
}

/** A screen: a head of one line, and the rest of the height. Lists scroll by themselves; put text into a `PageBody`. */
export function Page({ title, tabTitle, aside, actions, crumbs, children }: PageProps): ReactNode {
  useTabTitle(tabTitle ?? (typeof title === "string" ? title : undefined));
  return (
    <div className="flex h-full min-h-0 flex-col">
      <header className="flex min-h-11 shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-1.5 max-sm:px-3">
        {crumbs !== undefined && <div className="flex min-w-0 items-center gap-1.5 text-muted">{crumbs}</div>}
        <h1 className="min-w-0 truncate text-base">{title}</h1>
        {aside !== undefined && <div className="flex min-w-0 items-center gap-2 text-muted">{aside}</div>}
        {actions !== undefined && (
          <div className="ml-auto flex flex-wrap items-center gap-1.5">{actions}</div>
        )}
      </header>
      {children}
    </div>
  );
}

export interface PageBodyProps {
  readonly className?: string;
  /** What it is, where nothing in it can have the focus: it is then reached with Tab, and scrolls with the arrow keys. */
  readonly label?: string;
  readonly children: ReactNode;
}

/** What scrolls as a whole. */
export function PageBody({ className, label, children }: PageBodyProps): ReactNode {
  const reached = label === undefined ? {} : { role: "region", "aria-label": label, tabIndex: 0 };
  return (
    <div
      {...reached}
      className={cx("row-focus min-h-0 flex-1 overflow-auto px-4 py-4 max-sm:px-3", className)}
    >
      {children}
    </div>
  );
}

export interface SectionProps {
  readonly title: ReactNode;
  readonly aside?: ReactNode;
  readonly actions?: ReactNode;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A part of a screen under a small heading; a line above it, no card around it. */
export function Section({ title, aside, actions, className, children }: SectionProps): ReactNode {
  return (
    <section className={cx("min-w-0", className)}>
      <header className="mb-2 flex min-h-6 items-center gap-2">
        <h2 className="text-sm">{title}</h2>
        {aside !== undefined && <span className="text-faint">{aside}</span>}
        {actions !== undefined && <div className="ml-auto flex items-center gap-1.5">{actions}</div>}
      </header>
      {children}
    </section>
  );
}

export interface Fact {
  readonly term: string;
  /** Undefined leaves the row out. */
  readonly value: ReactNode;
}

/** Names and values, in two columns. */
export function Facts({
  facts,
  className,
}: {
  readonly facts: readonly Fact[];
  readonly className?: string;
}): ReactNode {
  return (
    <dl className={cx("grid grid-cols-[minmax(6rem,max-content)_minmax(0,1fr)] gap-x-4 gap-y-1", className)}>
      {facts
        .filter(({ value }) => value !== undefined && value !== null)
        .map(({ term, value }) => (
          <div key={term} className="contents">
            <dt className="text-muted">{term}</dt>
            <dd className="foreign min-w-0">{value}</dd>
          </div>
        ))}
    </dl>
  );
}
