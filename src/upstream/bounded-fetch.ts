/**
 * `fetch` for remote servers, with a limit on what one answer may be, counted after decompression: a body that does not end, or
 * a small one that unpacks to gigabytes, ends with an error and not with the gateway's memory. A stream of events may go
 * on for ever; each event in it has the limit.
 */
type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** As long as a line over stdio may be. */
const ANSWER_BYTES_MAX = 8 * 1024 * 1024;

const NEWLINE = 0x0a;
const RETURN = 0x0d;

export function createBoundedFetch(
  fetch: Fetch = globalThis.fetch,
  bytesMax: number = ANSWER_BYTES_MAX,
): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (response.body === null) return response;
    const isStream = response.headers.get("content-type")?.includes("text/event-stream") === true;
    const body = response.body.pipeThrough(limitBytes(bytesMax, isStream));
    const { status, statusText, headers } = response;
    const bounded = new Response(body, { status, statusText, headers });
    // What `new Response` cannot be told: where the answer came from.
    Object.defineProperties(bounded, {
      url: { value: response.url },
      redirected: { value: response.redirected },
    });
    return bounded;
  };
}

/** In a stream of events an empty line ends an event, and the count begins anew. */
function limitBytes(bytesMax: number, isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  let count = 0;
  let lineBytes = 0;

  function countLines(chunk: Uint8Array): void {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      const ending = chunk[at - 1] === RETURN && at > from ? 1 : 0;
      const isEmpty = lineBytes + at - from - ending === 0;
      count = isEmpty ? 0 : count + at - from;
      lineBytes = 0;
      from = at + 1;
    }
    count += chunk.length - from;
    // A carriage return at the very end may belong to a line end that comes with the next chunk.
    lineBytes += chunk.length - from - (chunk.at(-1) === RETURN && chunk.length > from ? 1 : 0);
  }

  return new TransformStream({
    transform(chunk, controller) {
      if (isStream) countLines(chunk);
      else count += chunk.length;
      if (count <= bytesMax) return controller.enqueue(chunk);
      controller.error(new Error(`the answer is longer than ${bytesMax} bytes, which is the limit`));
    },
  });
}
