import { expect, it } from "vitest";
import type { CachedServer } from "../../core/store.ts";
import type { StoreFixture } from "./fixture.ts";

const GITHUB: CachedServer = {
  server: "github",
  configHash: "c",
  definitions: { tools: [{ name: "search", inputSchema: { type: "object" } }] },
  hash: "h1",
  fetchedAt: 1_790_000_000_000,
  ttlMs: 60_000,
};

export function describeServers(fixture: () => StoreFixture): void {
  it("keeps what each server offered, also after a restart", async () => {
    const { store, reopen } = fixture();
    const files = { ...GITHUB, server: "files", configHash: "c", definitions: {} };
    await store.serverCache.put(GITHUB);
    await store.serverCache.put(files);
    expect(await store.serverCache.list()).toEqual([files, GITHUB]);
    expect(await (await reopen()).serverCache.list()).toEqual([files, GITHUB]);
  });

  it("keeps a server with a thousand tools, which has more keys than any single value may have", async () => {
    const { store } = fixture();
    const properties = Object.fromEntries(
      Array.from({ length: 20 }, (_, i) => [`p${i}`, { type: "string" }]),
    );
    const tools = Array.from({ length: 1_000 }, (_, i) => ({ name: `t${i}`, inputSchema: { properties } }));
    const large = { ...GITHUB, definitions: { tools } };
    await store.serverCache.put(large);
    expect(await store.serverCache.list()).toEqual([large]);
  });

  it("replaces what a server offered before", async () => {
    const { store } = fixture();
    await store.serverCache.put(GITHUB);
    const newer = { ...GITHUB, definitions: { tools: [] }, hash: "h2", fetchedAt: 5, ttlMs: 6 };
    await store.serverCache.put(newer);
    expect(await store.serverCache.list()).toEqual([newer]);
  });

  it("grows the topic `servers` with every list that is another one, and with no other put", async () => {
    const { store } = fixture();
    const revision = async () => (await store.revisions.read()).servers;
    await store.serverCache.put(GITHUB);
    expect(await revision()).toBe(1);
    const again = { ...GITHUB, fetchedAt: GITHUB.fetchedAt + 9, ttlMs: 1 };
    await store.serverCache.put(again);
    expect(await revision()).toBe(1);
    expect(await store.serverCache.list()).toEqual([again]);
    await store.serverCache.put({ ...again, definitions: {}, hash: "h2" });
    expect(await revision()).toBe(2);
    await store.serverCache.remove("github");
    expect(await revision()).toBe(2);
  });

  it("has a list for each config of a server, and marks of all without the lists", async () => {
    const { store } = fixture();
    const other = { ...GITHUB, configHash: "d", hash: "h2", definitions: {}, fetchedAt: 1 };
    await store.serverCache.put(GITHUB);
    await store.serverCache.put(other);
    expect(await store.serverCache.find("github", "c")).toEqual(GITHUB);
    expect(await store.serverCache.find("github", "d")).toEqual(other);
    expect(await store.serverCache.find("github", "e")).toBeUndefined();
    expect(await store.serverCache.list()).toEqual([other, GITHUB]);
    const marks = (await store.serverCache.marks()).toSorted((a, b) => a.hash.localeCompare(b.hash));
    expect(marks).toEqual([
      { server: "github", configHash: "c", hash: "h1" },
      { server: "github", configHash: "d", hash: "h2" },
    ]);
  });

  it("keeps the lists of the newest eight configs", async () => {
    const { store } = fixture();
    await store.serverCache.put({ ...GITHUB, server: "files", fetchedAt: 0 });
    for (let i = 0; i < 10; i++)
      await store.serverCache.put({ ...GITHUB, configHash: `c${i}`, fetchedAt: i });
    const kept = (await store.serverCache.marks()).filter(({ server }) => server === "github");
    expect(kept.map(({ configHash }) => configHash).toSorted()).toEqual(
      Array.from({ length: 8 }, (_, i) => `c${i + 2}`),
    );
    expect(await store.serverCache.find("files", "c")).toBeDefined();
  });

  it("takes puts of several at once", async () => {
    const { store } = fixture();
    const hashes = Array.from({ length: 8 }, (_, i) => `h${i}`);
    await Promise.all(hashes.map((hash) => store.serverCache.put({ ...GITHUB, hash })));
    expect(await store.serverCache.marks()).toHaveLength(1);
    expect((await store.revisions.read()).servers).toBe(8);
  });

  it("forgets a server, and does not mind one that it never knew", async () => {
    const { store } = fixture();
    await store.serverCache.put(GITHUB);
    await store.serverCache.remove("unknown");
    expect(await store.serverCache.list()).toEqual([GITHUB]);
    await store.serverCache.remove("github");
    expect(await store.serverCache.list()).toEqual([]);
  });
}
