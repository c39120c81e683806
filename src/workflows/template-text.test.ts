import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatReference, parseTemplateText, wholeTemplate } from "./template-text.ts";

const text = (content: string): object => ({ kind: "text", text: content });
const use = (root: string, path: (string | number)[], written: string): object => ({
  kind: "use",
  reference: { root, path },
  text: written,
});

describe("a text with templates", () => {
  it.each([
    ["${a}", [use("a", [], "${a}")]],
    ["${a-b.c_1[0].x-y}", [use("a-b", ["c_1", 0, "x-y"], "${a-b.c_1[0].x-y}")]],
    ["${a.größe.名}", [use("a", ["größe", "名"], "${a.größe.名}")]],
    ['${a["any \\"text\\" }"].b}', [use("a", ['any "text" }', "b"], '${a["any \\"text\\" }"].b}')]],
    ["x ${a}${b}!", [text("x "), use("a", [], "${a}"), use("b", [], "${b}"), text("!")]],
    ["$${x}", [text("${x}")]],
    ["$$${x}", [text("$${x}")]],
    ["$${a${b}}", [text("${a"), use("b", [], "${b}"), text("}")]],
    ["${a}$${b}", [use("a", [], "${a}"), text("${b}")]],
    ["$ {a} $x }", [text("$ {a} $x }")]],
    ["", []],
  ])("%j has its pieces in order", (written, pieces) => {
    expect(parseTemplateText(written)).toEqual(pieces);
  });

  it.each([
    ["${", "${"],
    ["${}", "${}"],
    ["${a..b}", "${a..b}"],
    ["${a.}", "${a.}"],
    ["${ a }", "${ a }"],
    ["${1a}", "${1a}"],
    ["${a[01]}", "${a[01]}"],
    ["${a[-1]}", "${a[-1]}"],
    ["${a[x]}", "${a[x]}"],
    ["${a['x']}", "${a['x']}"],
    ['${a["x]}', '${a["x]}'],
    ['${a["\\q"]}', '${a["\\q"]}'],
    ["${a", "${a"],
    ["${a + 1}", "${a + 1}"],
    ["${a\n}", "${a\n}"],
  ])("%j is malformed and never silently text", (written, shown) => {
    expect(parseTemplateText(written)).toContainEqual({ kind: "malformed", text: shown });
    expect(parseTemplateText(written).some((piece) => piece.kind === "use")).toBe(false);
  });

  it("shows only the beginning of what is malformed", () => {
    const [piece] = parseTemplateText(`\${${" ".repeat(1_000)}}`);
    expect(piece?.text).toHaveLength(60);
  });

  it("reads a long text of openings once", () => {
    expect(parseTemplateText("${".repeat(100_000))).toHaveLength(100_000);
    expect(parseTemplateText('${a["\\'.repeat(50_000)).length).toBeGreaterThan(0);
    expect(parseTemplateText(`\${a${".b".repeat(100_000)}}`)).toHaveLength(1);
  });

  it("is whole only where there is nothing else", () => {
    expect(wholeTemplate("${a.b}")).toEqual({ root: "a", path: ["b"] });
    for (const other of ["${a} ", "${a}${b}", "$${a}", "a", "", "${"]) {
      expect(wholeTemplate(other)).toBeUndefined();
    }
  });

  it("finds every reference again that it writes", () => {
    const part = fc.oneof(fc.string({ unit: "grapheme" }), fc.nat());
    fc.assert(
      fc.property(fc.array(part, { maxLength: 5 }), (path) => {
        const reference = { root: "a", path };
        expect(wholeTemplate(`\${${formatReference(reference)}}`)).toEqual(reference);
      }),
    );
  });
});
