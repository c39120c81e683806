import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { countOf } from "../../parts/format.ts";
import { StatusDot, wordOf } from "../../parts/status.tsx";
import { Visible } from "../../parts/visible.tsx";
import type { Status } from "./status.ts";

/** What a person should look at comes first. */
const ORDER = [
  "failed",
  "unusable",
  "needs_input",
  "untrusted",
  "starting",
  "connecting",
  "ready",
  "idle",
  "disabled",
];
/** More of one state are a number. */
const NAMES_MAX = 8;

/** The servers by their state, with their names. */
export function ServerStates({ servers }: Pick<Status, "servers">): ReactNode {
  const states = servers
    .filter(({ ids }) => ids.length > 0)
    .toSorted((one, other) => rankOf(one.state) - rankOf(other.state));
  if (states.length === 0) return <NoServers />;
  return (
    <ul className="divide-y divide-line">
      {states.map(({ state, ids }) => (
        <li key={state} className="grid grid-cols-[8.5rem_minmax(0,1fr)] gap-x-2 py-1.5">
          <Link to="/servers" search={{ state }} className="rounded-sm hover:underline">
            <StatusDot state={state}>{`${ids.length} ${wordOf(state).toLowerCase()}`}</StatusDot>
          </Link>
          <ServerNames ids={ids} />
        </li>
      ))}
    </ul>
  );
}

function ServerNames({ ids }: { readonly ids: readonly string[] }): ReactNode {
  const more = ids.length - NAMES_MAX;
  return (
    <span className="foreign min-w-0 text-muted">
      {ids.slice(0, NAMES_MAX).map((id, at) => (
        <span key={id}>
          {at > 0 && ", "}
          <Link
            to="/servers/$server"
            params={{ server: id }}
            className="rounded-sm text-text hover:underline"
          >
            <Visible text={id} max={60} />
          </Link>
        </span>
      ))}
      {more > 0 && ` and ${countOf(more, "more", "more")}`}
    </span>
  );
}

function NoServers(): ReactNode {
  return (
    <p className="text-muted">
      No server is configured.{" "}
      <Link to="/servers" search={{ add: "1" }} className="text-accent underline underline-offset-2">
        Add one
      </Link>
    </p>
  );
}

function rankOf(state: string): number {
  const rank = ORDER.indexOf(state);
  return rank === -1 ? ORDER.length : rank;
}
