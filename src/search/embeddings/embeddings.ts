/**
 * How near tools are to a query by what they mean, as an OpenAI-compatible endpoint sees it. What goes out to it are
 * the texts of tools and the queries of searches. A search waits for it a quarter of a second and does without it then.
 */
import { systemClock, type Clock } from "../../core/clock.ts";
import type { Log } from "../../core/log.ts";
import type { Embeddings as EmbeddingStore } from "../../core/store.ts";
import type { After } from "../../timing/after.ts";
import { within } from "../../timing/deadline.ts";
import { createLru } from "../../timing/lru.ts";
import { createEndpointFetch, TEXT_LENGTH_MAX, type EmbeddingEndpoint } from "./endpoint.ts";
import { createModel, type Model } from "./model.ts";
import { createOutage, type Outage } from "./outage.ts";
import { createToolVectors, type ToolVectors } from "./tool-vectors.ts";
import { cosineOf } from "./vector.ts";

/** A person does not notice it, and an answer is still there within a second. */
export const QUERY_MS_MAX = 250;

export interface Embeddings extends Pick<ToolVectors, "put"> {
  /** The cosine of a tool's vector and the query's, by id; undefined where the endpoint did not say in time. */
  nearTo(query: string): Promise<((id: string) => number | undefined) | undefined>;
  close(): Promise<void>;
}

export interface EmbeddingsDeps {
  /** Read again for every request; undefined while none is configured. */
  readonly endpoint: () => EmbeddingEndpoint | undefined;
  readonly store: EmbeddingStore;
  readonly log: Log;
  readonly after: After;
  readonly version: string;
  readonly clock?: Clock;
  readonly random?: () => number;
}

export function createEmbeddings(deps: EmbeddingsDeps): Embeddings {
  const { store, log, after, version, clock = systemClock, random = Math.random } = deps;
  const closing = new AbortController();
  const client = createEndpointFetch();
  const model = () => {
    const endpoint = deps.endpoint();
    return endpoint && createModel(endpoint, { after, fetch: client.fetch, version, closed: closing.signal });
  };
  const outage = createOutage({ clock, random, log, closed: closing.signal });
  const queries = createQueryVectors({ outage });
  const tools = createToolVectors({ model, store, outage, after, log });
  return {
    put: (group, some, textOf) => tools.put(group, some, textOf),
    async nearTo(query) {
      const now = closing.signal.aborted ? undefined : model();
      const text = query.trim().slice(0, TEXT_LENGTH_MAX);
      if (now === undefined || text === "") return undefined;
      let vector: Float32Array | undefined;
      const recalled = tools.recall(now);
      const asked = queries.vectorOf(now, text).then((found) => {
        vector = found;
        return found && recalled;
      });
      await within(asked, QUERY_MS_MAX, { after });
      const found = vector;
      if (found === undefined) return undefined;
      return (id) => {
        const other = tools.find(id);
        return other && cosineOf(found, other);
      };
    },
    async close() {
      closing.abort();
      await Promise.all([tools.close(), queries.settle()]);
      await client.close();
    },
  };
}

/** What a few agents ask in a day; 2 to 6 MB. */
const KEPT_COUNT_MAX = 500;
/** An endpoint that hangs holds so many connections and no more; further searches do without it. */
const ASKED_AT_ONCE_MAX = 8;

interface QueryVectors {
  /** Undefined if the endpoint does not answer in time. A late answer is there for the next query. */
  vectorOf(model: Model, query: string): Promise<Float32Array | undefined>;
  settle(): Promise<void>;
}

function createQueryVectors({ outage }: { readonly outage: Outage }): QueryVectors {
  const kept = createLru<Float32Array>({ countMax: KEPT_COUNT_MAX, sizeMax: KEPT_COUNT_MAX });
  const asked = new Map<string, Promise<Float32Array | undefined>>();

  async function ask(model: Model, query: string, key: string): Promise<Float32Array | undefined> {
    const reply = await model.embed([query]);
    asked.delete(key);
    if (reply.kind === "failed") outage.failed(reply.reason);
    // What is refused is this query alone: the next may be to its liking.
    if (reply.kind !== "vectors") return undefined;
    outage.succeeded();
    const [vector] = reply.vectors;
    kept.set(key, vector!, 1);
    return vector;
  }

  return {
    async vectorOf(model, query) {
      const key = `${model.key}\n${query}`;
      const known = kept.get(key) ?? asked.get(key);
      if (known !== undefined) return known;
      if (asked.size >= ASKED_AT_ONCE_MAX || outage.waitMs() > 0) return undefined;
      const flight = ask(model, query, key);
      asked.set(key, flight);
      return flight;
    },
    async settle() {
      await Promise.all(asked.values());
    },
  };
}
