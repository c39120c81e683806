import { expect, it } from "vitest";
import { matchesTemplate, nearlyMatchesTemplate } from "./held.ts";

it.each([
  ["memo://{id}", "memo://1", true],
  ["memo://{id}", "memo://", true],
  ["memo://{id}", "note://1", false],
  ["repo://{owner}/{name}/issues", "repo://a/b/issues", true],
  ["repo://{owner}/{name}/issues", "repo://a/issues", false],
  ["repo://{owner}/{name}/issues", "repo://a/b/pulls", false],
  ["file:///fixed", "file:///fixed", true],
  ["file:///fixed", "file:///fixed/more", false],
  ["x{a}xx", "xx", false],
  ["{+all}", "anything:at-all", true],
  ["a{b}c{d}e", "acce", true],
])("%s and %s: %s", (template, uri, isMatch) => {
  expect(matchesTemplate(template, uri)).toBe(isMatch);
});

it("can be told not to mind case and encoding", () => {
  expect(matchesTemplate("memo://{id}", "MEMO://1")).toBe(false);
  expect(nearlyMatchesTemplate("memo://{id}", "MEMO://1")).toBe(true);
  expect(nearlyMatchesTemplate("memo://all/{id}", "memo://%61ll/1")).toBe(true);
  expect(nearlyMatchesTemplate("memo://{id}", "note://%")).toBe(false);
});

it("takes a URI that is too long for any server for a match, and hostile parts in no time", () => {
  expect(matchesTemplate("memo://{id}", "x".repeat(10_000))).toBe(true);
  const [part, uri] = ["a".repeat(4_000), "a".repeat(8_000)];
  const startedAt = performance.now();
  for (let i = 0; i < 100; i++) matchesTemplate(`{x}${part}b{y}${part}b{z}`, uri);
  expect(performance.now() - startedAt).toBeLessThan(5_000);
});
