import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Answer } from "../../api/client.ts";
import { EffectMark } from "../../parts/effect-mark.tsx";
import { Facts, Section } from "../../parts/page.tsx";
import { StatusBadge } from "../../parts/status.tsx";
import { Visible } from "../../parts/visible.tsx";

type Told = Answer<"explainCall">;

const WORDS = { allow: "It is made.", ask: "A person is asked first.", refuse: "It is refused." } as const;

/** What becomes of a call: the decision, the rule, the effect and where that is known from, and the rules that did not match. */
export function Explained({ told }: { readonly told: Told }): ReactNode {
  const { passed, notes } = told;
  return (
    <div className="space-y-6">
      <div className="flex flex-wrap items-center gap-2">
        <StatusBadge state={told.do} />
        <span className="text-base font-semibold">{WORDS[told.do]}</span>
      </div>
      <ToldFacts told={told} />
      {notes.length > 0 && (
        <ul className="foreign list-disc space-y-1 pl-5 text-muted">
          {notes.map((note) => (
            <li key={note}>
              <Visible text={note} />
            </li>
          ))}
        </ul>
      )}
      {passed.length > 0 && (
        <Section title="Rules that did not match" aside={passed.length}>
          <ol className="divide-y divide-line/60 border-y border-line">
            {passed.map(({ rule, mismatch }, at) => (
              <li key={`${rule} ${at}`} className="grid gap-x-4 py-1.5 sm:grid-cols-[11rem_minmax(0,1fr)]">
                <span className="foreign font-mono text-xs leading-5">
                  <Visible text={rule} />
                </span>
                <span className="foreign text-muted">
                  <Visible text={mismatch} />
                </span>
              </li>
            ))}
          </ol>
        </Section>
      )}
    </div>
  );
}

function ToldFacts({ told }: { readonly told: Told }): ReactNode {
  const { rule, effect, effect_from, who, name, file } = told;
  return (
    <Facts
      facts={[
        {
          term: "Rule",
          value: (
            <>
              <code className="font-mono text-xs">
                <Visible text={rule.name} />
              </code>
              {rule.why !== undefined && (
                <>
                  {": "}
                  <Visible text={rule.why} />
                </>
              )}
            </>
          ),
        },
        { term: "Written in", value: file === undefined ? undefined : <Visible text={file} /> },
        {
          term: "Effect",
          value: (
            <span className="inline-flex flex-wrap items-center gap-x-2">
              <EffectMark effect={effect} />
              <span className="text-muted">
                (<Visible text={effect_from} />)
              </span>
            </span>
          ),
        },
        { term: "Who", value: <Visible text={who.join(", ")} /> },
        {
          term: "Tool",
          value: (
            <Link
              to="/tools/$tool"
              params={{ tool: name }}
              className="font-mono text-xs text-accent hover:underline"
            >
              <Visible text={name} />
            </Link>
          ),
        },
      ]}
    />
  );
}
