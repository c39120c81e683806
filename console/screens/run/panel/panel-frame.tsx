import { X } from "lucide-react";
import type { ReactNode } from "react";
import { IconButton } from "../../../parts/button.tsx";

export interface PanelFrameProps {
  readonly title: ReactNode;
  readonly aside?: ReactNode;
  /** Without it, there is nothing to close. */
  readonly onClose?: (() => void) | undefined;
  readonly children: ReactNode;
}

/** What is beside the waterfall: a head of one line, and what scrolls. */
export function PanelFrame({ title, aside, onClose, children }: PanelFrameProps): ReactNode {
  return (
    <section aria-label="Detail" className="flex min-h-0 flex-1 flex-col">
      <header className="flex h-11 shrink-0 items-center gap-2 border-b border-line pr-2 pl-4">
        <h2 className="min-w-0 truncate">{title}</h2>
        {aside}
        {onClose !== undefined && (
          <span className="ml-auto">
            <IconButton icon={X} label="Close" shortcut="Esc" onClick={onClose} />
          </span>
        )}
      </header>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls */}
      <div
        tabIndex={0}
        role="region"
        aria-label="Content of the detail"
        className="row-focus min-h-0 flex-1 overflow-auto pb-4"
      >
        {children}
      </div>
    </section>
  );
}
