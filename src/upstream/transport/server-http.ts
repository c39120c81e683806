/**
 * Everything that HTTP to one configured server needs: its address policy, and a `fetch` that keeps its headers to
 * itself.
 */
import { createAddressPolicy, isOwnOrigin, type AddressPolicy } from "../../net/address-policy.ts";
import { createHttpClient, type Fetch } from "../../net/http-client.ts";

export interface ServerHttp {
  readonly url: URL;
  readonly policy: AddressPolicy;
  /** For messages: an answer may take as long as the call does. */
  readonly fetch: Fetch;
  /** For the login: a server that does not answer soon counts as unreachable. */
  readonly quickFetch: Fetch;
  close(): void;
}

const QUICK_MS = 30_000;

export function createServerHttp(server: {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}): ServerHttp {
  const url = new URL(server.url);
  const policy = createAddressPolicy(url);
  const slow = createHttpClient({ policy });
  const quick = createHttpClient({ policy, headersMs: QUICK_MS });
  return {
    url,
    policy,
    fetch: withOwnHeaders(slow.fetch, url, server.headers),
    quickFetch: withOwnHeaders(quick.fetch, url, server.headers),
    close() {
      slow.close();
      quick.close();
    },
  };
}

/** The configured headers often are credentials: they go to the server's own origin and to no other. */
function withOwnHeaders(fetch: Fetch, own: URL, configured: Readonly<Record<string, string>>): Fetch {
  const entries = Object.entries(configured);
  if (entries.length === 0) return fetch;
  return (input, init) => {
    if (!isOwnOrigin(own, new URL(input))) return fetch(input, init);
    const headers = new Headers(init?.headers ?? undefined);
    for (const [name, value] of entries) if (!headers.has(name)) headers.set(name, value);
    return fetch(input, { ...init, headers });
  };
}
