import { describe, expect, it, onTestFinished } from "vitest";
import { createTestTime } from "../../registry/time.testkit.ts";
import { openTestStore, openRaw, testHome } from "../../store/sqlite/temp-home.testkit.ts";
import { join } from "node:path";
import { createEmbeddings, QUERY_MS_MAX, type Embeddings } from "./embeddings.ts";
import { REQUEST_MS_MAX } from "./model.ts";
import type { EmbeddingEndpoint } from "./endpoint.ts";
import {
  closedPort,
  createHeardLog,
  createMoments,
  embeddingsOf,
  meaningOf,
  openEndpoint,
  watchStore,
  type TestAnswer,
  type WatchedStore,
} from "./endpoint.testkit.ts";

const CANARY = `canary-${"k".repeat(24)}`;

/** Time stands still: nothing here is late before the test says so. */
async function openRig(store: WatchedStore = watchStore(), given?: Partial<EmbeddingEndpoint>) {
  const endpoint = await openEndpoint();
  const time = createTestTime();
  const log = createHeardLog();
  const moments = createMoments();
  const rests: number[] = [];
  let restedCount = 0;
  const config: { current: EmbeddingEndpoint | undefined } = {
    current: { url: endpoint.url, model: "small", ...given },
  };
  const embeddings = createEmbeddings({
    endpoint: () => config.current,
    store,
    log,
    after(delayMs, run) {
      if (delayMs !== QUERY_MS_MAX && delayMs !== REQUEST_MS_MAX) {
        rests.push(delayMs);
        moments.tell();
      }
      return time.after(delayMs, run);
    },
    clock: time.clock,
    random: () => 1,
    version: "0",
  });
  onTestFinished(() => embeddings.close());
  /** Resolves when the endpoint is left alone for the next time. */
  const resting = () => moments.until(() => rests.length > restedCount);
  async function rest(): Promise<void> {
    await resting();
    await time.advance(rests[restedCount++]!);
  }
  return { endpoint, time, log, store, config, embeddings, rests, resting, rest };
}

function put(embeddings: Embeddings, texts: Record<string, string>, group = "g"): void {
  const tools = Object.entries(texts).map(([id, text]) => [id, { definition: { text } }] as const);
  embeddings.put(group, new Map(tools), ({ definition }) => definition.text);
}

const garage = { cars: "book a car", bread: "bake bread" };

const warnings = (log: { lines: { level: string; event: string }[] }) =>
  log.lines.filter(({ level }) => level === "warn").map(({ event }) => event);

