import { Lock } from "lucide-react";
import type { ReactNode } from "react";
import { commandText } from "../../../src/operator/twins.ts";
import { CommandTwin } from "../../parts/command-twin.tsx";

export interface NotAllowedProps {
  readonly scope: string;
  /** The words of the command that settles it. */
  readonly command: readonly string[];
}

/** In place of buttons: why there are none, and who can do it. */
export function NotAllowed({ scope, command }: NotAllowedProps): ReactNode {
  return (
    <div className="flex w-full min-w-0 flex-wrap items-center gap-2 text-muted">
      <Lock aria-hidden size={14} className="shrink-0" />
      <span>This session has no scope {scope}. Somebody at the gateway's machine can:</span>
      <div className="min-w-48 flex-1">
        <CommandTwin command={commandText(command)} />
      </div>
    </div>
  );
}
