import { useEffect, useState, type ReactNode } from "react";
import type { Answer } from "../../api/client.ts";
import { useAsk } from "../../api/queries.ts";
import { twinText } from "../../api/twin.ts";
import { CommandTwin } from "../../parts/command-twin.tsx";
import { countOf, formatNumber } from "../../parts/format.ts";
import { Section } from "../../parts/page.tsx";
import { Time } from "../../parts/time.tsx";

type Stats = Answer<"getStats">;

/** Tokens are counted once, after the first look. */
const COUNTING_MS = 1_500;

/** What the gateway was used for in four weeks; nothing where nothing ran, or while it is not known. */
export function Usage(): ReactNode {
  const [isCounted, setCounted] = useState(false);
  const known = useAsk("getStats", {}, isCounted ? {} : { refetchMs: COUNTING_MS });
  const hasCost = known.data !== undefined && known.data.tokens.definitions !== null;
  useEffect(() => setCounted(hasCost), [hasCost]);
  if (known.data === undefined || known.data.hint !== undefined) return null;
  const { days, executions, reuse, tests, tokens } = known.data;
  return (
    <Section title={`Use of ${days} days`} aside={countOf(executions.total, "execution")}>
      <dl className="grid gap-x-10 gap-y-2 sm:grid-cols-[auto_minmax(0,1fr)]">
        <Row term="From the library">{libraryText(executions)}</Row>
        <Row term="Reuse by week">
          <Weeks weeks={reuse.weeks} />
        </Row>
        {tests !== undefined && (
          <Row term="Tests">
            <Tests tests={tests} />
          </Row>
        )}
        <Row term="Tokens not sent">{tokensText(tokens)}</Row>
      </dl>
      <p className="mt-2 mb-3 max-w-prose text-xs text-faint">{tokens.how}</p>
      <CommandTwin command={twinText("getStats") ?? ""} />
    </Section>
  );
}

function Row({ term, children }: { readonly term: string; readonly children: ReactNode }): ReactNode {
  return (
    <>
      <dt className="text-muted">{term}</dt>
      <dd className="min-w-0">{children}</dd>
    </>
  );
}

function libraryText({ code, kept, workflows, calls, library_share: share }: Stats["executions"]): string {
  const percent = share === null ? "" : `${(100 * share).toFixed(1)} %: `;
  return `${percent}${countOf(kept, "run")} of saved tools, beside ${code} of code, ${countOf(workflows, "workflow")} and ${countOf(calls, "plain call")}`;
}

function Weeks({ weeks }: Pick<Stats["reuse"], "weeks">): ReactNode {
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-1">
      {weeks.map(({ week, from, uses, tools, saved }) => (
        <li key={week} title={`from ${from.slice(0, 10)}`} className="whitespace-nowrap">
          <span className="text-muted">{week.slice(5)}</span> {countOf(uses, "use")} of{" "}
          {countOf(tools, "tool")}
          {saved !== undefined && saved > 0 && <span className="text-muted">, {saved} new</span>}
        </li>
      ))}
    </ul>
  );
}

function Tests({ tests }: { readonly tests: NonNullable<Stats["tests"]> }): ReactNode {
  const { saved, with_example: withExample, last_check: last } = tests;
  const known = `${withExample} of ${saved} saved have an example`;
  if (last === null) return `${known}; not checked as a whole yet`;
  return (
    <>
      {known}; <Time at={last.at} />: {last.passed} passed, {last.failed} failed, {last.skipped} skipped
    </>
  );
}

function tokensText({ not_sent: notSent, definitions, results }: Stats["tokens"]): string {
  const ofResults = `${formatNumber(results.not_sent)} of results of ${countOf(results.calls, "call")} in runs`;
  if (definitions === null || notSent === null) return `about ${ofResults}; the rest is being counted`;
  return `about ${formatNumber(notSent)}: ${formatNumber(definitions.not_sent)} of definitions in ${countOf(definitions.conversations, "conversation")}, ${ofResults}`;
}