describe("tools", () => {
  it("are near to a query that means the same, once the endpoint has seen them", async () => {
    const { embeddings, store, endpoint } = await openRig();
    put(embeddings, garage);
    const early = await embeddings.nearTo("charter a limousine");
    await store.wrote(2);
    const nearTo = await embeddings.nearTo("charter a limousine");
    expect(nearTo!("cars")).toBeGreaterThan(0.6);
    expect(nearTo!("bread")).toBeCloseTo(0);
    expect(nearTo!("nobody")).toBeUndefined();
    // What is learnt meanwhile counts for earlier queries, too.
    expect(early!("cars")).toBe(nearTo!("cars"));
    expect(endpoint.texts().sort()).toEqual(["bake bread", "book a car", "charter a limousine"]);
  });

  it("cost nothing before somebody searches, and nothing at all where no endpoint is configured", async () => {
    const { embeddings, store, endpoint, config } = await openRig();
    put(embeddings, garage);
    const configured = config.current;
    config.current = undefined;
    expect(await embeddings.nearTo("car")).toBeUndefined();
    expect(endpoint.requests).toEqual([]);
    config.current = configured;
    expect(await embeddings.nearTo(" ")).toBeUndefined();
    expect(endpoint.requests).toEqual([]);
    await embeddings.nearTo("car");
    await store.wrote(2);
    expect((await embeddings.nearTo("car"))!("cars")).toBeGreaterThan(0);
  });

  it("are embedded again when their text changes, and only those; the old vector stands until then", async () => {
    const { embeddings, store, endpoint } = await openRig();
    put(embeddings, garage);
    await embeddings.nearTo("car");
    await store.wrote(2);
    const { promise, resolve } = Promise.withResolvers<TestAnswer>();
    endpoint.answer = () => promise;
    put(embeddings, { ...garage, cars: "paint a sedan" });
    await endpoint.asked(3);
    expect((await embeddings.nearTo("car"))!("cars")).toBeGreaterThan(0.5);
    // It comes once more, with the same words, before the first is answered.
    put(embeddings, { ...garage, cars: "paint a sedan" });
    resolve({ body: embeddingsOf([meaningOf("paint a sedan")]) });
    await store.wrote(3);
    put(embeddings, { cars: "paint a sedan" });
    expect(endpoint.texts().sort()).toEqual(["bake bread", "book a car", "car", "paint a sedan"]);
    const nearTo = await embeddings.nearTo("car");
    expect(nearTo!("bread")).toBeUndefined();
  });

  it("survive a restart: the endpoint sees each text once for each model", async () => {
    const home = testHome();
    const first = await openRig(watchStore((await openTestStore(home)).embeddings));
    put(first.embeddings, garage);
    await first.embeddings.nearTo("car");
    await first.store.wrote(2);
    await first.embeddings.close();
    const second = await openRig(watchStore((await openTestStore(home)).embeddings));
    put(second.embeddings, garage);
    const nearTo = await second.embeddings.nearTo("car");
    expect(nearTo!("cars")).toBeGreaterThan(0.5);
    expect(second.endpoint.texts()).toEqual(["car"]);
    second.config.current = { url: second.endpoint.url, model: "small", dimensions: 512 };
    await second.embeddings.nearTo("car");
    await second.store.wrote(2);
    expect(second.endpoint.texts()).toHaveLength(4);
    expect((await second.embeddings.nearTo("car"))!("cars")).toBeGreaterThan(0.5);
  });

  it("go out 64 at once and one batch after the other", async () => {
    const { embeddings, store, endpoint } = await openRig();
    put(embeddings, Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`t${i}`, `does ${i}`])));
    await embeddings.nearTo("car");
    await store.wrote(150);
    const counts = endpoint.requests.map(({ body }) => body.input.length).filter((count) => count > 1);
    expect(counts).toEqual([64, 64, 22]);
  });

  it("are left out alone where the endpoint refuses one of them", async () => {
    const { embeddings, store, endpoint, rest } = await openRig();
    const { answer } = endpoint;
    endpoint.answer = (request) =>
      request.body.input.some((text) => text.includes("poison"))
        ? { status: 400, body: "too long" }
        : answer(request);
    await embeddings.nearTo("car");
    put(embeddings, { ...garage, a: "does a", b: "poison", c: "does c" });
    // 5 are refused, 2 go, 3 are refused, 1 goes, 2 are refused, 1 is, 1 goes: each refusal is followed by a rest.
    for (let refusal = 0; refusal < 4; refusal++) await rest();
    await store.wrote(4);
    expect((await embeddings.nearTo("does car"))!("b")).toBeUndefined();
    expect((await embeddings.nearTo("does car"))!("c")).toBeGreaterThan(0);
  });

  it("are ranked by words alone where the store cannot be read, and it is told once", async () => {
    const broken = {
      ...watchStore(),
      find: () => Promise.reject(new Error("disk")),
      put: () => Promise.reject(new Error("disk")),
    };
    const { embeddings, log, endpoint } = await openRig(broken);
    put(embeddings, garage);
    await embeddings.nearTo("car");
    await endpoint.asked(2);
    await embeddings.nearTo("car");
    put(embeddings, { ...garage, more: "more" });
    await endpoint.asked(3);
    await embeddings.close();
    expect(warnings(log)).toEqual(["search.embeddings.store.failed"]);
  });
});

describe("queries", () => {
  it("are not waited for longer than the limit; what comes late is there the next time", async () => {
    const { embeddings, store, endpoint, time } = await openRig();
    put(embeddings, garage);
    await embeddings.nearTo("car");
    await store.wrote(2);
    const { promise, resolve } = Promise.withResolvers<TestAnswer>();
    endpoint.answer = () => promise;
    const slow = embeddings.nearTo("limousine");
    await endpoint.asked(3);
    await time.advance(QUERY_MS_MAX);
    expect(await slow).toBeUndefined();
    const again = embeddings.nearTo("limousine");
    resolve({ body: embeddingsOf([meaningOf("limousine")]) });
    expect((await again)!("cars")).toBeGreaterThan(0.5);
    expect((await embeddings.nearTo(" limousine "))!("cars")).toBeGreaterThan(0.5);
    expect(endpoint.requests).toHaveLength(3);
  });

  it("share one request for the same text, and no more than eight wait at once", async () => {
    const { embeddings, endpoint, time } = await openRig();
    endpoint.answer = () => new Promise(() => {});
    const asked = Array.from({ length: 20 }, (_, i) => embeddings.nearTo(`query ${i % 10}`));
    await endpoint.asked(8);
    await time.advance(QUERY_MS_MAX);
    expect(await Promise.all(asked)).toEqual(Array(20).fill(undefined));
    expect(new Set(endpoint.texts()).size).toBe(8);
    expect(endpoint.requests).toHaveLength(8);
  });

  it("are kept, the last 500 of them", async () => {
    const { embeddings, endpoint } = await openRig();
    for (let i = 0; i <= 500; i++) await embeddings.nearTo(`q${i}`);
    await embeddings.nearTo("q500");
    await embeddings.nearTo("q1");
    expect(endpoint.requests).toHaveLength(501);
    await embeddings.nearTo("q0");
    expect(endpoint.requests).toHaveLength(502);
  });

  it("that are refused alone fail alone", async () => {
    const { embeddings, endpoint, log } = await openRig();
    const { answer } = endpoint;
    endpoint.answer = (request) =>
      request.body.input[0] === "poison" ? { status: 400, body: "" } : answer(request);
    expect(await embeddings.nearTo("poison")).toBeUndefined();
    expect(await embeddings.nearTo("car")).toBeDefined();
    expect(log.lines).toEqual([]);
  });
});

