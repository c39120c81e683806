import { Scale } from "lucide-react";
import type { ReactNode } from "react";
import { toolErrorOf } from "../../api/api-error.ts";
import { useAsk } from "../../api/queries.ts";
import { twinText } from "../../api/twin.ts";
import { CommandTwin } from "../../parts/command-twin.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { FilterBar, type Filter } from "../../parts/filter-bar.tsx";
import { PageBody } from "../../parts/page.tsx";
import { SkeletonRows } from "../../parts/skeleton.tsx";
import { useUrlSearch } from "../../parts/url-search.ts";
import { RuleList } from "./rule-list.tsx";
import { filterRules } from "./rule-fields.ts";
import type { Search } from "./search.ts";

const TRUST: Readonly<Record<string, string>> = {
  allow: "Definitions that change are recorded and used.",
  scan: "Definitions that change are held where they look like an attack.",
  ask: "Definitions that change are held until somebody approves them.",
};

const FILTERS: readonly Filter[] = [
  {
    key: "decision",
    label: "Does",
    kind: "many",
    options: [
      { value: "allow", label: "Allow" },
      { value: "ask", label: "Ask" },
      { value: "refuse", label: "Refuse" },
    ],
  },
];

/** The rules in their order: the first that matches a call decides on it. */
export function RulesTab(): ReactNode {
  const [search, change] = useUrlSearch<Search>();
  const asked = useAsk("listRules", {});
  if (asked.isPending) return <SkeletonRows rows={8} />;
  if (asked.isError)
    return <ErrorState error={toolErrorOf(asked.error)} onRetry={() => void asked.refetch()} />;
  const { rules, trust } = asked.data;
  const shown = filterRules(rules, search);
  return (
    <>
      <FilterBar
        value={search}
        onChange={change}
        filters={FILTERS}
        search={{ key: "text", label: "Search rules" }}
      >
        <div className="w-56 max-md:hidden">
          <CommandTwin command={twinText("listRules") ?? ""} />
        </div>
      </FilterBar>
      <PageBody label="Rules in their order">
        <p className="mb-3 max-w-prose text-muted">
          The first rule that matches a call decides.{" "}
          <code className="font-mono text-xs">trust: "{trust}"</code>: {TRUST[trust] ?? ""}
        </p>
        {shown.length > 0 ? <RuleList rules={shown} /> : <NoRules isFiltered={rules.length > 0} />}
      </PageBody>
    </>
  );
}

function NoRules({ isFiltered }: { readonly isFiltered: boolean }): ReactNode {
  if (isFiltered) return <EmptyState icon={Scale} title="No rule fits" />;
  return (
    <EmptyState icon={Scale} title="No rules are written" command="repertoire rules explain SERVER.TOOL">
      Every call is decided by what tools say of themselves. Write rules under{" "}
      <code className="font-mono text-xs">rules</code> in the config, or approve something in the inbox and
      remember it.
    </EmptyState>
  );
}
