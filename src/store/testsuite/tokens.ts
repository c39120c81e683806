import { expect, it } from "vitest";
import type { StoredToken, TokenStore } from "../../core/replica-store.ts";
import type { StoreFixture } from "./fixture.ts";

const tokenOf = (name: string, hash = `hash of ${name}`): StoredToken => ({
  name,
  hash,
  entry: { permissions: ["read"], createdAt: "2030-01-01T00:00:00.000Z" },
});

function add(tokens: TokenStore, token: StoredToken): Promise<number> {
  return tokens.change((known) => ({ tokens: [...known, token], outcome: known.length }));
}

export function describeTokens(fixture: () => StoreFixture): void {
  it("keeps tokens by name, also after a restart", async () => {
    const { store, reopen } = fixture();
    expect(await store.tokens.list()).toEqual([]);
    for (const name of ["b", "a_1", "a1"]) await add(store.tokens, tokenOf(name));
    const again = await reopen();
    expect(await again.tokens.list()).toEqual([tokenOf("a1"), tokenOf("a_1"), tokenOf("b")]);
  });

  it("loses none of many that are made at once", async () => {
    const { tokens } = fixture().store;
    const counts = await Promise.all(
      Array.from({ length: 20 }, (_, i) => add(tokens, tokenOf(`t${String(i).padStart(2, "0")}`))),
    );
    expect(counts.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i));
    expect(await tokens.list()).toHaveLength(20);
  });

  it("replaces and removes tokens in one change", async () => {
    const { tokens } = fixture().store;
    for (const name of ["gone", "kept", "rotated"]) await add(tokens, tokenOf(name));
    const outcome = await tokens.change((known) => ({
      tokens: [...known.filter(({ name }) => name === "kept"), tokenOf("rotated", "another")],
      outcome: "done",
    }));
    expect(outcome).toBe("done");
    expect(await tokens.list()).toEqual([tokenOf("kept"), tokenOf("rotated", "another")]);
  });

  it("lets another token have the hash of one that goes", async () => {
    const { tokens } = fixture().store;
    await add(tokens, tokenOf("a", "same"));
    await tokens.change(() => ({ tokens: [tokenOf("b", "same")], outcome: undefined }));
    expect(await tokens.list()).toEqual([tokenOf("b", "same")]);
  });

  it("grows its revision with each change, and only then", async () => {
    const { tokens, revisions } = fixture().store;
    const revision = async (): Promise<number> => (await revisions.read()).tokens;
    const before = await revision();
    await tokens.change(() => ({ outcome: undefined }));
    await tokens.change((known) => ({ tokens: known, outcome: undefined }));
    expect(await revision()).toBe(before);
    await add(tokens, tokenOf("a"));
    expect(await revision()).toBe(before + 1);
    await tokens.change(() => ({ tokens: [], outcome: undefined }));
    expect(await revision()).toBe(before + 2);
  });

  it("changes nothing where the change throws", async () => {
    const { tokens, revisions } = fixture().store;
    await add(tokens, tokenOf("a"));
    const before = await revisions.read();
    const refused = tokens.change(() => {
      throw new Error("no");
    });
    await expect(refused).rejects.toThrow("no");
    expect(await tokens.list()).toEqual([tokenOf("a")]);
    expect(await revisions.read()).toEqual(before);
  });
}
