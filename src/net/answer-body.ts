/**
 * An answer as a `Response`: its body decompressed, counted, and either whole or, where it is a stream of events, as a
 * stream.
 */
import type { IncomingMessage } from "node:http";
import { pipeline, type Readable } from "node:stream";
import { constants, createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { createAnswerLimit, type CountBytes } from "./answer-limit.ts";

/** What is asked for and understood. */
export const ACCEPTED_ENCODINGS = "gzip, br, deflate";

/** A body that has begun and is no stream comes without long pauses. */
const SILENCE_MS = 60_000;

/** Statuses that say that there is no body; a `Response` must not have one then. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/** What a server flushed is passed on at once: in a stream of events the next bytes may come in an hour. */
const ZLIB_FLUSH = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const BROTLI_FLUSH = {
  flush: constants.BROTLI_OPERATION_FLUSH,
  finishFlush: constants.BROTLI_OPERATION_FLUSH,
};

/** `onEnd` is called when nothing more will come, perhaps more than once. */
export async function responseOf(
  url: URL,
  message: IncomingMessage,
  bytesMax: number,
  onEnd: () => void,
): Promise<Response> {
  const { statusCode: status = 0, statusMessage: statusText = "" } = message;
  const isStream = message.headers["content-type"]?.includes("text/event-stream") === true;
  const count = createAnswerLimit(isStream, bytesMax);
  let source;
  try {
    source = decode(message);
  } catch (error) {
    message.destroy();
    onEnd();
    throw error;
  }
  const body = isStream
    ? streamBody(source, { count, onEnd })
    : await readWhole(source, { count, silenceMs: SILENCE_MS, onEnd });
  const init = { status, statusText, headers: headersOf(message.rawHeaders) };
  const response = new Response(BODILESS.has(status) ? null : body, init);
  // What `new Response` cannot be told: where the answer came from.
  return Object.defineProperty(response, "url", { value: url.href });
}

function headersOf(raw: readonly string[]): Headers {
  const headers = new Headers();
  for (let i = 0; i + 1 < raw.length; i += 2) headers.append(raw[i]!, raw[i + 1]!);
  return headers;
}

/** The body without its encoding; one that is not understood is an error. An encoding within an encoding is not. */
function decode(message: IncomingMessage): Readable {
  const encoding = (message.headers["content-encoding"] ?? "identity").trim().toLowerCase();
  if (encoding === "identity" || encoding === "") return message;
  const decoder = decoderFor(encoding);
  // Errors of either end reach the reader of the decoder.
  return pipeline(message, decoder, () => {});
}

function decoderFor(encoding: string) {
  switch (encoding) {
    case "gzip":
    case "x-gzip":
      return createGunzip(ZLIB_FLUSH);
    case "deflate":
      return createInflate(ZLIB_FLUSH);
    case "br":
      return createBrotliDecompress(BROTLI_FLUSH);
    default:
      throw new TypeError(
        `the answer is encoded in a way that was not asked for; ${ACCEPTED_ENCODINGS} was asked for`,
      );
  }
}

interface BodyOptions {
  readonly count: CountBytes;
  /** How long it may say nothing; without it, for ever. */
  readonly silenceMs?: number;
  readonly onEnd: () => void;
}

type Bytes = Buffer<ArrayBuffer>;

function readWhole(source: Readable, { count, silenceMs, onEnd }: BodyOptions): Promise<Bytes> {
  const { promise, resolve, reject } = Promise.withResolvers<Bytes>();
  const chunks: Bytes[] = [];
  const silence = silenceMs === undefined ? undefined : endAfterSilence(source, silenceMs);
  source.on("data", (chunk: Bytes) => {
    silence?.refresh();
    try {
      count(chunk);
      chunks.push(chunk);
    } catch (error) {
      source.destroy(error as Error);
    }
  });
  source.once("end", () => {
    onEnd();
    resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks));
  });
  source.on("error", reject);
  source.once("close", () => {
    clearTimeout(silence);
    reject(new TypeError("the connection was closed before the answer was whole"));
    onEnd();
  });
  return promise;
}

function endAfterSilence(source: Readable, silenceMs: number): NodeJS.Timeout {
  return setTimeout(
    () => source.destroy(new TypeError(`the answer stopped for more than ${silenceMs} ms`)),
    silenceMs,
  );
}

/** Reads no faster than it is read from; cancelling it ends the connection. */
function streamBody(source: Readable, { count, onEnd }: BodyOptions): ReadableStream<Uint8Array> {
  let isOpen = true;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      source.on("data", (chunk: Buffer) => {
        try {
          count(chunk);
        } catch (error) {
          source.destroy(error as Error);
          return;
        }
        if (!isOpen) return;
        controller.enqueue(chunk);
        if ((controller.desiredSize ?? 0) <= 0) source.pause();
      });
      const finish = (end: () => void): void => {
        onEnd();
        if (isOpen) end();
        isOpen = false;
      };
      source.once("end", () => finish(() => controller.close()));
      source.on("error", (error) => finish(() => controller.error(error)));
      source.once("close", () => finish(() => controller.error(new TypeError("the connection was closed"))));
    },
    pull() {
      source.resume();
    },
    cancel() {
      isOpen = false;
      source.destroy();
    },
  });
}
