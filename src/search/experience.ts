/**
 * What is known from earlier runs: which tools were used with success, and what for. The search learns from it.
 *
 * Memory is the truth of this process and the store follows it; what other processes learnt is read when somebody
 * searches. A write that fails costs nothing but what would have been learnt, so it is logged and not thrown. Calls are
 * counted in memory and written a few seconds later: a crash loses some counts and no intent.
 */
import { systemClock, type Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import type { Scope } from "../core/names.ts";
import type { PastUse, PastUses } from "../core/store.ts";
import { Mutex } from "../timing/mutex.ts";
import { aliasesOf } from "./aliases.ts";
import { partsOf } from "./search-query.ts";
import type { SearchDocument } from "./search-fields.ts";
import { isFaint, termsOf } from "./words.ts";

/** What others learnt may be so old. */
const FRESH_MS = 10_000;
const WRITE_AFTER_MS = 5_000;

interface Known {
  /** The newest first. */
  readonly intents: readonly string[];
  readonly useCount: number;
}

export interface Experience {
  /** What is known of a tool, by exposed name. */
  of(tool: string): Known | undefined;
  /** Reads what other processes learnt, unless that was done just now. */
  freshen(): Promise<void>;
  /** A run that used these tools has succeeded. */
  noteRun(tools: readonly string[], intent: string): void;
  /** A client has called a tool with success. */
  readonly noteCall: (tool: string) => void;
  /** Resolves when everything is written. */
  settle(): Promise<void>;
}

export interface ExperienceDeps {
  readonly uses: PastUses;
  readonly scope: () => Scope;
  /** More is known of these tools now. */
  readonly learnt: (tools: readonly string[]) => void;
  /** What each tool did of what a run was for. */
  readonly share?: (tools: readonly string[], intent: string) => ReadonlyMap<string, string>;
  readonly log: Log;
  readonly clock?: Clock;
}

export function createExperience(deps: ExperienceDeps): Experience {
  const { uses, scope, log, clock = systemClock } = deps;
  const known = new Map<string, Known>();
  const counted = new Map<string, number>();
  const writes = new Mutex();
  let readAt: number | undefined;
  let scopeKnown = keyOf(scope());
  let timer: NodeJS.Timeout | undefined;

  function write(some: readonly Omit<PastUse, "lastUsedAt">[]): void {
    if (some.length === 0) return;
    writes
      .run(() => uses.add(scope(), some))
      .catch((error: unknown) => log.warn("experience.write.failed", { error }));
  }

  function writeCounts(): void {
    clearTimeout(timer);
    timer = undefined;
    const some = [...counted].map(([tool, useCount]) => ({ tool, intent: "", useCount }));
    counted.clear();
    write(some);
  }

  function add(tool: string, intent: string): void {
    const { intents, useCount } = known.get(tool) ?? { intents: [], useCount: 0 };
    const rest = intents.filter((other) => other !== intent);
    known.set(tool, { intents: intent === "" ? intents : [intent, ...rest], useCount: useCount + 1 });
  }

  /** What was learnt in one scope is nothing to another. */
  function forgetOtherScope(): void {
    const now = keyOf(scope());
    if (now === scopeKnown) return;
    scopeKnown = now;
    readAt = undefined;
    const before = [...known.keys()];
    known.clear();
    deps.learnt(before);
  }

  async function read(): Promise<void> {
    writeCounts();
    await writes.settle();
    const now = groupUses(await uses.list(scope()));
    const changed = [...now].filter(([tool, one]) => !isEqual(one, known.get(tool))).map(([tool]) => tool);
    for (const tool of changed) known.set(tool, now.get(tool)!);
    deps.learnt(changed);
  }

  return {
    of: (tool) => known.get(tool),
    async freshen() {
      forgetOtherScope();
      if (readAt !== undefined && clock.elapsed() - readAt < FRESH_MS) return;
      readAt = clock.elapsed();
      await read().catch((error: unknown) => log.warn("experience.read.failed", { error }));
    },
    noteRun(tools, intent) {
      const used = [...new Set(tools)];
      const shares = deps.share?.(used, intent);
      const now = used.map((tool) => ({ tool, intent: shares?.get(tool) ?? intent, useCount: 1 }));
      for (const use of now) add(use.tool, use.intent);
      deps.learnt(used);
      write(now);
    },
    noteCall(tool) {
      counted.set(tool, (counted.get(tool) ?? 0) + 1);
      timer ??= setTimeout(writeCounts, WRITE_AFTER_MS).unref();
    },
    async settle() {
      writeCounts();
      await writes.settle();
    },
  };
}

function keyOf({ org, project }: Scope): string {
  return JSON.stringify([org, project]);
}

/** They come newest first. */
function groupUses(uses: readonly PastUse[]): Map<string, Known> {
  const groups = new Map<string, { intents: string[]; useCount: number }>();
  for (const { tool, intent, useCount } of uses) {
    const group = groups.get(tool) ?? { intents: [], useCount: 0 };
    if (intent !== "") group.intents.push(intent);
    group.useCount += useCount;
    groups.set(tool, group);
  }
  return groups;
}

function isEqual(one: Known, other: Known | undefined): boolean {
  return one.useCount === other?.useCount && one.intents.join("\n") === other.intents.join("\n");
}

const TERMS_MAX = 200;
/** Two words that stand for one another say less than one that is the same. */
const ALIAS_SHARE = 0.5;

/**
 * A run that did several things with several tools teaches each tool the thing that it did: "fetch the page and mail a
 * summary" is no reason to find the mailer for pages. Which tool did which is told from the words that they share; a
 * tool that shares none did what no other tool did.
 *
 * What each of these tools is to be known for.
 */
export function shareIntent(intent: string, tools: readonly SearchDocument[]): Map<string, string> {
  const parts = partsOf(intent);
  if (parts.length < 2 || tools.length < 2) return new Map(tools.map(({ id }) => [id, intent]));
  const claims = tools.map((tool) => claim(tool, parts));
  const claimed = new Set(claims.flat());
  const left = parts.filter((_, index) => !claimed.has(index)).map(({ text }) => text);
  return new Map(
    tools.map(({ id }, index) => {
      const own = claims[index]!.map((part) => parts[part]!.text);
      return [id, (own.length > 0 ? own : left.length > 0 ? left : [intent]).join(". ")];
    }),
  );
}

/** The parts that a tool shares most with. */
function claim(
  { fields }: SearchDocument,
  parts: readonly { readonly terms: readonly string[] }[],
): number[] {
  const { name = "", server = "", description = "", parameterNames = "" } = fields;
  const own = new Set(termsOf([name, server, description, parameterNames].join(" "), TERMS_MAX));
  const shares = parts.map(({ terms }) =>
    new Set(terms).values().reduce((sum, term) => sum + shareOf(term, own), 0),
  );
  const most = Math.max(...shares);
  return most === 0 ? [] : shares.flatMap((share, index) => (share === most ? [index] : []));
}

function shareOf(term: string, own: ReadonlySet<string>): number {
  if (isFaint(term)) return 0;
  if (own.has(term)) return 1;
  return aliasesOf(term).some((alias) => own.has(alias)) ? ALIAS_SHARE : 0;
}
