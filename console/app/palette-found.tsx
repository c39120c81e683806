/** What the gateway has under a name: by its letters, and tools also by what they do. */
import { useMemo } from "react";
import { useAsk } from "../api/queries.ts";
import { StatusDot } from "../parts/status.tsx";
import { Visible } from "../parts/visible.tsx";
import { useMakeEntry, type MakeEntry } from "./palette-entries.ts";
import { rankEntries, type Entry } from "./palette-entry.ts";
import { loadRecent, type RecentEntry } from "./palette-recent.ts";

/** Of each kind: more do not fit, and a longer word finds them. */
const SHOWN_MAX = 6;
const ASIDE_LENGTH = 60;

export interface EntryGroup {
  readonly heading: string;
  readonly entries: readonly Entry[];
}

export function useFoundEntries(text: string, recent: readonly string[]): readonly EntryGroup[] {
  const make = useMakeEntry();
  const isAsked = text !== "";
  const known = useAsk("listTools", {}, { enabled: isAsked });
  const meant = useAsk(
    "searchTools",
    { query: { query: text, limit: SHOWN_MAX } },
    { enabled: isAsked, keep: true },
  );
  const servers = useAsk("listServers", {}, { enabled: isAsked });
  const library = useAsk("listLibrary", {}, { enabled: isAsked });
  const runs = useAsk("listRuns", { query: { text, limit: SHOWN_MAX } }, { enabled: isAsked, keep: true });
  const tools = useMemo(
    () => (known.data?.tools ?? []).map((tool) => toolEntry(make, tool)),
    [known.data, make],
  );
  if (!isAsked) return [];
  const rank = (entries: readonly Entry[]) => rankEntries(entries, text, recent).slice(0, SHOWN_MAX);
  const named = rank(tools);
  // Who writes several words, or finds nothing by letters, says what a tool should do.
  const isAsking = text.includes(" ") || named.length === 0;
  const byMeaning = isAsking ? (meant.data?.hits ?? []).map((hit) => toolEntry(make, hit)) : [];
  return [
    { heading: "Tools", entries: distinct([...named, ...byMeaning]).slice(0, SHOWN_MAX) },
    {
      heading: "Servers",
      entries: rank((servers.data?.servers ?? []).map((each) => serverEntry(make, each))),
    },
    { heading: "Library", entries: rank((library.data?.items ?? []).map((each) => itemEntry(make, each))) },
    { heading: "Runs", entries: (runs.data?.runs ?? []).map((each) => runEntry(make, each)) },
  ];
}

type Described = { readonly name: string; readonly description: string };

function toolEntry(
  make: MakeEntry,
  { name, written, description }: Described & { readonly written: string },
): Entry {
  return {
    ...make("tool", name, written),
    words: [name],
    aside: <Visible text={description} max={ASIDE_LENGTH} />,
  };
}

function itemEntry(make: MakeEntry, { name, description }: Described): Entry {
  return {
    ...make("item", name, name),
    words: [description],
    aside: <Visible text={description} max={ASIDE_LENGTH} />,
  };
}

function serverEntry(make: MakeEntry, { id, state }: { readonly id: string; readonly state: string }): Entry {
  return { ...make("server", id, id), aside: <StatusDot state={state} /> };
}

interface NamedRun {
  readonly run_id: string;
  readonly intent: string | null;
  readonly name?: string | undefined;
  readonly status: string;
}

function runEntry(make: MakeEntry, { run_id: id, intent, name, status }: NamedRun): Entry {
  return { ...make("run", id, intent ?? name ?? id), aside: <StatusDot state={status} /> };
}

function distinct(entries: readonly Entry[]): Entry[] {
  return [...new Map(entries.map((entry) => [entry.id, entry])).values()];
}

/** What was opened lately, where nothing is asked for. */
export function useRecentEntries(own: readonly Entry[]): readonly Entry[] {
  const make = useMakeEntry();
  return useMemo(() => {
    const byId = new Map(own.map((entry) => [entry.id, entry]));
    return loadRecent()
      .flatMap((recent) => byId.get(recent.id) ?? remake(make, recent) ?? [])
      .slice(0, SHOWN_MAX);
  }, [make, own]);
}

function remake(make: MakeEntry, { id, label }: RecentEntry): Entry | undefined {
  const [, kind, name] = /^(tool|server|item|run):(.+)$/s.exec(id) ?? [];
  return kind === undefined || name === undefined ? undefined : make(kind as "tool", name, label);
}
