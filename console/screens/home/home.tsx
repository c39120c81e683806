import { Link } from "@tanstack/react-router";
import { useEffect, useState, type ReactNode } from "react";
import { toolErrorOf } from "../../api/api-error.ts";
import { useAsk } from "../../api/queries.ts";
import { twinText } from "../../api/twin.ts";
import { CommandTwin } from "../../parts/command-twin.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { countOf } from "../../parts/format.ts";
import { Page, PageBody, Section } from "../../parts/page.tsx";
import { RunBars, RunLegend, sumOfRuns } from "../../parts/run-bars.tsx";
import { ClientsSeen } from "./clients-seen.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { HomeSkeleton } from "./home-skeleton.tsx";
import { LastCalls } from "./last-calls.tsx";
import { ServerStates } from "./server-states.tsx";
import { useFirstSteps } from "./shown-steps.ts";
import type { Status } from "./status.ts";
import { TokenCost } from "./token-cost.tsx";
import { Usage } from "./usage.tsx";
import { Waiting } from "./waiting.tsx";

const COUNTING_MS = 1_500;

export function Home(): ReactNode {
  const [isCounted, setCounted] = useState(false);
  // Tokens are counted once, after the first look: until then it is asked again.
  const status = useAsk("getStatus", {}, isCounted ? {} : { refetchMs: COUNTING_MS });
  const hasCost = status.data !== undefined && status.data.cost !== null;
  useEffect(() => setCounted(hasCost), [hasCost]);
  return (
    <Page title="Home" aside={status.data && `version ${status.data.version}`}>
      <PageBody>
        <div className="mx-auto max-w-5xl">
          {status.isPending && <HomeSkeleton />}
          {status.isError && status.data === undefined && (
            <ErrorState error={toolErrorOf(status.error)} onRetry={() => void status.refetch()} />
          )}
          {status.data !== undefined && <Glance status={status.data} />}
        </div>
      </PageBody>
    </Page>
  );
}

/** Everything at a glance; of a new home, first how to begin. */
function Glance({ status }: { readonly status: Status }): ReactNode {
  const [isNew, hide] = useFirstSteps(status.steps);
  if (isNew && isUntouched(status)) return <FirstSteps steps={status.steps} onHide={hide} />;
  return (
    <>
      {isNew && <FirstSteps steps={status.steps} onHide={hide} />}
      <div className="space-y-8">
        <Section title="What waits" actions={<More to="/inbox">Inbox</More>}>
          <Waiting waiting={status.waiting} />
        </Section>
        <RunsOfADay runs={status.runs} />
        <div className="grid gap-8 md:grid-cols-[minmax(0,3fr)_minmax(0,2fr)] md:gap-10">
          <Section title="Last calls" actions={<More to="/calls">All calls</More>}>
            <LastCalls calls={status.calls} />
          </Section>
          <div className="space-y-8">
            <Section title="Servers" actions={<More to="/servers">All servers</More>}>
              <ServerStates servers={status.servers} />
            </Section>
            <Section title="Tokens of the tool list">
              <TokenCost cost={status.cost} />
            </Section>
            <Section title="Clients seen">
              <ClientsSeen clients={status.clients} />
            </Section>
          </div>
        </div>
        <Usage />
        <CommandTwin command={twinText("getStatus") ?? ""} />
      </div>
    </>
  );
}

/** Nothing is there yet that the rest could show. */
function isUntouched({ steps, calls, waiting }: Status): boolean {
  return (
    !steps.server &&
    !steps.client &&
    !steps.saved &&
    calls.length === 0 &&
    waiting.every(({ count }) => count === 0)
  );
}

function RunsOfADay({ runs }: Pick<Status, "runs">): ReactNode {
  const counts = sumOfRuns(runs);
  const total = counts.succeeded + counts.failed + counts.waiting + counts.running;
  return (
    <Section
      title="Runs of 24 hours"
      aside={countOf(total, "run")}
      actions={<More to="/runs">All runs</More>}
    >
      <RunBars label="Runs of 24 hours" histogram={runs} height={72} />
      <div className="mt-2">
        <RunLegend counts={counts} />
      </div>
    </Section>
  );
}

function More({
  to,
  children,
}: {
  readonly to: "/inbox" | "/runs" | "/calls" | "/servers";
  readonly children: string;
}): ReactNode {
  return (
    <Link to={to} className="rounded-sm text-xs text-accent hover:underline">
      {children}
    </Link>
  );
}
