/**
 * What changed, for pages that look. It looks itself only while somebody listens: four times a second it asks the store
 * whether anything was committed by any process, and only then what; once a second it compares the servers and the files of
 * the config and the tokens. With no listener it does nothing at all.
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import type { Change, ChangeFeed } from "../app/app.ts";
import { hashJson, NO_LIMITS } from "../core/json.ts";
import type { Log } from "../core/log.ts";
import type { OperatorDeps } from "./operator.ts";
import type { Topic } from "./routes.ts";

const LOOK_MS = 250;
/** Servers and files: every so many looks. */
const SLOW_LOOKS = 4;
/** Beside all unfinished runs; a page that shows older ones asks again when it is opened. */
const RUN_COUNT_MAX = 100;
/** Calls that are told one by one between two looks; beyond that, that there are some. */
const CALL_COUNT_MAX = 200;

type Tell = (change: Omit<Change, "topic"> & { readonly topic: Topic }) => void;

export interface Changes extends ChangeFeed {
  /** Looks now; a timer does it while somebody listens. */
  tick(): Promise<void>;
}

export function createChanges(deps: OperatorDeps, log: Log, lookMs: number = LOOK_MS): Changes {
  const listeners = new Set<(change: Change) => void>();
  const tell: Tell = (change) => {
    for (const listener of listeners) listener(change);
  };
  const looks = [lookAtRuns(deps), lookAtCalls(deps), lookAtRevisions(deps)];
  const slowLooks = [lookAtServers(deps), lookAtFiles(deps)];
  let mark: string | undefined;
  let count = 0;
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;

  async function look(): Promise<void> {
    const now = await deps.app.store.changeMark();
    if (now !== mark) for (const each of looks) await each(tell);
    mark = now;
    if (count++ % SLOW_LOOKS === 0) for (const each of slowLooks) await each(tell);
  }

  /** One at a time: on a slow machine looks are skipped, not piled up. */
  function tick(): Promise<void> {
    looking ??= look()
      .catch((error: unknown) => log.warn("console.changes.failed", { error }))
      .finally(() => (looking = undefined));
    return looking;
  }

  return {
    tick,
    subscribe(listener) {
      listeners.add(listener);
      timer ??= setInterval(() => void tick(), lookMs).unref();
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
  };
}

type Look = (tell: Tell) => Promise<void>;

/** Nothing is told of what was there at the first look. */
function lookAtRuns({ app, config }: OperatorDeps): Look {
  let known: ReadonlyMap<string, string> | undefined;
  return async (tell) => {
    const seen = await app.store.runs.activity(config.current().scope, RUN_COUNT_MAX);
    const changed = known === undefined ? [] : seen.filter(({ id, mark }) => known?.get(id) !== mark);
    known = new Map(seen.map(({ id, mark }) => [id, mark]));
    for (const { id, mark, principal } of changed) {
      tell({ topic: "runs", id, rev: mark, owner: principal });
      tell({ topic: "inbox", id, rev: mark, owner: principal });
    }
  };
}

function lookAtCalls({ app }: OperatorDeps): Look {
  let lastId: string | undefined;
  return async (tell) => {
    const { calls } = app.store;
    if (lastId === undefined) {
      lastId = (await calls.list({ limit: 1 }))[0]?.id ?? "";
      return;
    }
    const added = await calls.list({ afterId: lastId, limit: CALL_COUNT_MAX });
    for (const [principal, id] of new Map(added.map((call) => [call.principal, call.id])))
      tell({ topic: "calls", id, rev: id, owner: principal });
    lastId = added.at(-1)?.id ?? lastId;
  };
}

function lookAtRevisions({ app }: OperatorDeps): Look {
  const isNew = createComparison();
  return async (tell) => {
    const library = String(await app.store.capabilities.revision());
    const pins = String(await app.store.pins.revision());
    if (isNew("library", library)) tell({ topic: "library", id: "*", rev: library });
    if (!isNew("pins", pins)) return;
    tell({ topic: "inbox", id: "*", rev: pins });
    tell({ topic: "servers", id: "*", rev: pins });
  };
}

function lookAtServers({ app }: OperatorDeps): Look {
  const isNew = createComparison();
  return async (tell) => {
    for (const { id, ...view } of await app.viewServers(false)) {
      const rev = hashJson(view, NO_LIMITS).slice(0, 16);
      if (!isNew(id, rev)) continue;
      tell({ topic: "servers", id, rev });
      tell({ topic: "inbox", id: "*", rev });
    }
  };
}

/** The config is followed by its own watch; here it is only whether it is another one. */
function lookAtFiles({ config }: OperatorDeps): Look {
  const isNew = createComparison();
  let rev = 0;
  return async (tell) => {
    const current = config.current();
    const tokens = statSync(join(current.home, "tokens.json"), { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (isNew("tokens", tokens)) tell({ topic: "access", id: "tokens", rev: String(tokens) });
    if (!isNew("config", current)) return;
    for (const topic of ["access", "servers"] as const) tell({ topic, id: "*", rev: String(++rev) });
  };
}

/** Whether a value differs from the one before; the first never does. */
function createComparison(): (key: string, value: unknown) => boolean {
  const known = new Map<string, unknown>();
  return (key, value) => {
    const isKnown = known.has(key);
    const isSame = known.get(key) === value;
    known.set(key, value);
    return isKnown && !isSame;
  };
}
