import type { Fetch } from "../../net/http-client.ts";
import { embedTexts, type EmbeddingEndpoint, type EmbedReply } from "./endpoint.ts";
import type { After } from "../../timing/after.ts";

/** For requests in the background; a search gives up long before. */
export const REQUEST_MS_MAX = 30_000;

/** The endpoint as it is configured at one moment. */
export interface Model {
  /** Vectors of one key can be compared. */
  readonly key: string;
  embed(texts: readonly string[]): Promise<EmbedReply>;
}

export interface ModelDeps {
  readonly after: After;
  readonly fetch: Fetch;
  readonly version: string;
  /** Ends every request. */
  readonly closed: AbortSignal;
}

export function createModel(endpoint: EmbeddingEndpoint, deps: ModelDeps): Model {
  const { model, dimensions } = endpoint;
  return {
    key: dimensions === undefined ? model : `${model}@${dimensions}`,
    async embed(texts) {
      const overdue = new AbortController();
      const cancel = deps.after(REQUEST_MS_MAX, () => overdue.abort());
      const signal = AbortSignal.any([deps.closed, overdue.signal]);
      try {
        return await embedTexts(endpoint, texts, { ...deps, signal });
      } finally {
        cancel();
      }
    },
  };
}
