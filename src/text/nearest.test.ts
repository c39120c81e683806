import { describe, expect, it } from "vitest";
import { didYouMean, nearest } from "./nearest.ts";

describe("nearest", () => {
  it("finds slips, swaps and other spellings, best first", () => {
    expect(nearest("comand", ["args", "command", "cwd", "env"])).toEqual(["command"]);
    expect(nearest("crate_issue", ["create_issue", "create_issues", "delete_repo"])).toEqual([
      "create_issue",
      "create_issues",
    ]);
    expect(nearest("nae", ["name", "age", "nea"])).toEqual(["name", "nea"]);
    expect(nearest("prAnalyzer", ["pr-analyzer"])).toEqual(["pr-analyzer"]);
  });

  it("finds a name that contains the word", () => {
    expect(nearest("issue", ["github__create_issue", "slack__post"])).toEqual(["github__create_issue"]);
  });

  it("finds nothing where nothing is near", () => {
    expect(nearest("zebra", ["command", "env"])).toEqual([]);
    expect(nearest("", ["command"])).toEqual([]);
    expect(nearest("__proto__", [])).toEqual([]);
  });

  it("stays quick on long words", () => {
    expect(nearest("x".repeat(100_000), ["y".repeat(100_000)])).toEqual([]);
  });

  it("ends a sentence", () => {
    expect(didYouMean([])).toBe("");
    expect(didYouMean(["a", "b"])).toBe(" Did you mean a or b?");
  });
});
