import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { CommandTwin } from "./command-twin.tsx";

export interface EmptyStateProps {
  readonly icon?: LucideIcon;
  /** What is not there: "No runs yet". */
  readonly title: string;
  /** What fills it, in a sentence or two. */
  readonly children?: ReactNode;
  /** The command that does it. */
  readonly command?: string;
  /** Buttons or links. */
  readonly actions?: ReactNode;
}

/** Nothing is here: it teaches the next step. */
export function EmptyState({ icon: Icon, title, children, command, actions }: EmptyStateProps): ReactNode {
  return (
    <div className="mx-auto flex max-w-md flex-col items-center gap-2 px-4 py-14 text-center">
      {Icon !== undefined && <Icon aria-hidden size={22} strokeWidth={1.5} className="mb-1 text-faint" />}
      <h2 className="text-base">{title}</h2>
      {children !== undefined && <div className="text-pretty text-muted">{children}</div>}
      {command !== undefined && (
        <div className="mt-2 w-full max-w-sm text-left">
          <CommandTwin command={command} />
        </div>
      )}
      {actions !== undefined && <div className="mt-2 flex flex-wrap justify-center gap-2">{actions}</div>}
    </div>
  );
}

interface NothingFitsProps extends Pick<EmptyStateProps, "icon" | "title" | "children"> {
  readonly onClear: () => void;
}

/** There are entries, and the filters leave all of them out. */
export function NothingFits({ onClear, ...shown }: NothingFitsProps): ReactNode {
  return <EmptyState {...shown} actions={<Button onClick={onClear}>Clear the filters</Button>} />;
}
