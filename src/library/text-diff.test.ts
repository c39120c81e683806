import { applyPatch } from "diff";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { workedMs } from "../../test/rig/worked.ts";
import { diffSources } from "./import-export.ts";

const LABELS = { before: "math:sum v1", after: "math:sum v2" };
/** Twice the worst on a busy machine; without a bound it would be minutes. */
const TAKES_MS_MAX = 3_000;

function numbered(count: number, word: string): string {
  return Array.from({ length: count }, (_, i) => `${word} ${i}\n`).join("");
}

describe("the difference of two sources", () => {
  it("is empty when they are equal", () => {
    expect(diffSources("a\n", "a\n", LABELS)).toBe("");
    expect(diffSources("", "", LABELS)).toBe("");
  });

  it("is a unified diff under the labels", () => {
    expect(diffSources("const a = 1;\nreturn a;\n", "const a = 2;\nreturn a;\n", LABELS)).toBe(
      "--- math:sum v1\n+++ math:sum v2\n@@ -1,2 +1,2 @@\n-const a = 1;\n+const a = 2;\n return a;\n",
    );
  });

  it("shows three lines around a change", () => {
    const before = numbered(20, "line");
    const diff = diffSources(before, before.replace("line 10\n", "changed\n"), LABELS);
    expect(diff).toContain("@@ -8,7 +8,7 @@");
    expect(diff).not.toContain("line 6\n");
  });

  it("says that a final line break came or went", () => {
    expect(diffSources("a", "a\n", LABELS)).toContain("\\ No newline at end of file");
  });

  it("makes the one text of the other, whatever they hold", () => {
    const line = fc.constantFrom("a", "b", "--- c", "+++ d", "@@ -1 +1 @@", "", "\\", "e\r");
    const text = fc
      .tuple(fc.array(line), fc.boolean())
      .map(([lines, ends]) => lines.join("\n") + (ends ? "\n" : ""));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const diff = diffSources(before, after, LABELS);
        expect(diff === "" ? before : applyPatch(before, diff, { autoConvertLineEndings: false })).toBe(
          after,
        );
      }),
    );
  });

  it("a label forges no line", () => {
    const diff = diffSources("a", "b", { before: "x\n+++ y", after: "z\u202e" });
    expect(diff.split("\n").slice(0, 2)).toEqual(["--- x\\u{a}+++ y", "+++ z\\u{202e}"]);
  });
});

describe("texts that cannot be compared in time", () => {
  it.each([
    ["very different", numbered(20_000, "old"), numbered(10_000, "new"), "20000 lines became 10000 lines"],
    ["mostly blank", "\n".repeat(200_000), "x\n".repeat(100_000), "200000 lines became 100000 lines"],
    ["huge", "x".repeat(2_000_000), "y".repeat(2_000_000), "1 line became 1 line"],
  ])("are replaced as a whole: %s", (_, before, after, sizes) => {
    let diff: string | undefined;
    expect(workedMs(() => (diff = diffSources(before, after, LABELS)))).toBeLessThan(TAKES_MS_MAX);
    expect(diff).toBe(`--- math:sum v1\n+++ math:sum v2\nreplaced as a whole: ${sizes}\n`);
  });

  it("a small change in a long text is still shown", () => {
    const before = numbered(12_000, "line");
    expect(diffSources(before, before.replace("line 6000\n", ""), LABELS)).toContain("\n-line 6000\n");
  });
});
