import { describe, expect, it } from "vitest";
import { reasonText, sharesByField, strongestReasons } from "./reasons.ts";

const WHY = [
  { word: "file", where: "description", share: 0.2 },
  { word: "read", where: "name", share: 0.4 },
  { word: "file", where: "name", share: 0.25 },
  { word: "file", where: "description", share: 0.1 },
  { word: "", where: "meaning", share: 0.045 },
  { word: "the", where: "server", share: 0.005 },
];

describe("why a hit ranks", () => {
  it("adds up by field, in the order of the fields' weight, without crumbs", () => {
    const shares = sharesByField(WHY).map(({ where, share }) => [where, Math.round(share * 100)]);
    expect(shares).toEqual([
      ["name", 65],
      ["description", 30],
      ["meaning", 5],
    ]);
  });

  it("names the strongest words, each once for a field", () => {
    expect(strongestReasons(WHY, 3).map(reasonText)).toEqual([
      "read in name, 40 %",
      "file in description, 30 %",
      "file in name, 25 %",
    ]);
  });

  it("says in words what has no word", () => {
    expect(reasonText({ word: "", where: "exact name", share: 0.5 })).toBe("by its exact name, 50 %");
    expect(reasonText({ word: "", where: "meaning", share: 0.5 })).toBe("by its meaning, 50 %");
    expect(reasonText({ word: "", where: "use", share: 0.1 })).toBe("for having been used, 10 %");
  });
});
