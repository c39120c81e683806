import { Inbox as InboxIcon } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "../../parts/button.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";

export interface EmptyInboxProps {
  readonly kind: string | undefined;
  readonly onClear: () => void;
}

export function EmptyInbox({ kind, onClear }: EmptyInboxProps): ReactNode {
  if (kind !== undefined) {
    return (
      <EmptyState
        icon={InboxIcon}
        title="Nothing of this kind waits"
        actions={<Button onClick={onClear}>Show everything</Button>}
      />
    );
  }
  return (
    <EmptyState icon={InboxIcon} title="Nothing waits for you" command="repertoire rules">
      Calls that a rule asks about, tools that have changed, calls without an answer, missing inputs and
      logins appear here. A rule with <code className="font-mono text-xs">"do": "ask"</code> stops a call
      until you approve it.
    </EmptyState>
  );
}
