import type { ReactNode } from "react";
import { StatusBadge } from "../../parts/status.tsx";
import { Visible } from "../../parts/visible.tsx";
import { KIND_WORDS } from "../../parts/waiting-kinds.ts";
import type { WaitingItem } from "./waiting-items.ts";

export interface DetailFrameProps {
  readonly item: WaitingItem;
  /** The tool, server or run that it is about. */
  readonly title: string;
  /** Beside the kind: since when, until when. */
  readonly aside?: ReactNode;
  /** The buttons; they stay in sight. */
  readonly actions: ReactNode;
  readonly children: ReactNode;
}

/** What all details share: a head, the facts, and the buttons at the bottom. */
export function DetailFrame({ item, title, aside, actions, children }: DetailFrameProps): ReactNode {
  return (
    <article aria-label={KIND_WORDS[item.kind].title} className="flex min-h-full flex-col">
      <div className="flex-1 space-y-5 px-5 py-4 max-sm:px-3">
        <header>
          <div className="mb-1.5 flex flex-wrap items-center gap-x-3 gap-y-1 text-muted">
            <StatusBadge state={item.kind} />
            {aside}
          </div>
          <h2 className="foreign text-lg">
            <Visible text={title} />
          </h2>
        </header>
        {children}
      </div>
      <footer className="sticky bottom-0 flex flex-wrap items-center gap-2 border-t border-line bg-bg px-5 py-2.5 max-sm:px-3">
        {actions}
      </footer>
    </article>
  );
}
