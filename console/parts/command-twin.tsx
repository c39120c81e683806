import type { ReactNode } from "react";
import { CopyButton } from "./copy-button.tsx";

/** The command that does the same, to copy: `repertoire resume r_1`. */
export function CommandTwin({ command }: { readonly command: string }): ReactNode {
  return (
    <div className="flex h-7 min-w-0 items-center gap-1 rounded-md bg-sunken pr-0.5 pl-2 font-mono text-xs text-muted inset-ring inset-ring-line">
      <span aria-hidden className="text-faint select-none">
        $
      </span>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls */}
      <code
        tabIndex={0}
        aria-label="The same on the command line"
        role="group"
        className="row-focus min-w-0 flex-1 overflow-x-auto whitespace-nowrap [scrollbar-width:none]"
      >
        {command}
      </code>
      <CopyButton text={command} label="Copy the command" />
    </div>
  );
}
