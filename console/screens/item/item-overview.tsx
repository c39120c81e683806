import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Badge } from "../../parts/badge.tsx";
import { formatDuration, formatNumber } from "../../parts/format.ts";
import { JsonView } from "../../parts/json-view.tsx";
import { Facts, Section } from "../../parts/page.tsx";
import { Time } from "../../parts/time.tsx";
import { Visible } from "../../parts/visible.tsx";
import { percentOf, successShare } from "../library/library-filter.ts";
import { FieldTable } from "./field-table.tsx";
import type { ItemDetails } from "./item-details.ts";
import { ToolsUsed } from "./tools-used.tsx";

/** Inputs, outputs, tools and how its runs went. */
export function ItemOverview({ item }: { readonly item: ItemDetails }): ReactNode {
  return (
    <div className="mx-auto grid max-w-6xl gap-x-10 gap-y-6 px-4 py-4 max-sm:px-3 lg:grid-cols-[minmax(0,1fr)_20rem]">
      <div className="min-w-0 space-y-6">
        <Section title="Inputs">
          <FieldTable label="Inputs" fields={item.inputs} empty="It takes no inputs." />
        </Section>
        <Section title="Outputs">
          <FieldTable label="Outputs" fields={item.outputs} empty="What it answers is not declared." />
        </Section>
        <ToolsUsed tools={item.tools_used} />
        <Section title="Input schema">
          <JsonView value={item.input_schema} label="Input schema" depth={1} />
        </Section>
        {item.output_schema !== null && (
          <Section title="Output schema">
            <JsonView value={item.output_schema} label="Output schema" depth={1} />
          </Section>
        )}
      </div>
      <aside className="min-w-0 space-y-6 max-lg:order-first">
        <Statistics item={item} />
        <Names item={item} />
      </aside>
    </div>
  );
}

function Statistics({ item: { statistics } }: { readonly item: ItemDetails }): ReactNode {
  const { executions, successes, average_ms, last_run } = statistics;
  const share = successShare({ usage_count: executions, success_count: successes });
  return (
    <Section title="Use">
      <Facts
        facts={[
          { term: "Uses", value: formatNumber(executions) },
          {
            term: "Went well",
            value: share === undefined ? undefined : `${percentOf(share)} (${formatNumber(successes)})`,
          },
          { term: "On average", value: average_ms === null ? undefined : formatDuration(average_ms) },
          { term: "Last used", value: last_run === null ? "Never" : <Time at={last_run} /> },
        ]}
      />
    </Section>
  );
}

function Names({ item }: { readonly item: ItemDetails }): ReactNode {
  const { tool, fqdn, aliases, tags, author, run_id } = item;
  return (
    <Section title="Names">
      <Facts
        facts={[
          { term: "Tool", value: <Mono text={tool} /> },
          { term: "Address", value: <Mono text={fqdn} /> },
          { term: "Aliases", value: aliases.length === 0 ? undefined : <Mono text={aliases.join(", ")} /> },
          { term: "Tags", value: tags.length === 0 ? undefined : <Tags tags={tags} /> },
          { term: "Author", value: <Visible text={author} /> },
          { term: "Saved from", value: run_id === undefined ? undefined : <RunLink run={run_id} /> },
        ]}
      />
    </Section>
  );
}

function Mono({ text }: { readonly text: string }): ReactNode {
  return (
    <span className="font-mono text-xs">
      <Visible text={text} />
    </span>
  );
}

function Tags({ tags }: { readonly tags: readonly string[] }): ReactNode {
  return (
    <span className="flex flex-wrap gap-1">
      {tags.map((tag) => (
        <Link key={tag} to="/library" search={{ tag }}>
          <Badge>
            <Visible text={tag} />
          </Badge>
        </Link>
      ))}
    </span>
  );
}

/** The end of an id tells runs apart: its beginning is the time. */
const ID_SHOWN = 12;

/** The run that something was saved from. */
export function RunLink({ run }: { readonly run: string }): ReactNode {
  return (
    <Link
      to="/runs/$run"
      params={{ run }}
      title={run}
      className="font-mono text-xs whitespace-nowrap text-accent underline underline-offset-2"
    >
      {run.length > ID_SHOWN ? `…${run.slice(-ID_SHOWN)}` : run}
    </Link>
  );
}
