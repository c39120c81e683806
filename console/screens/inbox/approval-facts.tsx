import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { EffectMark } from "../../parts/effect-mark.tsx";
import { JsonView } from "../../parts/json-view.tsx";
import { Facts, Section } from "../../parts/page.tsx";
import { Visible } from "../../parts/visible.tsx";
import type { ApprovalDetails } from "./item-details.ts";
import { RunFacts } from "./run-facts.tsx";

/** The question, the exact arguments, the rule, and who asks. */
export function ApprovalFacts({
  approval,
  run,
}: {
  readonly approval: ApprovalDetails;
  readonly run: string;
}): ReactNode {
  const { message, tool, args, effect, rule, why, who, client, profile } = approval;
  return (
    <>
      <p className="foreign max-w-prose text-base">
        <Visible text={message} />
      </p>
      <Section
        title={tool === undefined ? "What it shows" : "Arguments"}
        aside={tool === undefined ? undefined : "exactly as they would be sent"}
      >
        <JsonView value={args ?? {}} label="Arguments" depth={6} />
      </Section>
      <Section title="Who asks, and why">
        <Facts
          facts={[
            { term: "Tool", value: tool && <ToolLink tool={tool} /> },
            { term: "Effect", value: effect && <EffectMark effect={effect} look="badge" /> },
            { term: "Rule", value: rule && <Visible text={rule} /> },
            { term: "Why", value: why && <Visible text={why} /> },
            { term: "Who", value: who && <Visible text={who} /> },
            { term: "Client", value: client && <Visible text={client} /> },
            { term: "Profile", value: profile && <Visible text={profile} /> },
          ]}
        />
        <RunFacts run={run} className="mt-1" withAsker={who === undefined} />
      </Section>
    </>
  );
}

function ToolLink({ tool }: { readonly tool: string }): ReactNode {
  return (
    <Link to="/tools/$tool" params={{ tool }} className="font-mono text-xs text-accent hover:underline">
      <Visible text={tool} />
    </Link>
  );
}
