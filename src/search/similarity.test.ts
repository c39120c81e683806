import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSearchIndex } from "./search-index.ts";
import type { SimilarityOf } from "./similarity.ts";

const DOCUMENTS = [
  { id: "garage__book_car", fields: { name: "book_car", description: "Books a car for a day." } },
  { id: "garage__wash", fields: { name: "wash", description: "Washes a car." } },
  { id: "bakery__bake", fields: { name: "bake", description: "Bakes bread." } },
];

function indexOf(documents: readonly { id: string; fields: object; useCount?: number }[] = DOCUMENTS) {
  const index = createSearchIndex();
  index.put("all", documents);
  return index;
}

function near(cosines: Record<string, number>): SimilarityOf {
  return (id) => cosines[id];
}

describe("a search by words and meaning", () => {
  it("finds what has none of the words", () => {
    const similarityOf = near({ garage__book_car: 0.8, garage__wash: 0.4, bakery__bake: -0.1 });
    const { hits, total } = indexOf().search("limousine", { limit: 10, similarityOf });
    expect(hits).toEqual([{ id: "garage__book_car", score: expect.closeTo(0.24) }]);
    expect(total).toBe(1);
  });

  it("mixes 7 parts of the words with 3 of the meaning, each as a share of one", () => {
    const similarityOf = near({ garage__wash: 0.9, garage__book_car: 0.5, bakery__bake: -1 });
    const words = indexOf().search("wash a car", { limit: 10 }).hits;
    expect(words.map(({ id }) => id)).toEqual(["garage__wash", "garage__book_car"]);
    const { hits } = indexOf().search("wash a car", { limit: 10, similarityOf });
    const share = words[1]!.score / words[0]!.score;
    expect(hits).toEqual([
      { id: "garage__wash", score: expect.closeTo(0.7 + 0.3 * 0.9) },
      { id: "garage__book_car", score: expect.closeTo(0.7 * share + 0.3 * 0.5) },
    ]);
  });

  it("turns the order of near equals, and a large lead in words stands", () => {
    const [a, b] = [
      { id: "a__send", fields: { name: "send_mail", description: "Sends a message to a list." } },
      { id: "b__send", fields: { name: "send_mail", description: "Sends a message to a list of people." } },
    ];
    const ids = (cosines: Record<string, number>) =>
      indexOf([a, b, ...DOCUMENTS])
        .search("send mail", { limit: 3, similarityOf: near(cosines) })
        .hits.map(({ id }) => id);
    expect(ids({})).toEqual(["a__send", "b__send"]);
    expect(ids({ a__send: 0.3, b__send: 0.9 })[0]).toBe("b__send");
    expect(ids({ a__send: 0.1, b__send: 0.1, bakery__bake: 1 })).toEqual([
      "a__send",
      "b__send",
      "bakery__bake",
    ]);
  });

  it("ranks a tool without a vector by its words, and takes it for nothing else", () => {
    const { hits } = indexOf().search("wash a car", {
      limit: 10,
      similarityOf: near({ garage__book_car: 0.5 }),
    });
    expect(hits[0]).toEqual({ id: "garage__wash", score: expect.closeTo(1) });
    expect(hits).toHaveLength(2);
  });

  it("lets use decide on top", () => {
    const used = DOCUMENTS.map((document) => ({ ...document, useCount: 50 }));
    const similarityOf = near({ garage__book_car: 0.8 });
    const [hit] = indexOf(used).search("limousine", { limit: 1, similarityOf }).hits;
    expect(hit!.score).toBeCloseTo(0.24 * 1.02);
  });

  it("is the same for a request for several things", () => {
    const similarityOf = near({ garage__book_car: 0.9, garage__wash: 0.2, bakery__bake: 0.6 });
    const { hits } = indexOf().search("first bake bread, then charter a limousine", {
      limit: 10,
      similarityOf,
    });
    expect(hits.map(({ id }) => id)).toEqual(["bakery__bake", "garage__book_car"]);
    expect(hits.every(({ score }) => score > 0 && score <= 1)).toBe(true);
  });

  it("brings in nothing that is not allowed, however near it is, and counts only what is", () => {
    const similarityOf = near({ garage__book_car: 0.9, garage__wash: 0.5, bakery__bake: 0.4 });
    const allows = (id: string) => id !== "garage__book_car";
    const { hits, total } = indexOf().search("limousine", { limit: 10, allows, similarityOf });
    expect(hits.map(({ id }) => id)).toEqual(["garage__wash", "bakery__bake"]);
    expect(total).toBe(2);
  });

  it("looks at the 50 nearest, also where those that are not allowed are nearer", () => {
    const documents = Array.from({ length: 200 }, (_, i) => ({ id: `s__t${i}`, fields: { name: `t${i}` } }));
    const similarityOf: SimilarityOf = (id) => 1 - Number(id.slice(4)) / 1000;
    const allows = (id: string) => Number(id.slice(4)) >= 100;
    const { hits, total } = indexOf(documents).search("nothing", { limit: 100, allows, similarityOf });
    expect(total).toBe(50);
    expect(hits.map(({ id }) => id)).toEqual(Array.from({ length: 50 }, (_, i) => `s__t${100 + i}`));
  });

  it("leaves out what is far from the nearest: to some models nothing is far from anything", () => {
    const similarityOf = near({ garage__book_car: 0.8, garage__wash: 0.47, bakery__bake: 0.49 });
    const { hits } = indexOf().search("limousine", { limit: 10, similarityOf });
    expect(hits.map(({ id }) => id)).toEqual(["garage__book_car", "bakery__bake"]);
  });

  it("says that the words fit badly, though the meaning fits", () => {
    const similarityOf = near({ garage__book_car: 1 });
    expect(indexOf().search("limousine", { limit: 1, similarityOf }).isFaint).toBe(true);
    expect(indexOf().search("book car", { limit: 1, similarityOf }).isFaint).toBe(false);
  });

  it("finds the same tools in the same order as by words, where the meaning says nothing", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("wash", "car", "bread", "book", "day", "x"), { maxLength: 6 }),
        (words) => {
          const index = indexOf();
          const query = words.join(" ");
          const plain = index.search(query, { limit: 10 });
          const mixed = index.search(query, { limit: 10, similarityOf: () => undefined });
          expect(mixed.hits.map(({ id }) => id)).toEqual(plain.hits.map(({ id }) => id));
          expect({ ...mixed, hits: [] }).toEqual({ ...plain, hits: [] });
        },
      ),
    );
  });

  it("leaves no trace for the search after it, and none of tools that went", () => {
    const index = indexOf();
    const before = index.search("wash a car", { limit: 10 });
    index.search("wash a car", { limit: 10, similarityOf: near({ bakery__bake: 1 }) });
    expect(index.search("wash a car", { limit: 10 })).toEqual(before);
    index.remove("all");
    expect(index.search("car", { limit: 10, similarityOf: () => 1 }).hits).toEqual([]);
  });
});

