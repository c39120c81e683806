import { describe, expect, it } from "vitest";
import { createEndpointFetch, embedTexts, TEXT_LENGTH_MAX, type EmbeddingEndpoint } from "./endpoint.ts";
import { embeddingsOf, openEndpoint } from "./endpoint.testkit.ts";

const CANARY = `canary-${"k".repeat(24)}`;

const { fetch } = createEndpointFetch();

function ask(endpoint: EmbeddingEndpoint, texts: readonly string[], signal = new AbortController().signal) {
  return embedTexts(endpoint, texts, { fetch, version: "1.2.3", signal });
}

describe("asking an endpoint", () => {
  it("sends model, texts and key, and gives vectors of length one in the order of the texts", async () => {
    const endpoint = await openEndpoint();
    endpoint.answer = () => ({
      body: JSON.stringify({
        data: [
          { index: 1, embedding: [0, 0, -2] },
          { index: 0, embedding: [3, 4, 0] },
        ],
      }),
    });
    const given = { url: `${endpoint.url}/`, model: "small", apiKey: CANARY, dimensions: 3 };
    const reply = await ask(given, ["a", "b"]);
    expect(reply).toEqual({
      kind: "vectors",
      vectors: [Float32Array.of(0.6, 0.8, 0), Float32Array.of(0, 0, -1)],
    });
    const [{ path, headers, body }] = endpoint.requests as [(typeof endpoint.requests)[0]];
    expect(path).toBe("/v1/embeddings");
    expect(body).toEqual({ model: "small", input: ["a", "b"], dimensions: 3 });
    expect(headers).toMatchObject({
      authorization: `Bearer ${CANARY}`,
      "content-type": "application/json",
      "user-agent": "repertoire/1.2.3",
    });
  });

  it("sends no key where there is none, keeps the query of the url, and takes vectors without an index in order", async () => {
    const endpoint = await openEndpoint();
    endpoint.answer = () => ({ body: JSON.stringify({ data: [{ embedding: [1] }, { embedding: [-1] }] }) });
    const reply = await ask({ url: `${endpoint.url}?api-version=1`, model: "m" }, ["a", "b"]);
    expect(reply).toEqual({ kind: "vectors", vectors: [Float32Array.of(1), Float32Array.of(-1)] });
    expect(endpoint.requests[0]!.path).toBe("/v1/embeddings?api-version=1");
    expect(endpoint.requests[0]!.headers).not.toHaveProperty("authorization");
    expect(endpoint.requests[0]!.body).not.toHaveProperty("dimensions");
  });

  it("cuts a text, also in the middle of a character", async () => {
    const endpoint = await openEndpoint();
    await ask({ url: endpoint.url, model: "m" }, [`${"x".repeat(TEXT_LENGTH_MAX - 1)}\u{1f600}`]);
    expect(endpoint.texts()).toEqual([`${"x".repeat(TEXT_LENGTH_MAX - 1)}\ufffd`]);
  });

  it("knows a text that has no direction as one that is near to nothing", async () => {
    const endpoint = await openEndpoint();
    endpoint.answer = () => ({ body: embeddingsOf([[0, 0]]) });
    expect(await ask({ url: endpoint.url, model: "m" }, ["a"])).toEqual({
      kind: "vectors",
      vectors: [Float32Array.of(0, 0)],
    });
  });

  it.each([
    ["no JSON", "<html>", "something other"],
    ["no list", "{}", "something other"],
    ["too deep", `${"[".repeat(100)}${"]".repeat(100)}`, "something other"],
    ["too few", embeddingsOf([[1]]), "1 vectors for 2 texts"],
    ["too many", embeddingsOf([[1], [1], [1]]), "3 vectors for 2 texts"],
    ["different lengths", embeddingsOf([[1], [1, 2]]), "different lengths"],
    ["an empty vector", embeddingsOf([[], []]), "vector 0"],
    ["no number", '{"data":[{"embedding":[1]},{"embedding":["1"]}]}', "vector 1"],
    ["no finite number", '{"data":[{"embedding":[1]},{"embedding":[1e999]}]}', "something other"],
    ["a number without measure", '{"data":[{"embedding":[1]},{"embedding":[1e300]}]}', "vector 1"],
    ["null", '{"data":[null,{"embedding":[1]}]}', "vector 0"],
    ["one index twice", '{"data":[{"index":1,"embedding":[1]},{"index":1,"embedding":[1]}]}', "index"],
    ["an index too high", '{"data":[{"index":2,"embedding":[1]},{"index":1,"embedding":[1]}]}', "index"],
    ["a broken index", '{"data":[{"index":0.5,"embedding":[1]},{"index":1,"embedding":[1]}]}', "index"],
    ["far too long a vector", embeddingsOf([[1], Array.from({ length: 9_000 }, () => 1)]), "vector 1"],
  ])("takes no answer with %s", async (_, body, reason) => {
    const endpoint = await openEndpoint();
    endpoint.answer = () => ({ body });
    const reply = await ask({ url: endpoint.url, model: "m" }, ["a", "b"]);
    expect(reply).toEqual({ kind: "failed", reason: expect.stringContaining(reason) });
  });

  it("reads no more than 16 MiB", async () => {
    const endpoint = await openEndpoint();
    endpoint.answer = () => ({ body: " ".repeat(17 * 1024 * 1024) });
    expect(await ask({ url: endpoint.url, model: "m" }, ["a"])).toEqual({
      kind: "failed",
      reason: "its answer has more than 16 MiB",
    });
  });

  it("tells texts that are refused from an endpoint that fails", async () => {
    const endpoint = await openEndpoint();
    const replies: unknown[] = [];
    for (const status of [400, 413, 422, 401, 404, 429, 500]) {
      endpoint.answer = () => ({ status, body: "no\n\u202eway" });
      const reply = await ask({ url: endpoint.url, model: "m" }, ["a"]);
      replies.push([status, reply.kind]);
      expect(reply).toMatchObject({ reason: `it answered ${status}: no \\u{202e}way` });
    }
    expect(replies).toEqual([
      [400, "refused"],
      [413, "refused"],
      [422, "refused"],
      [401, "failed"],
      [404, "failed"],
      [429, "failed"],
      [500, "failed"],
    ]);
  });
});

