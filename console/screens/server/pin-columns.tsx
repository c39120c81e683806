import { countOf } from "../../parts/format.ts";
import { StatusDot } from "../../parts/status.tsx";
import type { Column } from "../../parts/table-types.ts";
import { Time } from "../../parts/time.tsx";
import { Visible } from "../../parts/visible.tsx";
import { pinName, type Pin } from "./pins.ts";

export const PIN_COLUMNS: readonly Column<Pin>[] = [
  { id: "status", title: "Status", width: "6.5rem", cell: ({ status }) => <StatusDot state={status} /> },
  {
    id: "name",
    title: "Definition",
    width: "minmax(8rem, 1.5fr)",
    cell: (pin) => (
      <span className="font-mono text-xs">
        <Visible text={pinName(pin)} max={200} />
      </span>
    ),
  },
  {
    id: "kind",
    title: "Kind",
    width: "6rem",
    from: "md",
    cell: ({ kind }) => <span className="text-muted">{kind}</span>,
  },
  {
    id: "changes",
    title: "Changes",
    width: "6rem",
    from: "sm",
    cell: ({ changes }) =>
      changes.length === 0 ? <span className="text-faint">–</span> : countOf(changes.length, "change"),
  },
  {
    id: "by",
    title: "Approved by",
    width: "minmax(6rem, 1fr)",
    from: "md",
    cell: ({ approved_by }) =>
      approved_by === null ? <span className="text-faint">–</span> : <Visible text={approved_by} max={100} />,
  },
  {
    id: "at",
    title: "Approved",
    width: "5.5rem",
    align: "end",
    cell: ({ approved_at }) => <Time at={approved_at} />,
  },
];
