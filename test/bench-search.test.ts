import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { createEquivalentRecall } from "../bench/search-equivalents.ts";
import { fillSet, type BenchSet } from "../bench/search-data.ts";
import { dealFolds, sampleFolds, takeIntents } from "../bench/search-folds.ts";
import { meanQuality, ndcgAt, qualityOf, recallAt } from "../bench/search-metrics.ts";

const toolOf = (set: string, name: string): BenchSet["tools"][number] => ({
  id: `${set}:${name}`,
  name,
  server: name.slice(0, 1),
  group: `${set}:${name.slice(0, 1)}`,
  description: `does ${name}`,
});

describe("the quality of a ranking", () => {
  it("counts the wanted things of which a member is found, each once", () => {
    const wanted = [["a", "b"], ["c"]];
    expect(recallAt(["x", "b", "a", "c"], wanted, 1)).toBe(0);
    expect(recallAt(["x", "b", "a", "c"], wanted, 3)).toBe(0.5);
    expect(recallAt(["x", "b", "a", "c"], wanted, 5)).toBe(1);
    expect(recallAt([], wanted, 5)).toBe(0);
  });

  it("is full when the wanted things stand in front in any order, and less the lower they stand", () => {
    expect(ndcgAt(["c", "b"], [["a", "b"], ["c"]], 10)).toBe(1);
    expect(ndcgAt(["x", "a"], [["a"]], 10)).toBeCloseTo(1 / Math.log2(3));
    expect(ndcgAt(["a", "x", "b"], [["a"], ["b"]], 10)).toBeCloseTo(1.5 / (1 + 1 / Math.log2(3)));
    expect(ndcgAt(["x", "a"], [["a"]], 1)).toBe(0);
  });

  it("gains nothing from a second member of a thing that is found already", () => {
    expect(ndcgAt(["a", "b", "c"], [["a", "b"], ["c"]], 10)).toBe(
      ndcgAt(["a", "x", "c"], [["a", "b"], ["c"]], 10),
    );
  });

  it("is the mean over the queries, none weighing more", () => {
    const found = qualityOf(["a"], [["a"]]);
    const half = qualityOf(["x", "a"], [["a"], ["b"]]);
    expect(meanQuality([found, half])).toMatchObject({ recall1: 0.5, recall5: 0.75, recall10: 0.75 });
  });
});

describe("recall with equivalents", () => {
  it("counts a tool of the same name or with nearly the same description for a wanted one, and no other", () => {
    const words = "lists all the open issues of a given repository by date";
    const described = (name: string, description: string) => ({ ...toolOf("s", name), description });
    const recall = createEquivalentRecall([
      described("list_issues", words),
      described("listIssues", "something else"),
      described("issues", `${words} too`),
      described("other", "lists all the closed issues of a board by age and name"),
      described("silent", ""),
      described("mute", ""),
    ]);
    const wanted = [["s:list_issues"]];
    expect(recall(["s:list_issues"], wanted, 5)).toBe(1);
    expect(recall(["s:listIssues"], wanted, 5)).toBe(1);
    expect(recall(["s:issues"], wanted, 5)).toBe(1);
    expect(recall(["s:other"], wanted, 5)).toBe(0);
    expect(recall(["s:other", "s:issues"], wanted, 1)).toBe(0);
    expect(recall(["s:mute"], [["s:silent"]], 5)).toBe(0);
    expect(recall(["s:issues"], [["s:other"], ["s:silent", "s:list_issues"]], 5)).toBe(0.5);
  });
});

describe("the folds", () => {
  const queries = Array.from({ length: 45 }, (_, at) => ({
    text: `query ${at}`,
    wanted: [[`s:${at % 4}`]],
  }));
  const folds = dealFolds({ name: "s", tools: [], queries });

  it("ask every query once, teach none that they ask, and are the same in every run", () => {
    expect(folds.flatMap(({ asked }) => asked.map(({ text }) => text)).toSorted()).toEqual(
      queries.map(({ text }) => text).toSorted(),
    );
    for (const { asked, pool } of folds) {
      const taught = new Set([...pool.values()].flat());
      expect(taught.size + asked.length).toBe(queries.length);
      expect(asked.filter(({ text }) => taught.has(text))).toEqual([]);
    }
    expect(dealFolds({ name: "s", tools: [], queries })).toEqual(folds);
  });

  it("teach at most so many for each tool, the fewer among the more", () => {
    const three = takeIntents(folds[0]!, 3);
    for (const [id, texts] of takeIntents(folds[0]!, 7)) {
      expect(texts.length).toBe(7);
      expect(texts.slice(0, 3)).toEqual(three.get(id));
    }
  });

  it("keep what they teach when fewer are asked", () => {
    const sample = sampleFolds(folds, 15);
    expect(sample.reduce((sum, { asked }) => sum + asked.length, 0)).toBe(15);
    expect(sample.map(({ pool }) => pool)).toEqual(folds.map(({ pool }) => pool));
  });
});

describe("a filled set", () => {
  it("takes distractors, then other sets, then copies under other server names, and none of its own wording", () => {
    const set = { name: "one", tools: [toolOf("one", "a1")], queries: [] };
    const other = { name: "two", tools: [toolOf("two", "b1")], queries: [] };
    const distractors = [toolOf("d", "c1"), toolOf("d", "c2"), { ...toolOf("d", "x"), ...wordingOf("a1") }];
    const { tools, filling } = fillSet({ sets: [set, other], distractors }, set, 7);
    expect(filling).toEqual({ own: 1, distractors: 2, otherSets: 1, copies: 3 });
    expect(new Set(tools.map(({ id }) => id)).size).toBe(7);
    expect(new Set(tools.map(({ server }) => server))).toEqual(new Set(["a", "b", "c", "c-2", "c-3"]));
  });
});

function wordingOf(name: string): { name: string; description: string } {
  return { name, description: `does ${name}` };
}

describe("the search bench", () => {
  it("says in one line what it skips where the data is not there", () => {
    const missing = join(tmpdir(), "repertoire-test-no-such-folder");
    const printed = execFileSync(process.execPath, [resolve("bench/search.ts")], {
      encoding: "utf8",
      env: { ...process.env, REPERTOIRE_BENCH_DATA: missing },
    });
    expect(printed).toMatch(/^Skipped: [^\n]*REPERTOIRE_BENCH_DATA[^\n]*\n$/);
    expect(printed).toContain(missing);
  });
});