describe("the key", () => {
  it("goes to no other origin: redirects are not followed", async () => {
    const [endpoint, other] = [await openEndpoint(), await openEndpoint()];
    for (const status of [301, 302, 307, 308]) {
      endpoint.answer = () => ({ status, headers: { location: `${other.url}/embeddings` }, body: "" });
      expect(await ask({ url: endpoint.url, model: "m", apiKey: CANARY }, ["a"])).toEqual({
        kind: "failed",
        reason: `it answered ${status}: redirects are not followed`,
      });
    }
    expect(other.requests).toEqual([]);
  });

  it("is in no reason, though the endpoint repeats it, plain or encoded, and though it cannot be sent", async () => {
    const endpoint = await openEndpoint();
    const encoded = Buffer.from(CANARY).toString("base64");
    endpoint.answer = () => ({ status: 401, body: `Wrong key ${CANARY}, which is ${encoded}` });
    const replies = [
      await ask({ url: endpoint.url, model: "m", apiKey: CANARY }, ["a"]),
      await ask({ url: endpoint.url, model: "m", apiKey: `${CANARY}\n` }, ["a"]),
      await ask({ url: endpoint.url, model: "m", apiKey: `${CANARY}\n${CANARY}` }, ["a"]),
      await ask({ url: endpoint.url.replace("//", `//me:${CANARY}@`), model: "m" }, ["a"]),
      await ask({ url: "http://127.0.0.1:1/v1", model: "m", apiKey: CANARY }, ["a"]),
    ];
    expect(replies.map(({ kind }) => kind)).toEqual(Array(5).fill("failed"));
    expect(JSON.stringify(replies)).not.toContain(CANARY);
    expect(JSON.stringify(replies)).not.toContain(encoded.slice(0, 20));
    endpoint.answer = () => ({ status: 401, body: "not abc" });
    const short = await ask({ url: endpoint.url, model: "m", apiKey: "abc" }, ["a"]);
    expect(short).toEqual({ kind: "failed", reason: "it answered 401: not [redacted]" });
  });

  it("is not waited for any longer once the signal says so", async () => {
    const endpoint = await openEndpoint();
    endpoint.answer = () => new Promise(() => {});
    const leaving = new AbortController();
    const asking = ask({ url: endpoint.url, model: "m" }, ["a"], leaving.signal);
    await endpoint.asked(1);
    leaving.abort();
    expect(await asking).toEqual({ kind: "failed", reason: "it did not answer in time" });
  });
});
