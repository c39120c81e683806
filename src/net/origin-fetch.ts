/**
 * `fetch` for an endpoint that the config names, which may name another one tomorrow: the connections to one origin are
 * kept until another is asked. The client is loaded with the first request: it costs every start of the gateway some 30
 * ms, and few need it.
 */
import { createAddressPolicy } from "./address-policy.ts";
import type { Fetch, HttpClient } from "./http-client.ts";

export interface OriginFetch {
  readonly fetch: Fetch;
  readonly close: () => Promise<void>;
}

export function createOriginFetch(bytesMax?: number): OriginFetch {
  let current: { readonly origin: string; readonly client: Promise<HttpClient> } | undefined;

  async function open(url: URL): Promise<HttpClient> {
    const { createHttpClient } = await import("./http-client.ts");
    return createHttpClient({ policy: createAddressPolicy(new URL(url.origin)), bytesMax });
  }

  return {
    async fetch(input, init) {
      const url = new URL(input);
      if (current?.origin !== url.origin) {
        // Requests to the old origin end by themselves, and so do its idle connections.
        current = { origin: url.origin, client: open(url) };
      }
      return (await current.client).fetch(url, init);
    },
    async close() {
      (await current?.client)?.close();
    },
  };
}
