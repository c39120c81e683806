import type { ReactNode } from "react";
import { Tabs } from "../../parts/tabs.tsx";
import { useUrlSearch } from "../../parts/url-search.ts";
import type { Search } from "./search.ts";
import { ToolAbout } from "./tool-about.tsx";
import { ToolCalls } from "./tool-calls.tsx";
import type { ToolDetails } from "./tool-details.ts";
import { ToolSchema } from "./tool-schema.tsx";
import { ToolUsers } from "./tool-users.tsx";
import { TryIt } from "./try/try-it.tsx";

type TabId = "about" | "try" | "schema" | "calls" | "used";

export interface ToolTabsProps {
  readonly tool: ToolDetails;
  /** Where there is no room beside the tabs. */
  readonly hasAbout: boolean;
}

export function ToolTabs({ tool, hasAbout }: ToolTabsProps): ReactNode {
  const [search, change] = useUrlSearch<Search>();
  const usual: TabId = hasAbout ? "about" : "try";
  const tabs = [
    ...(hasAbout ? [{ id: "about" as const, label: "About" }] : []),
    { id: "try" as const, label: "Try it" },
    { id: "schema" as const, label: "Schema" },
    { id: "calls" as const, label: "Calls", count: tool.calls.length },
    { id: "used" as const, label: "Used by", count: tool.used_by.length },
  ];
  const value = tabs.find(({ id }) => id === search.tab)?.id ?? usual;
  return (
    <Tabs
      label="The tool"
      value={value}
      onChange={(tab: TabId) => change({ tab: tab === usual ? undefined : tab })}
      tabs={tabs}
      panelClassName={
        value === "calls"
          ? "flex min-h-0 flex-1 flex-col"
          : "min-h-0 flex-1 overflow-auto px-4 py-4 max-sm:px-3"
      }
    >
      {value === "about" && <ToolAbout tool={tool} />}
      {value === "try" && <TryIt tool={tool} />}
      {value === "schema" && <ToolSchema tool={tool} />}
      {value === "calls" && <ToolCalls tool={tool} />}
      {value === "used" && <ToolUsers tool={tool} />}
    </Tabs>
  );
}
