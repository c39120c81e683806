import { Link, useParams } from "@tanstack/react-router";
import { lazy, Suspense, type ReactNode } from "react";
import { toolErrorOf } from "../../api/api-error.ts";
import { useAsk } from "../../api/queries.ts";
import { twinText } from "../../api/twin.ts";
import { CommandTwin } from "../../parts/command-twin.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { Page } from "../../parts/page.tsx";
import { SkeletonRows } from "../../parts/skeleton.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { useUrlSearch } from "../../parts/url-search.ts";
import { Visible } from "../../parts/visible.tsx";
import { ItemActions } from "./item-actions.tsx";
import { currentVersionOf, type ItemDetails } from "./item-details.ts";
import { ItemHead, ItemMarks } from "./item-head.tsx";
import { useItemNeighbours } from "./item-neighbours.ts";
import { ItemOverview } from "./item-overview.tsx";
import { referenceOf } from "./item-reference.ts";
import { ItemRuns } from "./item-runs.tsx";
import { ItemSource } from "./item-source.tsx";
import { ItemTests } from "./item-tests.tsx";
import { ItemVersions } from "./item-versions.tsx";
import type { Search } from "./search.ts";

/** Forms and editors are a chunk of their own. */
const ItemRun = lazy(async () => ({ default: (await import("./item-run.tsx")).ItemRun }));

/** One item of the library; `name@2` in the address shows a version. */
export function Item(): ReactNode {
  const { name } = useParams({ from: "/library/$name" });
  const asked = useAsk("getItem", { params: { name } });
  useItemNeighbours(name);
  const item = asked.data;
  return (
    <Page
      crumbs={
        <>
          <Link to="/library" className="hover:text-text">
            Library
          </Link>
          <span aria-hidden>/</span>
        </>
      }
      title={<Visible text={item?.name ?? name} />}
      tabTitle={name}
      aside={item !== undefined && <ItemMarks item={item} />}
      actions={item !== undefined && <ItemActions item={item} />}
    >
      {asked.isError && (
        <ErrorState
          title="This item cannot be shown"
          error={toolErrorOf(asked.error)}
          onRetry={() => void asked.refetch()}
        />
      )}
      {asked.isPending && <SkeletonRows rows={12} />}
      {item !== undefined && !asked.isError && (
        <>
          <ItemHead item={item} />
          <ItemTabs item={item} />
        </>
      )}
    </Page>
  );
}

const TABS = ["overview", "source", "versions", "tests", "runs", "run"] as const;
type TabId = (typeof TABS)[number];

function ItemTabs({ item }: { readonly item: ItemDetails }): ReactNode {
  const name = item.version === currentVersionOf(item) ? item.name : referenceOf(item.name, item.version);
  const [search, change] = useUrlSearch<Search>();
  const value = TABS.find((tab) => tab === search.tab) ?? "overview";
  return (
    <Tabs<TabId>
      label="About the item"
      value={value}
      onChange={(tab) => change({ ...NO_FILTER, tab: tab === "overview" ? undefined : tab })}
      tabs={[
        { id: "overview", label: "Overview" },
        { id: "source", label: "Source" },
        { id: "versions", label: "Versions", count: item.versions.length },
        { id: "tests", label: "Tests" },
        { id: "runs", label: "Runs" },
        { id: "run", label: "Run it" },
      ]}
      extra={
        (value === "overview" || value === "source") && (
          <div className="w-64 max-md:hidden">
            <CommandTwin command={twinText("getItem", { params: { name } }) ?? ""} />
          </div>
        )
      }
      panelClassName={
        value === "runs" || value === "source"
          ? "flex min-h-0 flex-1 flex-col"
          : "min-h-0 flex-1 overflow-auto"
      }
    >
      <Suspense fallback={<SkeletonRows rows={6} />}>
        <Panel tab={value} item={item} />
      </Suspense>
    </Tabs>
  );
}

const NO_FILTER = { before: undefined, after: undefined, text: undefined, status: undefined };

function Panel({ tab, item }: { readonly tab: TabId; readonly item: ItemDetails }): ReactNode {
  switch (tab) {
    case "overview":
      return <ItemOverview item={item} />;
    case "source":
      return <ItemSource item={item} />;
    case "versions":
      return <ItemVersions item={item} />;
    case "tests":
      return <ItemTests key={item.name} item={item} />;
    case "runs":
      return <ItemRuns item={item} />;
    case "run":
      return <ItemRun key={`${item.name}@${item.version}`} item={item} />;
  }
}
