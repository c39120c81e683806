import { expect, it } from "vitest";
import type { CachedServer } from "../../core/store.ts";
import type { StoreFixture } from "./fixture.ts";

const GITHUB: CachedServer = {
  server: "github",
  definitions: { tools: [{ name: "search", inputSchema: { type: "object" } }] },
  hash: "h1",
  fetchedAt: 1_790_000_000_000,
  ttlMs: 60_000,
};

export function describeServers(fixture: () => StoreFixture): void {
  it("keeps what each server offered, also after a restart", async () => {
    const { store, reopen } = fixture();
    const files = { ...GITHUB, server: "files", definitions: {} };
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

  it("forgets a server, and does not mind one that it never knew", async () => {
    const { store } = fixture();
    await store.serverCache.put(GITHUB);
    await store.serverCache.remove("unknown");
    expect(await store.serverCache.list()).toEqual([GITHUB]);
    await store.serverCache.remove("github");
    expect(await store.serverCache.list()).toEqual([]);
  });
}
