import { expect, it } from "vitest";
import { wrap } from "./demo-text.ts";

it("breaks between words and keeps the indents", () => {
  expect(wrap("Every tool of every server is one call away", { width: 24, indent: 2, hanging: 4 })).toEqual([
    "  Every tool of every",
    "    server is one call",
    "    away",
  ]);
  expect(wrap("fits", { width: 80 })).toEqual(["fits"]);
  expect(wrap("", { width: 80, indent: 3 })).toEqual(["   "]);
  expect(wrap("as long as it is, without a width", { width: Number.POSITIVE_INFINITY })).toHaveLength(1);
});

it("breaks JSON behind commas, and a long word only where there is nothing else", () => {
  const json = '{"draft":"write-the-week-down","name":"week:plan"}';
  expect(wrap(json, { width: 40 })).toEqual(['{"draft":"write-the-week-down",', '"name":"week:plan"}']);
  const word = "x".repeat(50);
  expect(wrap(word, { width: 20 })).toEqual(["x".repeat(20), "x".repeat(20), "x".repeat(10)]);
});

it.each([20, 40, 80, 140])("keeps every character and the width at %i columns", (width) => {
  const text =
    'execute {"code":"return await mcp.notes.add({ txt: 1 })"} https://a.example/b/c_d and so on '.repeat(4);
  const lines = wrap(text, { width });
  expect(lines.every((line) => line.length <= width)).toBe(true);
  expect(lines.join("").replaceAll(" ", "")).toBe(text.replaceAll(" ", ""));
});