describe("an endpoint that is down", () => {
  it("is warned of once, left alone for a while that grows, and used again when it is back", async () => {
    const { embeddings, store, endpoint, log, rests, resting, rest } = await openRig();
    const { answer } = endpoint;
    endpoint.answer = () => ({ status: 500, body: "down" });
    expect(await embeddings.nearTo("car")).toBeUndefined();
    put(embeddings, garage);
    await rest();
    await rest();
    await resting();
    expect(rests).toEqual([1_000, 2_000, 4_000]);
    const before = endpoint.requests.length;
    expect(await embeddings.nearTo("other")).toBeUndefined();
    expect(endpoint.requests).toHaveLength(before);
    endpoint.answer = answer;
    await rest();
    await store.wrote(2);
    await log.heard("search.embeddings.recovered");
    expect((await embeddings.nearTo("car"))!("cars")).toBeGreaterThan(0.5);
    expect(warnings(log)).toEqual(["search.embeddings.failed"]);
  });

  it("that nobody listens at costs a search nothing but its meaning", async () => {
    const { embeddings, config, log } = await openRig();
    config.current = { url: `http://127.0.0.1:${await closedPort()}/v1`, model: "m" };
    put(embeddings, garage);
    expect(await embeddings.nearTo("car")).toBeUndefined();
    await log.heard("search.embeddings.failed");
    await embeddings.close();
    expect(await embeddings.nearTo("car")).toBeUndefined();
    expect(warnings(log)).toEqual(["search.embeddings.failed"]);
    expect(log.lines).toMatchObject([{ fields: { reason: "it cannot be reached: ECONNREFUSED" } }]);
  });

  it("that hangs is given up after 30 s, and closing waits for nothing and warns of nothing", async () => {
    const { embeddings, endpoint, time, log } = await openRig();
    endpoint.answer = () => new Promise(() => {});
    put(embeddings, garage);
    const asked = embeddings.nearTo("car");
    await endpoint.asked(2);
    await time.advance(QUERY_MS_MAX);
    await asked;
    await embeddings.close();
    expect(log.lines).toEqual([]);
    const other = await openRig();
    other.endpoint.answer = () => new Promise(() => {});
    const hanging = other.embeddings.nearTo("car");
    await other.endpoint.asked(1);
    await other.time.advance(30_000);
    await hanging;
    await other.log.heard("search.embeddings.failed");
    expect(other.log.lines).toMatchObject([{ fields: { reason: "it did not answer in time" } }]);
  });
});

it("T136: the key is in no log line and nowhere in the store, though the endpoint repeats it", async () => {
  const home = testHome();
  const store = await openTestStore(home);
  const rig = await openRig(watchStore(store.embeddings), { apiKey: CANARY });
  const { answer } = rig.endpoint;
  rig.endpoint.answer = ({ headers }) => ({ status: 401, body: `no: ${headers.authorization}` });
  expect(await rig.embeddings.nearTo("car")).toBeUndefined();
  rig.endpoint.answer = answer;
  put(rig.embeddings, garage);
  await rig.rest();
  await rig.store.wrote(2);
  expect(rig.endpoint.requests.every(({ headers }) => headers.authorization === `Bearer ${CANARY}`)).toBe(
    true,
  );
  expect(JSON.stringify(rig.log.lines)).toContain("it answered 401");
  expect(JSON.stringify(rig.log.lines)).not.toContain(CANARY);
  const rows = openRaw(join(home, "repertoire.db")).prepare("select * from embeddings").all();
  expect(rows).toHaveLength(2);
  expect(JSON.stringify(rows)).not.toContain(CANARY);
});
