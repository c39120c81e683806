/** The body of an answer: decompressed, counted, and either whole or as a stream. */
import type { IncomingMessage } from "node:http";
import { pipeline, type Readable } from "node:stream";
import { constants, createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import type { CountBytes } from "./answer-limit.ts";

/** What is asked for and understood. */
export const ACCEPTED_ENCODINGS = "gzip, br, deflate";

/** What a server flushed is passed on at once: in a stream of events the next bytes may come in an hour. */
const ZLIB_FLUSH = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const BROTLI_FLUSH = {
  flush: constants.BROTLI_OPERATION_FLUSH,
  finishFlush: constants.BROTLI_OPERATION_FLUSH,
};

/** The body without its encoding; one that is not understood is an error. An encoding within an encoding is not. */
export function decode(message: IncomingMessage): Readable {
  const encoding = (message.headers["content-encoding"] ?? "identity").trim().toLowerCase();
  if (encoding === "identity" || encoding === "") return message;
  const decoder = decoderFor(encoding);
  // Errors of either end reach whoever reads the decoder.
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

export interface BodyOptions {
  readonly count: CountBytes;
  /** How long it may say nothing; without it, for ever. */
  readonly silenceMs?: number;
  /** Called when nothing more will come, perhaps more than once. */
  readonly onEnd: () => void;
}

type Bytes = Buffer<ArrayBuffer>;

export function readWhole(source: Readable, { count, silenceMs, onEnd }: BodyOptions): Promise<Bytes> {
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

/** Reads no faster than it is read from; whoever cancels it ends the connection. */
export function streamBody(source: Readable, { count, onEnd }: BodyOptions): ReadableStream<Uint8Array> {
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
