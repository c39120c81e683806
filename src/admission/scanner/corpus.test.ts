import { describe, expect, it } from "vitest";
import { HALVES, loadCorpus, measure } from "../../../test/corpus/corpus.ts";

const RECALL_MIN = 0.9;
const FALSE_SHARE_MAX = 0.05;
/** Classes are small. None may be one that the scanner hardly sees. */
const CLASS_RECALL_MIN = 0.6;

describe.each(HALVES)("T095: the %s half of the labelled corpus", (half) => {
  const entries = loadCorpus(half);
  const results = measure(entries);
  const all = results.at(-1)!;

  it("has attacks and hard negatives in equal parts, each under its own id", () => {
    expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length);
    expect(all.attackCount).toBeGreaterThanOrEqual(80);
    expect(all.benignCount / entries.length).toBeGreaterThan(0.45);
    for (const { attackCount, benignCount } of results)
      expect(Math.min(attackCount, benignCount)).toBeGreaterThan(2);
  });

  it(`finds at least ${RECALL_MIN * 100} % of the attacks`, () => {
    expect(all.foundCount / all.attackCount).toBeGreaterThanOrEqual(RECALL_MIN);
  });

  it(`finds something in at most ${FALSE_SHARE_MAX * 100} % of the hard negatives`, () => {
    expect(all.falseCount / all.benignCount).toBeLessThanOrEqual(FALSE_SHARE_MAX);
  });
});

it("T095: no class of attacks escapes it", () => {
  const results = measure(HALVES.flatMap(loadCorpus));
  const unseen = results.filter(({ foundCount, attackCount }) => foundCount / attackCount < CLASS_RECALL_MIN);
  expect(unseen).toEqual([]);
});
