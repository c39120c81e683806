import { Link } from "@tanstack/react-router";
import { Activity } from "lucide-react";
import type { ReactNode } from "react";
import { buttonClass } from "../../parts/button.tsx";
import { EmptyState, NothingFits } from "../../parts/empty-state.tsx";

export function EmptyRuns({
  isFiltered,
  onClear,
}: {
  readonly isFiltered: boolean;
  readonly onClear: () => void;
}): ReactNode {
  if (isFiltered) return <NothingFits icon={Activity} title="No run fits the filters" onClear={onClear} />;
  return (
    <EmptyState
      icon={Activity}
      title="No runs yet"
      command="repertoire run hello.ts"
      actions={
        <Link to="/code" className={buttonClass("primary")}>
          Write code
        </Link>
      }
    >
      A run is one execution of code, a workflow or a library item. A client starts one with the tool{" "}
      <code className="font-mono text-xs">execute</code>; you can start one from the code screen or a file.
    </EmptyState>
  );
}
