import fc from "fast-check";
import { expect, it } from "vitest";
import { workedMs } from "../../test/rig/worked.ts";
import { parseTemplate } from "url-template";
import { findTemplateProblem } from "./entry-check.ts";

it.each([
  "file:///{path}",
  "x://{+path}/here",
  "x://a{/id*}{?q*,lang}{&more:30}{#frag}{;p}{.ext}",
  "x://{a.b}/{%41bc}/{var_1:9999}",
  "no-expression",
])("T034: accepts %s", (template) => {
  expect(findTemplateProblem(template)).toBeUndefined();
  expect(() => parseTemplate(template).expand({})).not.toThrow();
});

it.each([
  "{",
  "}",
  "{}",
  "{a",
  "a}",
  "{{a}}",
  "{a b}",
  "{a:0}",
  "{a:10000}",
  "{=a}",
  "{a,}",
  "{a*:3}",
  "a b",
  "x\r\ny",
  "{+}",
])("T034: refuses %j", (template) => {
  expect(findTemplateProblem(template)).toMatch(/^has /);
});

it.each([
  ["many variables", `{/${"a,".repeat(50_000)}a}`],
  ["an expression without end", `{${"a".repeat(100_000)}`],
  ["a variable that nearly fits", `{${"a.".repeat(50_000)}}`],
  ["open braces", "{".repeat(100_000)],
  ["expressions", "{a}".repeat(33_000)],
])("T035: reads 100 KB of %s in one pass", (_, template) => {
  // A few milliseconds; a pass for each character would take minutes.
  expect(workedMs(() => void findTemplateProblem(template))).toBeLessThan(1_000);
});

it("answers for any text", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...Array.from("{}+/?*:,.a%41 ")) }), (text) =>
      ["undefined", "string"].includes(typeof findTemplateProblem(text)),
    ),
  );
});
