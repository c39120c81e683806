import { Code, TriangleAlert, Workflow } from "lucide-react";
import type { ReactNode } from "react";
import { Badge } from "../../parts/badge.tsx";
import { countOf } from "../../parts/format.ts";
import { Count } from "../../parts/quantity.tsx";
import type { Column } from "../../parts/table-types.ts";
import { Time } from "../../parts/time.tsx";
import { Visible } from "../../parts/visible.tsx";
import { hasDrift, percentOf, successShare, type LibraryItem } from "./library-filter.ts";

/** Longer ones are whole on the item's own page. */
const SHOWN_LENGTH = 240;
const TAGS_SHOWN = 3;

export const LIBRARY_COLUMNS: readonly Column<LibraryItem>[] = [
  { id: "name", title: "Name", width: "minmax(9rem, 2fr)", cell: (item) => <NameCell item={item} /> },
  { id: "kind", title: "Kind", width: "6.5rem", from: "sm", cell: ({ kind }) => <Kind kind={kind} /> },
  {
    id: "tags",
    title: "Tags",
    width: "minmax(6rem, 1fr)",
    from: "md",
    cell: ({ tags }) => <Tags tags={tags} />,
  },
  {
    id: "version",
    title: "Version",
    width: "4rem",
    align: "end",
    from: "sm",
    cell: ({ version }) => `v${version}`,
  },
  {
    id: "uses",
    title: "Uses",
    width: "4rem",
    align: "end",
    cell: (item) => <Count value={item.usage_count} compact />,
  },
  { id: "success", title: "Went well", width: "5rem", align: "end", cell: (item) => <Share item={item} /> },
  {
    id: "used",
    title: "Last used",
    width: "5.5rem",
    align: "end",
    from: "sm",
    cell: (item) =>
      item.last_used_at === null ? (
        <span className="text-faint">Never</span>
      ) : (
        <Time at={item.last_used_at} />
      ),
  },
];

function NameCell({ item }: { readonly item: LibraryItem }): ReactNode {
  const { name, description, changed_tools = [], listed = true } = item;
  return (
    <div className="min-w-0">
      <div className="flex items-center gap-2">
        <span className="truncate font-medium">
          <Visible text={name} max={SHOWN_LENGTH} />
        </span>
        {hasDrift(item) && (
          <Badge
            tone="wait"
            icon={TriangleAlert}
            title={`Changed since it was saved: ${changed_tools.join(", ")}`}
          >
            {countOf(changed_tools.length, "tool")} changed
          </Badge>
        )}
      </div>
      <div className="truncate text-xs text-muted">
        {!listed && "Not in the list of tools. "}
        <Visible text={description} max={SHOWN_LENGTH} />
      </div>
    </div>
  );
}

function Kind({ kind }: { readonly kind: LibraryItem["kind"] }): ReactNode {
  const Icon = kind === "code" ? Code : Workflow;
  return (
    <span className="inline-flex items-center gap-1.5 align-top text-muted">
      <Icon aria-hidden size={14} />
      {kind === "code" ? "Code" : "Workflow"}
    </span>
  );
}

function Tags({ tags }: { readonly tags: readonly string[] }): ReactNode {
  return (
    <span className="flex gap-1" title={tags.join(", ")}>
      {tags.slice(0, TAGS_SHOWN).map((tag) => (
        <Badge key={tag}>
          <Visible text={tag} max={40} />
        </Badge>
      ))}
      {tags.length > TAGS_SHOWN && <span className="text-xs text-faint">+{tags.length - TAGS_SHOWN}</span>}
    </span>
  );
}

function Share({ item }: { readonly item: LibraryItem }): ReactNode {
  const share = successShare(item);
  if (share === undefined) return <span className="text-faint">–</span>;
  const title = `${item.success_count} of ${countOf(item.usage_count, "use")}`;
  return (
    <span title={title} className={share < 1 ? "text-wait" : undefined}>
      {percentOf(share)}
    </span>
  );
}
