import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { EffectMark } from "../../parts/effect-mark.tsx";
import { Facts, Section } from "../../parts/page.tsx";
import { StatusDot } from "../../parts/status.tsx";
import { Visible } from "../../parts/visible.tsx";
import type { Decision } from "./tool-details.ts";

const DECISIONS = {
  allow: "The call is made",
  ask: "A person is asked first",
  refuse: "The call is refused",
} as const;

/** Which rule decides on a call without arguments, and why not one before it. */
export function ToolDecision({
  decision,
  tool,
}: {
  readonly decision: Decision;
  readonly tool: string;
}): ReactNode {
  const { rule, passed, notes } = decision;
  return (
    <Section
      title="What happens to a call"
      actions={
        <Link
          to="/access"
          search={{ tab: "explain", call: tool }}
          className="text-xs text-accent hover:underline"
        >
          With arguments…
        </Link>
      }
    >
      <Facts
        facts={[
          { term: "Decision", value: <StatusDot state={decision.do}>{DECISIONS[decision.do]}</StatusDot> },
          { term: "Rule", value: <RuleName rule={rule} /> },
          { term: "For", value: <Visible text={decision.who.join(", ")} max={200} /> },
          { term: "Effect", value: <EffectMark effect={decision.effect} /> },
          { term: "Known from", value: <Visible text={decision.effect_from} max={400} /> },
          {
            term: "File",
            value: decision.file === undefined ? undefined : <Visible text={decision.file} max={300} />,
          },
        ]}
      />
      {notes.map((note) => (
        <p key={note} className="foreign mt-2 text-muted">
          <Visible text={note} max={600} />
        </p>
      ))}
      {passed.length > 0 && <PassedRules passed={passed} />}
    </Section>
  );
}

function RuleName({ rule: { name, why } }: Pick<Decision, "rule">): ReactNode {
  return (
    <>
      <Visible text={name} max={200} />
      {why !== undefined && why !== "" && (
        <span className="block text-muted">
          <Visible text={why} max={400} />
        </span>
      )}
    </>
  );
}

function PassedRules({ passed }: Pick<Decision, "passed">): ReactNode {
  return (
    <details className="mt-2">
      <summary className="text-muted hover:text-text">
        {passed.length === 1
          ? "One rule before it did not match"
          : `${passed.length} rules before it did not match`}
      </summary>
      <ol className="mt-1 space-y-1 border-l border-line pl-3">
        {passed.map(({ rule, mismatch }, at) => (
          <li key={`${rule} ${at}`} className="foreign">
            <Visible text={rule} max={200} />
            <span className="block text-xs text-muted">
              <Visible text={mismatch} max={300} />
            </span>
          </li>
        ))}
      </ol>
    </details>
  );
}
