import { createLru } from "../../timing/lru.ts";
import type { Model } from "./model.ts";
import type { Outage } from "./outage.ts";

/** What a few agents ask in a day; 2 to 6 MB. */
const KEPT_COUNT_MAX = 500;
/** An endpoint that hangs holds so many connections and no more; further searches do without it. */
const ASKED_AT_ONCE_MAX = 8;

export interface QueryVectors {
  /** Undefined if the endpoint does not answer in time. A late answer is there for the next query. */
  vectorOf(model: Model, query: string): Promise<Float32Array | undefined>;
  settle(): Promise<void>;
}

export function createQueryVectors({ outage }: { readonly outage: Outage }): QueryVectors {
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
