import { describe, expect, it } from "vitest";
import { tokensOf } from "./code-tokens.ts";

const shown = (text: string) => tokensOf(text).map(({ kind, text: each }) => `${kind} ${each}`);

describe("tokens of code", () => {
  it("tells words, numbers, strings and marks apart", () => {
    expect(shown(`const a = await mcp.files["read-it"]({ n: 1.5 })`)).toEqual([
      "word const",
      "word a",
      "mark =",
      "word await",
      "word mcp",
      "mark .",
      "word files",
      "mark [",
      'string "read-it"',
      "mark ]",
      "mark (",
      "mark {",
      "word n",
      "mark :",
      "number 1.5",
      "mark }",
      "mark )",
    ]);
  });

  it("does not take brackets in strings, comments and regular expressions for code", () => {
    const text = `'(' // {\n/* [ */ x.replace(/[/(]/g, "\\"{")`;
    expect(
      tokensOf(text).filter(({ kind, text: each }) => kind === "mark" && "([{".includes(each)),
    ).toHaveLength(1);
  });

  it("reads the expressions inside of a template, also where they have braces", () => {
    expect(shown("`a ${ f({ b: 1 }) } c` + d")).toEqual([
      "template `a ${",
      "word f",
      "mark (",
      "mark {",
      "word b",
      "mark :",
      "number 1",
      "mark }",
      "mark )",
      "template } c`",
      "mark +",
      "word d",
    ]);
  });

  it("knows a division from a regular expression", () => {
    expect(shown("a / b / c")).toEqual(["word a", "mark /", "word b", "mark /", "word c"]);
    expect(shown("return /b/g")).toEqual(["word return", "regex /b/g"]);
  });

  it("says of a string, a comment and a template that they have no end yet", () => {
    expect(tokensOf(`f("a`).at(-1)).toMatchObject({ kind: "string", isOpen: true });
    expect(tokensOf(`f("a\\"`).at(-1)).toMatchObject({ kind: "string", isOpen: true });
    expect(tokensOf(`f("a")`).some(({ isOpen }) => isOpen)).toBe(false);
    expect(tokensOf("/* a").at(-1)).toMatchObject({ kind: "comment", isOpen: true });
    expect(tokensOf("`a").at(-1)).toMatchObject({ kind: "template", isOpen: true });
  });

  it("ends with every text, in time that grows with its length", () => {
    for (const text of [
      "`".repeat(5_000),
      '"\\'.repeat(5_000),
      "/*".repeat(5_000),
      "${".repeat(5_000),
      "}".repeat(5_000),
    ]) {
      expect(tokensOf(text).at(-1)!.to).toBe(text.length);
    }
  });
});
