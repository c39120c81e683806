import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useAsk } from "../../api/queries.ts";
import { Facts, type Fact } from "../../parts/page.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Time } from "../../parts/time.tsx";
import { Visible } from "../../parts/visible.tsx";

export interface RunFactsProps {
  readonly run: string;
  /** Who started it and with which client, where the item itself does not say. */
  readonly withAsker?: boolean;
  readonly className?: string;
}

/** The run that an item is about. */
export function RunFacts({ run, withAsker = true, className = "" }: RunFactsProps): ReactNode {
  const { data } = useAsk("getRun", { params: { run } });
  const asker: readonly Fact[] = [
    { term: "Who", value: data && <Visible text={data.who} /> },
    { term: "Client", value: data?.client && <Visible text={data.client} /> },
  ];
  return (
    <Facts
      className={className}
      facts={[
        { term: "Run", value: <RunLink run={run} /> },
        { term: "Intent", value: data?.intent && <Visible text={data.intent} /> },
        { term: "Kind", value: data?.kind ?? <Skeleton className="h-4 w-16" /> },
        ...(withAsker ? asker : []),
        {
          term: "Began",
          value: data === undefined ? <Skeleton className="h-4 w-16" /> : <Time at={data.started_at} />,
        },
      ]}
    />
  );
}

export function RunLink({ run }: { readonly run: string }): ReactNode {
  return (
    <Link to="/runs/$run" params={{ run }} className="font-mono text-xs text-accent hover:underline">
      <Visible text={run} />
    </Link>
  );
}
