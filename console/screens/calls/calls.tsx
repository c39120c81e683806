import { Pause, Play } from "lucide-react";
import { useState, type ReactNode } from "react";
import { twinText } from "../../api/twin.ts";
import { Button } from "../../parts/button.tsx";
import { CommandTwin } from "../../parts/command-twin.tsx";
import { FilterBar } from "../../parts/filter-bar.tsx";
import { useKeys } from "../../parts/keys.ts";
import { Page } from "../../parts/page.tsx";
import { useUrlSearch } from "../../parts/url-search.ts";
import { CallList } from "./call-list.tsx";
import { CALL_FILTERS, filterOf } from "./call-filters.ts";
import { ExportMenu } from "./export-menu.tsx";
import type { Search } from "./search.ts";

export function Calls(): ReactNode {
  const [search, change] = useUrlSearch<Search>();
  const [isPaused, setPaused] = useState(false);
  const filter = filterOf(search);
  const toggle = () => setPaused(!isPaused);
  useKeys({ p: { label: isPaused ? "Continue" : "Pause", group: "Calls", run: toggle } });
  return (
    <Page
      title="Calls"
      aside={<LiveMark isPaused={isPaused} />}
      actions={
        <>
          <Button icon={isPaused ? Play : Pause} shortcut="p" aria-pressed={isPaused} onClick={toggle}>
            {isPaused ? "Continue" : "Pause"}
          </Button>
          <ExportMenu filter={filter} />
        </>
      }
    >
      <FilterBar
        value={search}
        onChange={change}
        filters={CALL_FILTERS}
        search={{ key: "tool", label: "Search calls by tool", placeholder: "Tool, or a pattern with *" }}
      >
        <div className="w-56 max-w-full max-md:hidden">
          <CommandTwin command={twinText("listCalls", { query: filter }) ?? ""} />
        </div>
      </FilterBar>
      <CallList search={search} change={change} isPaused={isPaused} />
    </Page>
  );
}

function LiveMark({ isPaused }: { readonly isPaused: boolean }): ReactNode {
  return (
    <span className="flex items-center gap-1.5">
      <span
        aria-hidden
        className={
          isPaused ? "size-2 rounded-full bg-idle-fill" : "size-2 animate-breathe rounded-full bg-ok-fill"
        }
      />
      {isPaused ? "paused" : "live, newest first"}
    </span>
  );
}
