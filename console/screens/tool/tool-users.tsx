import { Link } from "@tanstack/react-router";
import { LibraryBig } from "lucide-react";
import type { ReactNode } from "react";
import { useAsk } from "../../api/queries.ts";
import { EmptyState } from "../../parts/empty-state.tsx";
import { Visible } from "../../parts/visible.tsx";
import type { ToolDetails } from "./tool-details.ts";

/** The library items that call it: what breaks when it changes. */
export function ToolUsers({ tool: { used_by: users } }: { readonly tool: ToolDetails }): ReactNode {
  const library = useAsk("listLibrary", {}, { enabled: users.length > 0 });
  if (users.length === 0) {
    return (
      <EmptyState icon={LibraryBig} title="No library item uses it">
        What you save to the library and calls this tool is listed here. Before the tool changes, you see what
        that touches.
      </EmptyState>
    );
  }
  const items = new Map(library.data?.items.map((item) => [item.tool, item]));
  return (
    <ul className="max-w-3xl divide-y divide-line border-y border-line">
      {users.map((user) => (
        <li key={user}>
          <Link
            to="/library/$name"
            params={{ name: items.get(user)?.name ?? user }}
            className="row-focus grid gap-x-4 px-2 py-2 hover:bg-hover sm:grid-cols-[minmax(8rem,16rem)_minmax(0,1fr)]"
          >
            <span className="truncate font-mono text-xs font-medium">
              <Visible text={items.get(user)?.name ?? user} max={160} />
            </span>
            <span className="truncate text-muted">
              <Visible text={items.get(user)?.description ?? ""} max={240} />
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
