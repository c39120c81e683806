import { Lock } from "lucide-react";
import type { ReactNode } from "react";
import { EmptyState } from "../../parts/empty-state.tsx";

/** Said in place of what a session without the scope admin is not shown. */
export function NeedsAdmin({ what }: { readonly what: string }): ReactNode {
  return (
    <EmptyState
      icon={Lock}
      title={`${what} are shown to sessions with the scope admin`}
      command="repertoire console"
    >
      A link that the owner of the machine opens has it.
    </EmptyState>
  );
}
