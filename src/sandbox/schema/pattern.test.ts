import { describe, expect, test } from "vitest";
import { compilePattern } from "./pattern.ts";

describe("compilePattern", () => {
  test("matches in linear time what takes ECMAScript hours", () => {
    expect(compilePattern("^(a+)+$")!.test(`${"a".repeat(5000)}!`)).toBe(false);
  });

  test("matches anywhere in the text unless it is anchored", () => {
    expect(compilePattern("b")!.test("abc")).toBe(true);
    expect(compilePattern("^b$")!.test("abc")).toBe(false);
  });

  test.each([
    ["^\\s$", "\u00a0"],
    ["^[\\s,]$", "\u2003"],
    ["^[\\u4e00-\\u9fa5]+$", "中文"],
    ["^\\u{1F600}$", "😀"],
    ["^.$", "😀"],
    ["^.$", "\ud800"],
    ["^\\p{L}+$", "é"],
    ["^\\w+\\_\\w+$", "a_b"],
    ["^(?<year>\\d{4})$", "2025"],
  ])("takes %s to mean what ECMAScript means by it", (source, text) => {
    expect(compilePattern(source)!.test(text)).toBe(true);
  });

  test("tells white space from the rest as ECMAScript does", () => {
    expect(compilePattern("^\\S$")!.test("\u00a0")).toBe(false);
  });

  test.each([
    ["look-ahead", "^(?!x)"],
    ["look-behind", "(?<=a)b"],
    ["a back reference", "(a)\\1"],
    ["more than 1000 repeats", "^a{1001}$"],
    ["another language's anchor", "^a\\Z"],
    ["another language's flag", "(?i)a"],
    ["a POSIX class", "[[:alpha:]]"],
    ["half a character", "\\ud83d\\ude00"],
    ["what a class cannot hold", "[^\\S]"],
    ["no expression at all", "("],
  ])("gives up on %s", (_, source) => {
    expect(compilePattern(source)).toBeUndefined();
  });
});
