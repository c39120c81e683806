import { Link } from "@tanstack/react-router";
import { Library as LibraryIcon, SearchX } from "lucide-react";
import type { ReactNode } from "react";
import { buttonClass } from "../../parts/button.tsx";
import { EmptyState, NothingFits } from "../../parts/empty-state.tsx";

export interface LibraryEmptyProps {
  readonly isFiltered: boolean;
  readonly onClear: () => void;
}

/** Nothing was saved yet, or nothing fits the filters. */
export function LibraryEmpty({ isFiltered, onClear }: LibraryEmptyProps): ReactNode {
  if (isFiltered) {
    return (
      <NothingFits icon={SearchX} title="Nothing in the library fits" onClear={onClear}>
        A pattern is part of a name, a description or a tag, or a glob such as{" "}
        <code className="font-mono text-xs">math:*</code>.
      </NothingFits>
    );
  }
  return (
    <EmptyState
      icon={LibraryIcon}
      title="Nothing is saved yet"
      command="repertoire save DRAFT namespace:action --description 'What it does'"
      actions={
        <>
          <Link to="/code" className={buttonClass("primary")}>
            Write code
          </Link>
          <Link to="/runs" className={buttonClass()}>
            Save what a run executed
          </Link>
        </>
      }
    >
      Run something under Code, or let a client run it with <code className="font-mono text-xs">execute</code>
      . What worked is a draft: save it under a name, and it is a tool for every client.
    </EmptyState>
  );
}
