import { expect, it } from "vitest";
import type { StoreFixture } from "./fixture.ts";

export function describeEmbeddings(fixture: () => StoreFixture): void {
  const half = Float32Array.of(0.5, -0.25, 1 / 3);

  it("gives the vectors that are known, of the model that made them, number for number, also after a restart", async () => {
    const { store, reopen } = fixture();
    await store.embeddings.put("small", new Map([["a", half]]));
    await store.embeddings.put("large", new Map([["a", Float32Array.of(1)]]));
    expect(await store.embeddings.find("small", ["a", "b"])).toEqual(new Map([["a", half]]));
    const again = await reopen();
    expect(await again.embeddings.find("small", ["a"])).toEqual(new Map([["a", half]]));
    expect(await again.embeddings.find("large", ["a"])).toEqual(new Map([["a", Float32Array.of(1)]]));
  });

  it("takes many at once, and the newest of two", async () => {
    const { store } = fixture();
    const vectors = new Map(Array.from({ length: 1_100 }, (_, i) => [`h${i}`, Float32Array.of(i, 1)]));
    await store.embeddings.put("m", vectors);
    expect(await store.embeddings.find("m", [...vectors.keys()])).toEqual(vectors);
    await store.embeddings.put("m", new Map([["h1", half]]));
    expect((await store.embeddings.find("m", ["h1"])).get("h1")).toEqual(half);
    expect(await store.embeddings.find("m", [])).toEqual(new Map());
    await store.embeddings.put("m", new Map());
  });

  it("does not know what cannot be a vector", async () => {
    const { store } = fixture();
    await store.embeddings.put(
      "m",
      new Map([
        ["empty", new Float32Array()],
        ["endless", Float32Array.of(1, Infinity)],
      ]),
    );
    expect(await store.embeddings.find("m", ["empty", "endless"])).toEqual(new Map());
  });
}
