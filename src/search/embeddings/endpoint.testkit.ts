import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { Log } from "../../core/log.ts";
import type { Embeddings as EmbeddingStore } from "../../core/store.ts";

/** Wakes all waiters: what they wait for may have come. */
interface Moments {
  tell(): void;
  until(isThere: () => boolean): Promise<void>;
}

export function createMoments(): Moments {
  const waiting = new Set<() => void>();
  return {
    tell() {
      for (const look of waiting) look();
    },
    until: (isThere) =>
      new Promise((resolve) => {
        const look = () => {
          if (!isThere()) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
  };
}

interface EmbedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: { readonly model: string; readonly input: readonly string[]; readonly dimensions?: number };
}

export interface TestAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A real endpoint on loopback that knows a few synonyms; `answer` takes its place. */
export interface TestEndpoint {
  readonly url: string;
  readonly requests: EmbedRequest[];
  answer: (request: EmbedRequest) => TestAnswer | Promise<TestAnswer>;
  /** Every text that it was asked about, in order. */
  texts(): string[];
  /** Resolves when it was asked so often. */
  asked(count: number): Promise<void>;
}

export async function openEndpoint(): Promise<TestEndpoint> {
  const moments = createMoments();
  const server = createServer((message, response) => void serve(message, response));
  async function serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of message as AsyncIterable<Buffer>) chunks.push(chunk);
    const body = JSON.parse(Buffer.concat(chunks).toString() || "{}") as EmbedRequest["body"];
    const request = { path: message.url!, headers: message.headers, body };
    endpoint.requests.push(request);
    moments.tell();
    const answer = await endpoint.answer(request);
    response.writeHead(answer.status ?? 200, answer.headers).end(answer.body);
  }
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => {
      server.close(resolve);
    });
  });
  const endpoint: TestEndpoint = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests: [],
    answer: ({ body }) => ({ body: embeddingsOf(body.input.map(meaningOf)) }),
    texts: () => endpoint.requests.flatMap(({ body }) => body.input),
    asked: (count) => moments.until(() => endpoint.requests.length >= count),
  };
  return endpoint;
}

/** A port that somebody listened at a moment ago. */
export async function closedPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

export function embeddingsOf(vectors: readonly (readonly number[])[]): string {
  return JSON.stringify({
    object: "list",
    data: vectors.map((embedding, index) => ({ object: "embedding", index, embedding })),
  });
}

const SYNONYMS: Readonly<Record<string, string>> = {
  limousine: "car",
  sedan: "car",
  charter: "book",
};
const DIMENSIONS = 512;

/** A bag of words, each hashed to one direction, synonyms to the same. */
export function meaningOf(text: string): number[] {
  const vector = Array.from({ length: DIMENSIONS }, () => 0);
  for (const word of text.toLowerCase().match(/[a-z]+/g) ?? []) {
    const meant = SYNONYMS[word] ?? word;
    let hash = 7;
    for (const char of meant) hash = (hash * 31 + char.charCodeAt(0)) % 1_000_003;
    vector[hash % DIMENSIONS]! += 1;
  }
  return vector;
}

/** A log whose lines can be waited for. */
interface HeardLog extends Log {
  readonly lines: { readonly level: string; readonly event: string; readonly fields: unknown }[];
  heard(event: string): Promise<void>;
}

export function createHeardLog(): HeardLog {
  const lines: HeardLog["lines"] = [];
  const moments = createMoments();
  const write = (level: string) => (event: string, fields?: Record<string, unknown>) => {
    lines.push({ level, event, fields });
    moments.tell();
  };
  return {
    lines,
    error: write("error"),
    warn: write("warn"),
    info: write("info"),
    debug: write("debug"),
    heard: (event) => moments.until(() => lines.some((line) => line.event === event)),
  };
}

/** A store in memory, or a real one, whose writing can be waited for. */
export interface WatchedStore extends EmbeddingStore {
  readonly kept: Map<string, Float32Array>;
  /** Resolves when so many vectors have been written in all. */
  wrote(count: number): Promise<void>;
}

export function watchStore(real?: EmbeddingStore): WatchedStore {
  const kept = new Map<string, Float32Array>();
  const moments = createMoments();
  let written = 0;
  return {
    kept,
    async find(model, hashes) {
      if (real !== undefined) return real.find(model, hashes);
      const found = hashes.map((hash) => [hash, kept.get(`${model} ${hash}`)] as const);
      return new Map(found.flatMap(([hash, vector]) => (vector === undefined ? [] : [[hash, vector]])));
    },
    async put(model, vectors) {
      await real?.put(model, vectors);
      for (const [hash, vector] of vectors) kept.set(`${model} ${hash}`, vector);
      written += vectors.size;
      moments.tell();
    },
    wrote: (count) => moments.until(() => written >= count),
  };
}
