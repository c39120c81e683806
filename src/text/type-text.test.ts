import { expect, it } from "vitest";
import { docComment, stringLiteral } from "./type-text.ts";

it("keeps hostile text inside its comment or literal", () => {
  expect(docComment("a */ b\u2028c\r\nd\u0000")).toBe("/**\n * a *\\/ b\n * c\n * d\\u{0}\n */\n");
  expect(docComment("  ")).toBe("");
  expect(docComment("x".repeat(5_000)).length).toBeLessThan(1_020);
  expect(stringLiteral('a"\\\n\u2028\u202e\ud800')).toBe(String.raw`"a\"\\\n\u2028\u202e\ud800"`);
});
