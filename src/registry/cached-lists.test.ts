import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../../test/fixtures/temporary.ts";
import { contextOf, createFixtureSource, toolOf } from "../../test/fixtures/tool-source.ts";
import type { JsonObject } from "../core/json.ts";
import { succeed } from "../core/result.ts";
import type { ServerCache } from "../core/store.ts";
import type { Offer } from "../core/tool.ts";
import { openSqliteStore } from "../store/sqlite/sqlite-store.ts";
import { createMemoryCache } from "./cached-lists.ts";
import { createRegistry } from "./registry.ts";
import { createTestTime } from "./time.testkit.ts";

const waitMs = 1000;

/** One process: reads the servers, and ends. */
async function readOnce(cache: ServerCache, offers: Readonly<Record<string, Offer>>, configHash = "") {
  const registry = createRegistry({ ...createTestTime(), cache });
  for (const [id, offer] of Object.entries(offers)) {
    const source = createFixtureSource(id, []);
    source.onList = async () => succeed(offer);
    registry.add(source, { configHash });
  }
  const catalogue = await registry.discover({ waitMs }, contextOf());
  await registry.close();
  return catalogue;
}

describe("a new process", () => {
  it("T029: lists what an earlier one read, under the same names, without starting a server", async () => {
    const home = temporaryFolder();
    const long = "a".repeat(200);
    const first = await openSqliteStore({ home });
    const offer = { tools: [toolOf(long), toolOf("x.y", "Fine.", { a: { type: "string" } }), toolOf("x y")] };
    const direct = await readOnce(first.serverCache, { s: offer });
    await first.close();

    const second = await openSqliteStore({ home });
    onTestFinished(() => second.close());
    const registry = createRegistry({ ...createTestTime(), cache: second.serverCache });
    const source = createFixtureSource("s", []);
    await registry.load();
    registry.add(source);
    expect(registry.catalogue().components).toEqual(direct.components);
    expect(await registry.call(direct.components[0]!.name, {}, contextOf())).toMatchObject({ success: true });
    expect(source.listCount).toBe(0);
    await registry.close();
  });

  it("may add its servers before or after it loads, and tells of nothing as if it were new", async () => {
    const cache = createMemoryCache();
    await readOnce(cache, { s: { tools: [toolOf("t")] } });
    for (const order of ["load first", "add first"]) {
      const registry = createRegistry({ ...createTestTime(), cache });
      const events: string[] = [];
      registry.subscribe(({ kind }) => events.push(kind));
      const source = createFixtureSource("s", [toolOf("t", `changed before: ${order}`)]);
      if (order === "add first") registry.add(source);
      await registry.load();
      if (order === "load first") registry.add(source);
      expect(registry.catalogue().components).toHaveLength(1);
      expect(events).toEqual([]);
      await registry.refresh("s", contextOf());
      expect(events).toEqual(["capability.tool.updated", "capability.cache.updated"]);
      await registry.close();
    }
  });

  it("reads again what is too old, and shows it until then", async () => {
    const cache = createMemoryCache();
    await readOnce(cache, { s: { tools: [toolOf("t")], ttlMs: 2000 } });
    const time = createTestTime();
    await time.advance(2000);
    const registry = createRegistry({ ...time, cache });
    registry.add(createFixtureSource("s", [toolOf("u")]));
    await registry.load();
    expect(registry.catalogue()).toMatchObject({ components: [{ name: "s__t" }], stale: ["s"] });
    expect(await registry.discover({ waitMs }, contextOf())).toMatchObject({
      components: [{ name: "s__u" }],
      stale: [],
    });
  });

  it("ignores servers that it has not, drops those that the config has not, and those of another config", async () => {
    const cache = createMemoryCache();
    await readOnce(cache, { a: { tools: [toolOf("t")] }, b: { tools: [] }, c: { tools: [] } }, "one");
    const registry = createRegistry({ ...createTestTime(), cache });
    registry.add(createFixtureSource("a", []), { configHash: "two" });
    await registry.load(["a", "b"]);
    expect(registry.catalogue()).toMatchObject({ components: [], pending: ["a"] });
    await registry.close();
    expect((await cache.list()).map((row) => row.server)).toEqual(["a", "b"]);
  });

  it("does without an entry that it cannot read", async () => {
    const cache = createMemoryCache();
    const definitions: JsonObject[] = [
      {},
      { format: 99 },
      { format: 1, configHash: "", rejected: [], tools: 7 },
    ];
    for (const [index, value] of definitions.entries()) {
      await cache.put({
        server: `s${index}`,
        configHash: "c",
        definitions: value,
        hash: "",
        fetchedAt: 0,
        ttlMs: 0,
      });
    }
    const registry = createRegistry({ ...createTestTime(), cache });
    for (const index of definitions.keys()) registry.add(createFixtureSource(`s${index}`, [toolOf("t")]));
    await registry.load();
    expect((await registry.discover({ waitMs }, contextOf())).components).toHaveLength(3);
  });
});

it("works on where the store does not, and says so", async () => {
  const broken: ServerCache = {
    put: () => Promise.reject(new Error("disk full")),
    list: () => Promise.reject(new Error("locked")),
    find: () => Promise.reject(new Error("locked")),
    marks: () => Promise.reject(new Error("locked")),
    remove: () => Promise.reject(new Error("locked")),
  };
  const registry = createRegistry({ ...createTestTime(), cache: broken });
  registry.add(createFixtureSource("s", [toolOf("t")]));
  await registry.load([]);
  await registry.discover({ waitMs }, contextOf());
  await registry.remove("nobody", { forget: true });
  await new Promise(setImmediate);
  expect(registry.catalogue()).toMatchObject({
    components: [{ name: "s__t" }],
    rejected: [{ source: "s", code: "cache_error", reason: "disk full" }],
  });
  await registry.close();
});

it("is the same catalogue from the cache as from the servers", async () => {
  const tool = fc.record(
    {
      name: fc.oneof(fc.string(), fc.constantFrom("a.b", "a b", "a_b", "__proto__")),
      description: fc.oneof(fc.string(), fc.constant("x".repeat(9000))),
      inputSchema: fc.oneof(fc.constantFrom({ type: "object" }, {}, null, true), fc.jsonValue()),
      _meta: fc.dictionary(fc.string(), fc.jsonValue()),
    },
    { requiredKeys: [] },
  );
  const prompt = fc.record({ name: fc.string() }, { requiredKeys: [] });
  const resource = fc.record(
    { uri: fc.oneof(fc.webUrl(), fc.string()), name: fc.string() },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(tool, { maxLength: 6 }),
      fc.array(prompt, { maxLength: 3 }),
      fc.array(resource, { maxLength: 3 }),
      async (tools, prompts, resources) => {
        const cache = createMemoryCache();
        const offer = JSON.parse(JSON.stringify({ tools, prompts, resources })) as Offer;
        const direct = await readOnce(cache, { s: offer });
        const registry = createRegistry({ ...createTestTime(), cache });
        registry.add(createFixtureSource("s", []));
        await registry.load();
        expect(registry.catalogue()).toEqual(direct);
      },
    ),
    { numRuns: 200 },
  );
});
