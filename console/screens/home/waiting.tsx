import { Link } from "@tanstack/react-router";
import { CircleCheck } from "lucide-react";
import type { ReactNode } from "react";
import { StatusDot } from "../../parts/status.tsx";
import { formatNumber } from "../../parts/format.ts";
import { KIND_WORDS, WAITING_KINDS, type WaitingKind } from "../../parts/waiting-kinds.ts";
import type { Status } from "./status.ts";

/** What waits for a person: one link into the inbox for each kind. */
export function Waiting({ waiting }: Pick<Status, "waiting">): ReactNode {
  const kinds = WAITING_KINDS.flatMap((kind) => {
    const count = waiting.find((each) => each.kind === kind)?.count ?? 0;
    return count === 0 ? [] : [{ kind, count }];
  });
  if (kinds.length === 0) {
    return (
      <p className="flex items-center gap-2 text-muted">
        <CircleCheck aria-hidden size={16} className="text-ok" />
        Nothing waits for you.
      </p>
    );
  }
  return (
    <ul className="flex flex-wrap gap-2">
      {kinds.map(({ kind, count }) => (
        <li key={kind}>
          <WaitingLink kind={kind} count={count} />
        </li>
      ))}
    </ul>
  );
}

function WaitingLink({ kind, count }: { readonly kind: WaitingKind; readonly count: number }): ReactNode {
  return (
    <Link
      to="/inbox"
      search={{ kind }}
      className="flex h-9 items-center gap-2 rounded-md border border-line-strong px-3 hover:bg-hover"
    >
      <StatusDot state={kind}>{KIND_WORDS[kind].title}</StatusDot>
      <span className="text-base font-semibold">{formatNumber(count)}</span>
    </Link>
  );
}
