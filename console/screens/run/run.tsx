import { Link, useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { toolErrorOf } from "../../api/api-error.ts";
import { useAsk } from "../../api/queries.ts";
import { ErrorState } from "../../parts/error-state.tsx";
import { Page } from "../../parts/page.tsx";
import { Skeleton, SkeletonRows } from "../../parts/skeleton.tsx";
import { useUrlSearch } from "../../parts/url-search.ts";
import { Visible } from "../../parts/visible.tsx";
import { RunActions } from "./actions/run-actions.tsx";
import { RunFacts } from "./head/run-facts.tsx";
import { RunNotices } from "./head/run-notices.tsx";
import { RunTabs } from "./run-tabs.tsx";
import { titleOf, type RunHead } from "./run-view.ts";
import type { Search } from "./search.ts";

/** One run: what it is, what it needs, and everything that it did. */
export function Run(): ReactNode {
  const { run } = useParams({ from: "/runs/$run" });
  // Another run is another page: nothing that was opened or begun in one belongs to the next.
  return <RunScreen key={run} run={run} />;
}

function RunScreen({ run }: { readonly run: string }): ReactNode {
  const asked = useAsk("getRun", { params: { run } });
  if (asked.data !== undefined) return <RunPage head={asked.data} />;
  return (
    <Page title={run} crumbs={<RunsLink />}>
      {asked.isError ? (
        <ErrorState
          error={toolErrorOf(asked.error)}
          command="repertoire runs"
          onRetry={() => void asked.refetch()}
        />
      ) : (
        <>
          <div className="flex h-9 items-center gap-3 border-b border-line px-4">
            <Skeleton className="h-5 w-24" />
            <Skeleton className="h-3 w-80" />
          </div>
          <SkeletonRows rows={12} label="Loading the run" />
        </>
      )}
    </Page>
  );
}

/** More of a title is not read; the whole is in the tab's title. */
const TITLE_MAX = 160;

function RunPage({ head }: { readonly head: RunHead }): ReactNode {
  const [search, setSearch] = useUrlSearch<Search>();
  const title = titleOf(head);
  return (
    <Page
      title={<Visible text={title} max={TITLE_MAX} />}
      tabTitle={title.slice(0, TITLE_MAX)}
      crumbs={<RunsLink />}
      actions={<RunActions head={head} />}
    >
      <div className="flex min-h-0 flex-1 flex-col max-sm:overflow-y-auto">
        <RunFacts head={head} />
        <RunNotices head={head} />
        <RunTabs head={head} search={search} onSearch={setSearch} />
      </div>
    </Page>
  );
}

function RunsLink(): ReactNode {
  return (
    <>
      <Link to="/runs" className="hover:text-text">
        Runs
      </Link>
      <span aria-hidden className="text-faint">
        /
      </span>
    </>
  );
}
