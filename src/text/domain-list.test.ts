import { expect, test } from "vitest";
import { findDomainProblem, matchesHost, namesHost } from "./domain-list.ts";

test.each([
  ["example.com", "example.com", true],
  ["example.com", "EXAMPLE.com.", true],
  ["Example.COM", "example.com", true],
  ["example.com", "api.example.com", false],
  ["example.com", "notexample.com", false],
  ["example.com", "example.com.evil.org", false],
  ["*.example.com", "api.example.com", true],
  ["*.example.com", "a.b.example.com", true],
  ["*.example.com", "example.com", false],
  ["*.example.com", "evilexample.com", false],
  ["*", "anything.at.all", true],
  ["*", "::1", true],
  ["127.0.0.1", "127.0.0.1", true],
  ["[::1]", "::1", true],
  ["::1", "[::1]", true],
])("%s and %s: %s", (entry, host, expected) => {
  expect(matchesHost([entry], host)).toBe(expected);
});

test("only an entry that is no pattern names a host", () => {
  expect(namesHost(["*", "*.corp"], "git.corp")).toBe(false);
  expect(namesHost(["git.corp"], "Git.Corp")).toBe(true);
});

test.each([
  "example.com",
  "*.example.com",
  "*",
  "localhost",
  "10.0.0.1",
  "::1",
  "[::1]",
  "_x.example.com",
  "xn--bcher-kva.de",
])("%s is an entry", (entry) => {
  expect(findDomainProblem(entry)).toBeUndefined();
});

test.each([
  "",
  "https://example.com",
  "example.com:443",
  "example.com/path",
  "*example.com",
  "a.*.com",
  "**",
  "*.",
  "*.*.com",
  "exa mple.com",
  "bücher.de",
  "user@example.com",
  "*.10.0.0.1:1",
  `${"a".repeat(64)}.com`,
  `${"a.".repeat(130)}com`,
])("%s is none", (entry) => {
  expect(findDomainProblem(entry)).toContain("must be a domain");
});
