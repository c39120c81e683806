import { Link, useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { toolErrorOf } from "../../api/api-error.ts";
import { useAsk } from "../../api/queries.ts";
import { useSession } from "../../api/session.ts";
import { twinText } from "../../api/twin.ts";
import { CommandTwin } from "../../parts/command-twin.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { Page } from "../../parts/page.tsx";
import { SkeletonRows } from "../../parts/skeleton.tsx";
import { StatusBadge } from "../../parts/status.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { useUrlSearch } from "../../parts/url-search.ts";
import { Visible } from "../../parts/visible.tsx";
import { NextRetry } from "../servers/next-retry.tsx";
import { heldPins, type Pin } from "./pins.ts";
import type { Search } from "./search.ts";
import { ServerActions } from "./server-actions.tsx";
import { ServerCalls } from "./server-calls.tsx";
import type { ServerDetails } from "./server-details.ts";
import { useNeighbours } from "./server-neighbours.ts";
import { ServerOverview } from "./server-overview.tsx";
import { ServerPins } from "./server-pins.tsx";
import { ServerTools } from "./server-tools.tsx";

/** No event tells that a program wrote a line or needs more memory; who looks at them sees them so late at most. */
const OUTPUT_MS = 2_000;

/** One server: how it is, what it offers, what was called. */
export function Server(): ReactNode {
  const { server: id } = useParams({ from: "/servers/$server" });
  const [{ tab }] = useUrlSearch<Search>();
  const asked = useAsk(
    "getServer",
    { params: { server: id } },
    tab === undefined ? { refetchMs: OUTPUT_MS } : {},
  );
  const { limited, profile } = useSession();
  const isWhole = !limited && profile === null;
  // Before a server was first listed nothing of it is on record, and asking would be an error.
  const isListed = asked.data?.toolCount !== undefined;
  const pins = useAsk("listPins", { query: { server: id, all: "true" } }, { enabled: isWhole && isListed });
  const known = isListed && isWhole && !pins.isError ? pins.data?.pins : [];
  useNeighbours(id);
  const server = asked.data;
  return (
    <Page
      crumbs={
        <>
          <Link to="/servers" className="hover:text-text">
            Servers
          </Link>
          <span aria-hidden>/</span>
        </>
      }
      title={<Visible text={id} />}
      tabTitle={id}
      aside={server !== undefined && <State server={server} />}
      actions={server !== undefined && <ServerActions server={server} />}
    >
      {asked.isError && (
        <ErrorState
          title="This server cannot be shown"
          error={toolErrorOf(asked.error)}
          command={twinText("listServers") ?? ""}
          onRetry={() => void asked.refetch()}
        />
      )}
      {asked.isPending && <SkeletonRows rows={12} />}
      {server !== undefined && !asked.isError && <ServerTabs server={server} pins={known} />}
    </Page>
  );
}

function State({ server: { state, retry_in_ms } }: { readonly server: ServerDetails }): ReactNode {
  return (
    <>
      <StatusBadge state={state} />
      <NextRetry inMs={retry_in_ms} />
    </>
  );
}

const TABS = ["overview", "tools", "pins", "calls"] as const;
type TabId = (typeof TABS)[number];

function ServerTabs({
  server,
  pins,
}: {
  readonly server: ServerDetails;
  readonly pins: readonly Pin[] | undefined;
}): ReactNode {
  const [search, change] = useUrlSearch<Search>();
  const value = TABS.find((tab) => tab === search.tab) ?? "overview";
  const held = heldPins(pins ?? []).length;
  return (
    <Tabs<TabId>
      label="About the server"
      value={value}
      onChange={(tab) =>
        change({
          tab: tab === "overview" ? undefined : tab,
          text: undefined,
          status: undefined,
          pin: undefined,
        })
      }
      tabs={[
        { id: "overview", label: "Overview" },
        { id: "tools", label: "Tools", count: server.tools.length },
        { id: "pins", label: held === 0 ? "Pins" : `Pins, ${held} held`, count: pins?.length },
        { id: "calls", label: "Last calls" },
      ]}
      extra={
        value !== "pins" && (
          <div className="w-64 max-md:hidden">
            <CommandTwin command={twinText("getServer", { params: { server: server.id } }) ?? ""} />
          </div>
        )
      }
      panelClassName={value === "overview" ? "min-h-0 flex-1 overflow-auto" : "flex min-h-0 flex-1 flex-col"}
    >
      {value === "tools" && <ServerTools server={server} />}
      {value === "pins" && <ServerPins server={server.id} pins={pins} />}
      {value === "calls" && <ServerCalls server={server} />}
      {value === "overview" && <ServerOverview server={server} />}
    </Tabs>
  );
}
