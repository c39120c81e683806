import { useState, type ReactNode } from "react";
import { Button } from "../../parts/button.tsx";
import { SplitPane } from "../../parts/split-pane.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { useIsWide } from "../../parts/viewport.ts";
import { DifferenceTab } from "./difference/difference-tab.tsx";
import { GraphTab } from "./graph/graph-tab.tsx";
import { LogTab } from "./log/log-tab.tsx";
import { RunPanel } from "./panel/run-panel.tsx";
import { RunDetail, RunSheet } from "./run-detail.tsx";
import { tabsOf, type RunHead, type RunTab } from "./run-view.ts";
import type { Search } from "./search.ts";
import { SourceTab } from "./source/source-tab.tsx";
import { readChosen, writeChosen, type Chosen } from "./waterfall/chosen.ts";
import { Waterfall } from "./waterfall/waterfall.tsx";

const LABELS: Readonly<Record<RunTab, string>> = {
  waterfall: "Waterfall",
  log: "Log",
  graph: "Graph",
  source: "Source",
  difference: "Difference",
};
/** Of the panel, in percent. */
const PANEL_SIZE = 36;

export interface RunTabsProps {
  readonly head: RunHead;
  readonly search: Search;
  readonly onSearch: (patch: Partial<Search>) => void;
}

/** The ways to look at a run, and what is chosen in them beside. */
export function RunTabs({ head, search, onSearch }: RunTabsProps): ReactNode {
  const [size, setSize] = useState(PANEL_SIZE);
  const [isRunShown, setRunShown] = useState(false);
  const isWide = useIsWide("sm");
  const tabs = tabsOf(head);
  const tab = tabs.find((each) => each === search.tab) ?? "waterfall";
  const chosen = readChosen(head.run_id, search.step, search.run);
  const close = () => onSearch(writeChosen(head.run_id, undefined));
  const content = (
    <TabContent
      tab={tab}
      head={head}
      search={search}
      onSearch={onSearch}
      chosen={chosen}
      hasKeys={isWide || chosen === undefined}
    />
  );
  const showLine = (line: number) => onSearch({ tab: "source", line: String(line) });
  const detail = <RunDetail head={head} chosen={chosen} onLine={showLine} onClose={close} />;
  return (
    <Tabs
      label="Ways to look at the run"
      tabs={tabs.map((id) => ({
        id,
        label: LABELS[id],
        ...(id === "log" && head.logs.length > 0 && { count: head.logs.length }),
      }))}
      value={tab}
      onChange={(id) => onSearch({ tab: id === "waterfall" ? undefined : id })}
      panelClassName="flex min-h-0 flex-1 flex-col max-sm:min-h-[60dvh]"
      extra={
        !isWide && (
          <Button size="sm" look="quiet" onClick={() => setRunShown(true)}>
            Inputs, result
          </Button>
        )
      }
    >
      {isWide ? (
        <SplitPane label="Detail" size={size} onSize={setSize} min={22} start={content} end={detail} />
      ) : (
        content
      )}
      {!isWide && chosen !== undefined && <RunSheet onClose={close}>{detail}</RunSheet>}
      {!isWide && chosen === undefined && isRunShown && (
        <RunSheet onClose={() => setRunShown(false)}>
          <RunPanel head={head} onClose={() => setRunShown(false)} />
        </RunSheet>
      )}
    </Tabs>
  );
}

interface TabContentProps extends RunTabsProps {
  readonly tab: RunTab;
  readonly chosen: Chosen | undefined;
  readonly hasKeys: boolean;
}

function TabContent({ tab, head, search, onSearch, chosen, hasKeys }: TabContentProps): ReactNode {
  const run = head.run_id;
  const choose = (next: Chosen) => onSearch({ ...writeChosen(run, next), line: undefined });
  switch (tab) {
    case "waterfall":
      return <Waterfall head={head} chosen={chosen} search={search} onSearch={onSearch} hasKeys={hasKeys} />;
    case "log":
      return <LogTab head={head} search={search} onSearch={onSearch} chosen={chosen} onChoose={choose} />;
    case "graph":
      return <GraphTab run={run} chosen={chosen} onChoose={choose} />;
    case "source":
      return (
        <SourceTab
          head={head}
          search={search}
          onSearch={onSearch}
          chosen={chosen}
          onChoose={(next) => onSearch(writeChosen(run, next))}
        />
      );
    case "difference":
      return <DifferenceTab run={run} />;
    default:
      return tab satisfies never;
  }
}
