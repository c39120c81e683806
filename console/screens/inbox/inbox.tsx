import { useState, type ReactNode } from "react";
import { toolErrorOf } from "../../api/api-error.ts";
import { useAsk } from "../../api/queries.ts";
import { twinText } from "../../api/twin.ts";
import { CommandTwin } from "../../parts/command-twin.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { countOf } from "../../parts/format.ts";
import { useKeys } from "../../parts/keys.ts";
import { Page } from "../../parts/page.tsx";
import { SkeletonRows } from "../../parts/skeleton.tsx";
import { useUrlSearch } from "../../parts/url-search.ts";
import { useIsWide } from "../../parts/viewport.ts";
import { EmptyInbox } from "./empty-inbox.tsx";
import { InboxLayout } from "./inbox-layout.tsx";
import { KindFilter } from "./kind-filter.tsx";
import type { Search } from "./search.ts";
import { SettledRun, type Settled } from "./settled-run.tsx";
import { useShownItem } from "./shown-item.ts";
import { groupItems, keyOfItem, neighbourOf, type WaitingItem } from "./waiting-items.ts";

export function Inbox(): ReactNode {
  const [search, change] = useUrlSearch<Search>();
  const inbox = useAsk("listInbox", {});
  const items = inbox.data?.items ?? [];
  return (
    <Page
      title="Inbox"
      aside={inbox.data === undefined ? undefined : countOf(items.length, "item waits", "items wait")}
      actions={
        <div className="w-56 max-md:hidden">
          <CommandTwin command={twinText("listInbox") ?? ""} />
        </div>
      }
    >
      {items.length > 0 && (
        <KindFilter items={items} kind={search.kind} onChange={(kind) => change({ kind, open: undefined })} />
      )}
      {inbox.isPending && <SkeletonRows rows={8} />}
      {inbox.isError && inbox.data === undefined && (
        <ErrorState error={toolErrorOf(inbox.error)} onRetry={() => void inbox.refetch()} />
      )}
      {inbox.data !== undefined && <Waiting items={items} search={search} change={change} />}
    </Page>
  );
}

interface WaitingProps {
  readonly items: readonly WaitingItem[];
  readonly search: Search;
  readonly change: (patch: Partial<Search>) => void;
}

/** The list and what is open beside it. An item leaves when the gateway says that it no longer waits. */
function Waiting({ items, search, change }: WaitingProps): ReactNode {
  const isWide = useIsWide("sm");
  const [settled, setSettled] = useState<Settled>();
  const groups = groupItems(items, search.kind?.split(","));
  const ordered = groups.flatMap((group) => group.items);
  const shown = useShownItem(ordered, search.open, isWide);
  const open = (item: WaitingItem | undefined) => change({ open: item && keyOfItem(item) });
  const move = (step: 1 | -1) => open(neighbourOf(ordered, shown && keyOfItem(shown), step));
  useKeys({
    j: { label: "Next item", group: "Inbox", run: () => move(1) },
    k: { label: "Item before", group: "Inbox", run: () => move(-1) },
    "]": { label: "Next item", group: "Inbox", hidden: true, run: () => move(1) },
    "[": { label: "Item before", group: "Inbox", hidden: true, run: () => move(-1) },
  });
  useKeys(
    { Escape: { label: "Close the item", group: "Inbox", run: () => open(undefined) } },
    !isWide && shown !== undefined,
  );
  return (
    <>
      {settled !== undefined && (
        <SettledRun key={settled.question} settled={settled} onClose={() => setSettled(undefined)} />
      )}
      {ordered.length === 0 ? (
        <EmptyInbox kind={search.kind} onClear={() => change({ kind: undefined })} />
      ) : (
        <InboxLayout groups={groups} shown={shown} onOpen={open} onSettled={setSettled} isWide={isWide} />
      )}
    </>
  );
}
