import { PackageOpen, ShieldAlert, ShieldX } from "lucide-react";
import type { ReactNode } from "react";
import { Badge } from "../../parts/badge.tsx";
import { countOf } from "../../parts/format.ts";
import { Count } from "../../parts/quantity.tsx";
import { StatusDot } from "../../parts/status.tsx";
import type { Column } from "../../parts/table-types.ts";
import { Visible } from "../../parts/visible.tsx";
import { NextRetry } from "./next-retry.tsx";
import { reasonOf, transportOf, type ServerRow } from "./server-reason.ts";

/** Longer ones are whole on the server's own page. */
const SHOWN_LENGTH = 240;

export const SERVER_COLUMNS: readonly Column<ServerRow>[] = [
  { id: "id", title: "Server", width: "minmax(8rem, 1.4fr)", cell: (server) => <NameCell server={server} /> },
  {
    id: "state",
    title: "State",
    width: "minmax(8rem, 1.4fr)",
    cell: (server) => <StateCell server={server} />,
  },
  {
    id: "notes",
    title: "Notes",
    width: "minmax(6rem, 1fr)",
    from: "md",
    cell: (server) => <Notes server={server} />,
  },
  { id: "transport", title: "Transport", width: "5rem", from: "md", cell: (server) => transportOf(server) },
  {
    id: "era",
    title: "Protocol",
    width: "6.5rem",
    from: "md",
    cell: (server) => <Protocol server={server} />,
  },
  {
    id: "connect",
    title: "Connect",
    width: "5rem",
    align: "end",
    from: "lg",
    cell: ({ connectMs }) =>
      connectMs === undefined ? <span className="text-faint">–</span> : `${Math.ceil(connectMs)} ms`,
  },
  {
    id: "tools",
    title: "Tools",
    width: "3.5rem",
    align: "end",
    cell: ({ toolCount }) => <Count value={toolCount} />,
  },
];

function NameCell({ server: { id, target } }: { readonly server: ServerRow }): ReactNode {
  return (
    <div className="min-w-0">
      <div className="truncate font-medium">
        <Visible text={id} />
      </div>
      <div className="truncate font-mono text-2xs text-muted" title={target}>
        <Visible text={target} max={SHOWN_LENGTH} />
      </div>
    </div>
  );
}

function StateCell({ server }: { readonly server: ServerRow }): ReactNode {
  const reason = reasonOf(server);
  return (
    <div className="min-w-0">
      <div className="flex min-w-0 items-center gap-2">
        <StatusDot state={server.state} />
        <NextRetry inMs={server.retry_in_ms} />
      </div>
      {reason !== undefined && (
        <div className="truncate text-xs text-muted first-letter:uppercase" title={reason}>
          <Visible text={reason} max={SHOWN_LENGTH} />
        </div>
      )}
    </div>
  );
}

function Notes({ server: { findings, rejected, unpinned } }: { readonly server: ServerRow }): ReactNode {
  return (
    <span className="flex flex-wrap gap-1">
      {findings.length > 0 && (
        <Badge tone="wait" icon={ShieldAlert} title="Texts that look like an attack">
          {countOf(findings.length, "finding")}
        </Badge>
      )}
      {rejected.length > 0 && (
        <Badge tone="fail" icon={ShieldX} title="Entries that are not let in">
          {rejected.length} rejected
        </Badge>
      )}
      {unpinned !== undefined && (
        <Badge
          tone="wait"
          icon={PackageOpen}
          title={`${unpinned} has no exact version: each start may run another program`}
        >
          Unpinned
        </Badge>
      )}
    </span>
  );
}

function Protocol({ server: { era, protocolVersion } }: { readonly server: ServerRow }): ReactNode {
  if (era === undefined && protocolVersion === undefined) return <span className="text-faint">–</span>;
  return <span title={era}>{protocolVersion ?? era}</span>;
}