describe("a search that knows roughly which tools are near", () => {
  function roughly(cosines: Record<string, number>, weight = 0.5) {
    const looked: string[] = [];
    const similarityOf = (id: string) => (looked.push(id), cosines[id]);
    const roughlyOf = (ids: readonly (string | undefined)[]) =>
      Float64Array.from(ids, (id) => (cosines[id ?? ""] ?? NaN) / 2);
    return { looked, similarityOf: Object.assign(similarityOf, { weight, roughlyOf }) };
  }

  it("mixes by the weight that comes with it, and finds what has none of the words", () => {
    const { similarityOf } = roughly({ garage__book_car: 0.8, garage__wash: 0.6, bakery__bake: 0.2 });
    const { hits } = indexOf().search("wash", { limit: 10, similarityOf });
    expect(hits).toEqual([
      { id: "garage__wash", score: expect.closeTo(0.5 + 0.5 * 0.6) },
      { id: "garage__book_car", score: expect.closeTo(0.5 * 0.8) },
    ]);
  });

  it("leaves out what has none of the words and is not near enough", () => {
    const { similarityOf } = roughly({ garage__book_car: 0.29, bakery__bake: 0.31, garage__wash: 0.1 });
    const search = (nearMin: number) =>
      indexOf().search("wash", { limit: 10, similarityOf: Object.assign(similarityOf, { nearMin }) }).hits;
    expect(search(0.3).map(({ id }) => id)).toEqual(["garage__wash", "bakery__bake"]);
    expect(search(0.32).map(({ id }) => id)).toEqual(["garage__wash"]);
  });

  it("looks closely at some of many tools, and ranks the others behind them by their words", () => {
    const documents = Array.from({ length: 2000 }, (_, at) => ({
      id: `s__t${at}`,
      fields: { name: `wash ${"very ".repeat(at % 40)}`, description: "Washes." },
    }));
    const cosines = Object.fromEntries(documents.map(({ id }, at) => [id, 0.3 + (at % 40) / 100]));
    const { similarityOf, looked } = roughly(cosines, 0.4);
    const { hits, total } = indexOf(documents).search("wash", { limit: 2000, similarityOf });
    expect(total).toBe(2000);
    expect(looked.length).toBeLessThan(300);
    const scores = hits.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((one, other) => other - one));
    const last = hits.findLastIndex(({ id }) => looked.includes(id));
    expect(last).toBeLessThan(300);
  });

  it("explains a hit by points that add up to its score", () => {
    const { similarityOf } = roughly({ garage__wash: 0.6, garage__book_car: 0.8 });
    const index = indexOf();
    const { hits } = index.search("wash a car", { limit: 3, similarityOf });
    const why = index.explain("wash a car", DOCUMENTS, { similarityOf });
    for (const { id, score } of hits)
      expect(why.get(id)!.reduce((sum, { points }) => sum + points, 0)).toBeCloseTo(score);
    expect(why.get("garage__book_car")!.map(({ where }) => where)).toContain("meaning");
  });

  it("brings in nothing that is not allowed, and knows only the words of what has no vector", () => {
    const { similarityOf } = roughly({ garage__book_car: 0.9, bakery__bake: 0.8 });
    const allows = (id: string) => id !== "garage__book_car";
    const { hits } = indexOf().search("wash", { limit: 10, allows, similarityOf });
    expect(hits).toEqual([
      { id: "garage__wash", score: expect.closeTo(1) },
      { id: "bakery__bake", score: expect.closeTo(0.4) },
    ]);
  });
});
