/**
 * How documents of the issuer are fetched: over a safe connection, of bounded size, and not again and again while it
 * fails.
 */
import { systemClock, type Clock } from "../../core/clock.ts";
import { isLoopbackHost } from "./loopback.ts";

/** Metadata and keys of the largest issuers are some 10 KiB. */
const DOCUMENT_BYTES_MAX = 256 * 1024;
export const FETCH_TIMEOUT_MS = 5_000;
/** So long an issuer that failed is left alone: any caller can send tokens that make us ask it. */
export const COOLDOWN_AFTER_FAILURE_MS = 5_000;

/** What of `fetch` is used. */
export type Fetch = (
  url: string,
  options: {
    readonly headers: Headers;
    readonly method: "GET";
    readonly redirect: "manual";
    readonly signal: AbortSignal;
  },
) => Promise<Response>;

/** Fetches keys and metadata: no redirect is followed, and nothing is read past the limit. */
export function createIssuerFetch(fetch: Fetch): Fetch {
  return async (url, options) => {
    requireSafe(url);
    const response = await fetch(url, options);
    const body = await readBounded(response, url);
    return new Response(body, { status: response.status >= 200 ? response.status : 502 });
  };
}

/** An attacker who can change the keys on their way can make tokens. */
function requireSafe(text: string): void {
  const url = URL.parse(text);
  if (url?.protocol === "https:" || (url?.protocol === "http:" && isLoopbackHost(url.hostname))) return;
  throw new Error(`${text} is not https, so the issuer's keys are not taken from there`);
}

async function readBounded(response: Response, url: string): Promise<Buffer<ArrayBuffer> | null> {
  if (response.body === null) return null;
  const chunks: Uint8Array[] = [];
  let byteCount = 0;
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    byteCount += chunk.byteLength;
    if (byteCount > DOCUMENT_BYTES_MAX) {
      throw new Error(`the document at ${url} is larger than ${DOCUMENT_BYTES_MAX} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** After a failure, fails at once for a while with the same words. */
export function withCooldown<A extends readonly unknown[], T>(
  load: (...args: A) => Promise<T>,
  clock: Clock = systemClock,
): (...args: A) => Promise<T> {
  let failure: { readonly error: unknown; readonly untilMs: number } | undefined;
  return async (...args) => {
    if (failure !== undefined && clock.elapsed() < failure.untilMs) throw failure.error;
    try {
      const loaded = await load(...args);
      failure = undefined;
      return loaded;
    } catch (error) {
      failure = { error, untilMs: clock.elapsed() + COOLDOWN_AFTER_FAILURE_MS };
      throw error;
    }
  };
}
