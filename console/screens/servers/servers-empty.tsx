import { Plus, SearchX, Server } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "../../parts/button.tsx";
import { EmptyState, NothingFits } from "../../parts/empty-state.tsx";

export interface ServersEmptyProps {
  readonly isFiltered: boolean;
  readonly onClear: () => void;
  /** Undefined where who looks may not add any. */
  readonly onAdd: (() => void) | undefined;
}

/** No server is configured, or none fits the filters. */
export function ServersEmpty({ isFiltered, onClear, onAdd }: ServersEmptyProps): ReactNode {
  if (isFiltered) return <NothingFits icon={SearchX} title="No server fits" onClear={onClear} />;
  return (
    <EmptyState
      icon={Server}
      title="No servers yet"
      command="repertoire add everything -- npx -y @modelcontextprotocol/server-everything"
      actions={
        onAdd !== undefined && (
          <Button look="primary" icon={Plus} onClick={onAdd}>
            Add a server
          </Button>
        )
      }
    >
      A server gives your clients tools. Paste what its README shows, or import what your other clients have
      with <code className="font-mono text-xs">repertoire init</code>.
    </EmptyState>
  );
}
