import { ChevronDown, ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import { EffectMark } from "../../parts/effect-mark.tsx";
import { formatNumber } from "../../parts/format.ts";
import { StatusDot } from "../../parts/status.tsx";
import type { Column } from "../../parts/table-types.ts";
import { Visible } from "../../parts/visible.tsx";
import type { ListRow, ToolGroup, ToolRow } from "./tool-groups.ts";

/** In a row; the whole is on the tool's own screen. */
const DESCRIPTION_LENGTH_MAX = 240;

/** The head of a group is in the first columns of its row. */
export function columnsOf(onFold: (key: string) => void): readonly Column<ListRow>[] {
  return [
    {
      id: "name",
      title: "Tool",
      width: "minmax(9rem, 17rem)",
      cell: (row) =>
        row.row === "group" ? (
          <GroupHead group={row.group} isClosed={row.isClosed} onFold={() => onFold(row.group.key)} />
        ) : (
          <ToolName tool={row.tool} />
        ),
    },
    {
      id: "description",
      title: "What it does",
      width: "minmax(10rem, 1fr)",
      from: "sm",
      cell: (row) =>
        row.row === "group" ? <GroupNote group={row.group} /> : <Description tool={row.tool} />,
    },
    {
      id: "effect",
      title: "Effect",
      width: "7rem",
      cell: (row) => (row.row === "group" ? null : <EffectMark effect={row.tool.effect} />),
    },
    {
      id: "listed",
      title: "Clients",
      width: "6rem",
      from: "md",
      cell: (row) => (row.row === "group" ? null : <ListedMark listed={row.tool.listed} />),
    },
  ];
}

interface GroupHeadProps {
  readonly group: ToolGroup;
  readonly isClosed: boolean;
  readonly onFold: () => void;
}

function GroupHead({ group, isClosed, onFold }: GroupHeadProps): ReactNode {
  const Icon = isClosed ? ChevronRight : ChevronDown;
  return (
    <button
      type="button"
      tabIndex={-1}
      aria-expanded={!isClosed}
      onClick={onFold}
      className="flex w-full min-w-0 items-center gap-1.5 text-left font-medium"
    >
      <Icon aria-hidden size={14} className="shrink-0 text-muted" />
      <span className="truncate">
        <Visible text={group.title} max={100} />
      </span>
      <span className="font-normal text-muted">{formatNumber(group.tools.length)}</span>
    </button>
  );
}

function GroupNote({ group: { state, reason } }: { readonly group: ToolGroup }): ReactNode {
  if (state === undefined) return null;
  return (
    <StatusDot state={state}>
      <Visible text={reason} max={DESCRIPTION_LENGTH_MAX} />
    </StatusDot>
  );
}

/** The part after the server, which the head of the group has. */
function ToolName({ tool: { written, server } }: { readonly tool: ToolRow }): ReactNode {
  const own =
    server !== undefined && written.startsWith(`${server}.`) ? written.slice(server.length + 1) : written;
  return (
    <span className="block truncate pl-5 font-mono text-xs" title={written}>
      <Visible text={own} max={120} />
    </span>
  );
}

export function Description({ tool: { description } }: { readonly tool: ToolRow }): ReactNode {
  const line = description.replaceAll(/\s+/g, " ").trim();
  if (line === "") return <span className="text-faint">No description</span>;
  return (
    <span className="text-muted">
      <Visible text={line} max={DESCRIPTION_LENGTH_MAX} />
    </span>
  );
}

/** Whether clients have it in their list, or find it by searching. */
export function ListedMark({ listed }: { readonly listed: boolean }): ReactNode {
  return listed ? (
    <span title="Clients have it in their list">Listed</span>
  ) : (
    <span className="text-faint" title="Clients find it by searching; it costs no tokens before that">
      By search
    </span>
  );
}
