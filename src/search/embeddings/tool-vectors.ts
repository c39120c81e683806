/**
 * The vector of every tool: in memory, else in the store, else made by the endpoint in the background, one batch at a
 * time.
 *
 * A vector belongs to a model and to the exact text that it was made of, so a changed description is embedded again and
 * everything else never again, whichever process asks. Until the new vector is there the old one is used. What the
 * endpoint refuses is halved until the one text that it refuses is alone, and that one is left out.
 *
 * Nothing happens before a search has asked for it. A crash loses the batch under way.
 */
import { hashText } from "../../core/json.ts";
import type { Log } from "../../core/log.ts";
import type { Embeddings as EmbeddingStore } from "../../core/store.ts";
import { Mutex } from "../../timing/mutex.ts";
import type { After } from "../../timing/after.ts";
import { TEXTS_AT_ONCE_MAX } from "./endpoint.ts";
import type { Model } from "./model.ts";
import type { Outage } from "./outage.ts";

/** Read at once: 3 MB, a few milliseconds. */
const READ_AT_ONCE = 500;

/** The same definition means the same text. */
interface DescribedTool {
  readonly definition: object;
}

export interface ToolVectors {
  /** The tools of a group are these now, by id. */
  put<T extends DescribedTool>(
    group: string,
    tools: ReadonlyMap<string, T>,
    textOf: (tool: T) => string,
  ): void;
  /** Resolves when everything is in memory that the store has; what it does not have is made from now on. */
  recall(model: Model): Promise<void>;
  find(id: string): Float32Array | undefined;
  close(): Promise<void>;
}

export interface ToolVectorsDeps {
  /** Undefined while none is configured. */
  readonly model: () => Model | undefined;
  readonly store: EmbeddingStore;
  readonly outage: Outage;
  readonly after: After;
  readonly log: Log;
}

interface Entry {
  readonly id: string;
  readonly definition: object;
  readonly text: () => string;
  /** Of its text, once somebody has looked. */
  hash: string;
  /** It may still be that of an earlier text. */
  made: { readonly hash: string; readonly vector: Float32Array } | undefined;
}

export function createToolVectors(deps: ToolVectorsDeps): ToolVectors {
  const { store, outage, after, log } = deps;
  /** Groups that were not read yet, and how to read each. */
  const offered = new Map<string, () => void>();
  const groups = new Map<string, readonly string[]>();
  const entries = new Map<string, Entry>();
  /** The store was not asked yet. */
  const unread = new Set<Entry>();
  /** The store does not have them. */
  const unmade = new Set<Entry>();
  let key: string | undefined;
  let batchCount = TEXTS_AT_ONCE_MAX;
  const readings = new Mutex();
  let making: Promise<void> | undefined;
  let cancel: (() => void) | undefined;
  let isClosed = false;
  let hasStoreFailed = false;

  const isCurrent = (entry: Entry): boolean => entries.get(entry.id) === entry;

  function accept<T extends DescribedTool>(
    group: string,
    tools: ReadonlyMap<string, T>,
    textOf: (tool: T) => string,
  ): void {
    for (const id of groups.get(group) ?? []) if (!tools.has(id)) drop(id);
    for (const [id, tool] of tools) {
      const old = entries.get(id);
      if (old?.definition === tool.definition) continue;
      drop(id);
      const { definition } = tool;
      const entry: Entry = { id, definition, text: () => textOf(tool), hash: "", made: old?.made };
      entries.set(id, entry);
      unread.add(entry);
    }
    groups.set(group, [...tools.keys()]);
  }

  function drop(id: string): void {
    const entry = entries.get(id);
    if (entry === undefined) return;
    entries.delete(id);
    unread.delete(entry);
    unmade.delete(entry);
  }

  /** Looks at what was offered meanwhile, and forgets the vectors of another model. */
  function prepare(model: Model): void {
    for (const look of offered.values()) look();
    offered.clear();
    if (key === model.key) return;
    key = model.key;
    unmade.clear();
    for (const entry of entries.values()) {
      entry.made = undefined;
      unread.add(entry);
    }
  }

  /** One store at a time is warned of once, until it works again. */
  async function withStore<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      const result = await work();
      hasStoreFailed = false;
      return result;
    } catch (error) {
      if (!hasStoreFailed && !isClosed) log.warn("search.embeddings.store.failed", { error });
      hasStoreFailed = true;
      return undefined;
    }
  }

  async function read(model: Model): Promise<void> {
    while (unread.size > 0 && key === model.key) {
      if (isClosed) return;
      const some = take(unread, READ_AT_ONCE).filter(hasNewText);
      const hashes = some.map(({ hash }) => hash);
      const kept = await withStore(() => store.find(model.key, hashes));
      if (key !== model.key) return;
      for (const entry of some.filter(isCurrent)) {
        const vector = kept?.get(entry.hash);
        if (vector === undefined) unmade.add(entry);
        else entry.made = { hash: entry.hash, vector };
      }
    }
  }

  async function make(model: Model): Promise<void> {
    const batch = take(unmade, batchCount);
    const reply = await model.embed(batch.map(({ text }) => text()));
    if (isClosed || key !== model.key) return;
    if (reply.kind === "vectors") {
      outage.succeeded();
      batchCount = Math.min(TEXTS_AT_ONCE_MAX, batchCount * 2);
      const made = new Map(batch.map(({ hash }, at) => [hash, reply.vectors[at]!]));
      for (const entry of batch) entry.made = { hash: entry.hash, vector: made.get(entry.hash)! };
      await withStore(() => store.put(model.key, made));
      return;
    }
    outage.failed(reply.reason);
    if (reply.kind === "refused") batchCount = Math.max(1, batch.length >> 1);
    if (reply.kind === "refused" && batch.length === 1) return;
    for (const entry of batch.filter(isCurrent)) unmade.add(entry);
  }

  function recall(model: Model): Promise<void> {
    prepare(model);
    return readings.run(async () => {
      await read(model);
      wake();
    });
  }

  function wake(): void {
    if (isClosed || making !== undefined || cancel !== undefined || unmade.size === 0) return;
    const model = deps.model();
    if (model === undefined || model.key !== key) return;
    const waitMs = outage.waitMs();
    if (waitMs > 0) {
      cancel = after(waitMs, () => {
        cancel = undefined;
        wake();
      });
      return;
    }
    making = make(model).finally(() => {
      making = undefined;
      wake();
    });
  }

  return {
    recall,
    put(group, tools, textOf) {
      offered.set(group, () => accept(group, tools, textOf));
      const model = key === undefined ? undefined : deps.model();
      if (model !== undefined && !isClosed) void recall(model);
    },
    find: (id) => entries.get(id)?.made?.vector,
    async close() {
      isClosed = true;
      cancel?.();
      await readings.settle();
      await making;
    },
  };
}

/** Says whether there is anything to be done for it, and notes what its text is now. */
function hasNewText(entry: Entry): boolean {
  entry.hash = hashText(entry.text());
  return entry.hash !== entry.made?.hash;
}

function take<T>(from: Set<T>, count: number): T[] {
  const some = [...from.values().take(count)];
  for (const one of some) from.delete(one);
  return some;
}
