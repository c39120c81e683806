/**
 * How many tokens tools cost, counted once: what is known is kept in memory and in the store, which every process
 * shares, and only the rest is counted, in a thread that ends afterwards.
 *
 * The key of a count is the hash of the very text that is counted. A profile may rename and redescribe a tool, which
 * changes the count without changing the server's definition; and much of a definition (its output schema, its
 * annotations) reaches no model, so a change there changes no count. That text has its keys in one order, whichever
 * order a server sent them in.
 */
import { hashText } from "../core/json.ts";
import type { Log } from "../core/log.ts";
import { createLru } from "../timing/lru.ts";
import type { Store } from "../core/store.ts";
import { estimateTokens } from "../text/token-estimate.ts";
import type { ToolDefinition } from "../core/tool.ts";
import { modelText, type ToolTokens } from "./exposure.ts";
import { createTokenThread, type TokenThread } from "../search/tokens/token-thread.ts";

/** Which tokenizer counts; under its name counts are kept. */
export const TOKENIZER = "o200k_base";

/** More tools than any user has; a count takes some 100 bytes. */
const KNOWN_COUNT_MAX = 50_000;
/** What is counted at once, so that a thread that fails takes little with it. */
const BATCH_LENGTH_MAX = 1024 * 1024;

export interface TokenCounts extends ToolTokens {
  close(): Promise<void>;
}

export interface TokenCountsDeps {
  readonly store: Pick<Store, "tokenCounts">;
  readonly log: Log;
  readonly thread?: TokenThread;
}

/** A text by its hash. */
type Texts = ReadonlyMap<string, string>;
type Counts = ReadonlyMap<string, number>;

export function createTokenCounts(deps: TokenCountsDeps): TokenCounts {
  const { store, log, thread = createTokenThread() } = deps;
  const memory = createLru<number>({ countMax: KNOWN_COUNT_MAX, sizeMax: KNOWN_COUNT_MAX });
  const hashes = new WeakMap<ToolDefinition, string>();
  const flights = new Map<string, Promise<Counts>>();
  let isClosed = false;

  /** What ends with the process has not failed. */
  function warn(event: string, fields: Record<string, unknown>): void {
    if (!isClosed) log.warn(event, fields);
  }

  function hashOf(tool: ToolDefinition): string {
    let hash = hashes.get(tool);
    if (hash === undefined) hashes.set(tool, (hash = hashText(modelText(tool))));
    return hash;
  }

  function keep(counts: Counts): void {
    for (const [hash, tokens] of counts) memory.set(hash, tokens, 1);
  }

  async function readStore(wanted: readonly string[]): Promise<Counts> {
    if (wanted.length === 0) return new Map();
    try {
      const found = await store.tokenCounts.find(TOKENIZER, wanted);
      keep(found);
      return found;
    } catch (error) {
      warn("tokens.store.failed", { error });
      return new Map();
    }
  }

  async function countBatch(batch: Texts): Promise<Counts> {
    const reply = await thread.count([...batch.values()]);
    if (reply.kind === "failed") {
      warn("tokens.count.failed", { reason: reply.reason, count: batch.size });
      // Known for this process only: the next one tries again.
      const estimates = new Map([...batch].map(([hash, text]) => [hash, estimateText(text)]));
      keep(estimates);
      return estimates;
    }
    const counts = new Map([...batch.keys()].map((hash, at) => [hash, reply.counts[at]!]));
    keep(counts);
    await store.tokenCounts
      .put(TOKENIZER, counts)
      .catch((error: unknown) => warn("tokens.store.failed", { error }));
    return counts;
  }

  async function count(texts: Texts): Promise<Counts> {
    const counts = new Map(await readStore([...texts.keys()]));
    const missing = [...texts].filter(([hash]) => !counts.has(hash));
    for (const batch of batchesOf(missing)) {
      for (const [hash, tokens] of await countBatch(batch)) counts.set(hash, tokens);
    }
    return counts;
  }

  /** What is being counted already is not counted again. */
  function take(texts: Texts): void {
    const missing = new Map([...texts].filter(([hash]) => !flights.has(hash)));
    if (missing.size === 0) return;
    const flight = count(missing).finally(() => {
      for (const hash of missing.keys()) flights.delete(hash);
    });
    for (const hash of missing.keys()) flights.set(hash, flight);
  }

  async function countHashed(wanted: readonly string[], textAt: (at: number) => string): Promise<number[]> {
    const known = wanted.map((hash) => memory.get(hash));
    const missing = new Map(
      wanted.flatMap((hash, at) => (known[at] === undefined ? [[hash, textAt(at)]] : [])),
    );
    take(missing);
    const flown = [...missing.keys()].map(
      async (hash) => [hash, (await flights.get(hash)!).get(hash)!] as const,
    );
    const counts = new Map(await Promise.all(flown));
    return wanted.map((hash, at) => known[at] ?? counts.get(hash)!);
  }

  return {
    countOf: (tools) => countHashed(tools.map(hashOf), (at) => modelText(tools[at]!)),
    countTexts: (texts) => countHashed(texts.map(hashText), (at) => texts[at]!),
    async close() {
      isClosed = true;
      await thread.close();
      // Nothing of it reaches for the store afterwards.
      await Promise.all(flights.values());
    },
  };
}

function estimateText(text: string): number {
  return estimateTokens(Buffer.byteLength(text));
}

function* batchesOf(texts: Iterable<readonly [string, string]>): Iterable<Texts> {
  let batch = new Map<string, string>();
  let length = 0;
  for (const [hash, text] of texts) {
    if (batch.size > 0 && length + text.length > BATCH_LENGTH_MAX) {
      yield batch;
      batch = new Map();
      length = 0;
    }
    batch.set(hash, text);
    length += text.length;
  }
  if (batch.size > 0) yield batch;
}
