import type { ReactNode } from "react";
import { useMay } from "../../api/session.ts";
import { Page } from "../../parts/page.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { useUrlSearch } from "../../parts/url-search.ts";
import { ExplainTab } from "./explain-tab.tsx";
import { NeedsAdmin } from "./needs-admin.tsx";
import { ProfilesTab } from "./profiles-tab.tsx";
import { ReachTab } from "./reach-tab.tsx";
import { RulesTab } from "./rules-tab.tsx";
import type { Search } from "./search.ts";
import { TokensTab } from "./tokens-tab.tsx";

const TABS = ["tokens", "can", "profiles", "rules", "explain"] as const;
type TabId = (typeof TABS)[number];

/** Who may do what: tokens, profiles and rules, and which rule decides on a call. */
export function Access(): ReactNode {
  const [search, change] = useUrlSearch<Search>();
  const isAdmin = useMay("listTokens");
  const value = TABS.find((tab) => tab === search.tab) ?? (isAdmin ? "tokens" : "rules");
  return (
    <Page title="Access" tabTitle={`Access: ${TITLES[value]}`}>
      <Tabs<TabId>
        label="Access"
        value={value}
        onChange={(tab) => change({ ...NO_FILTER, tab })}
        tabs={TABS.map((id) => ({ id, label: TITLES[id] }))}
        panelClassName="flex min-h-0 flex-1 flex-col"
      >
        <Panel tab={value} isAdmin={isAdmin} />
      </Tabs>
    </Page>
  );
}

const TITLES: Readonly<Record<TabId, string>> = {
  tokens: "Tokens",
  can: "What can a token do?",
  profiles: "Profiles",
  rules: "Rules",
  explain: "Explain a call",
};

/** What belongs to one tab is not carried to the next. */
const NO_FILTER = {
  text: undefined,
  effect: undefined,
  decision: undefined,
  profile: undefined,
  new: undefined,
};

function Panel({ tab, isAdmin }: { readonly tab: TabId; readonly isAdmin: boolean }): ReactNode {
  switch (tab) {
    case "tokens":
      return isAdmin ? <TokensTab /> : <NeedsAdmin what="Tokens" />;
    case "can":
      return isAdmin ? <ReachTab /> : <NeedsAdmin what="What tokens can do" />;
    case "profiles":
      return isAdmin ? <ProfilesTab /> : <NeedsAdmin what="Profiles" />;
    case "rules":
      return <RulesTab />;
    case "explain":
      return <ExplainTab />;
  }
}
