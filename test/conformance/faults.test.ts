import { expect, test } from "vitest";
import { findFaults, findRegressions, judge, passes } from "./faults.ts";
import type { Check, CheckStatus, Findings } from "./suite.ts";

function findings(scenarios: Record<string, Record<string, CheckStatus>>): Findings {
  const checks = (found: Record<string, CheckStatus>): Check[] =>
    Object.entries(found).map(([id, status]) => ({ id, status }));
  return new Map(Object.entries(scenarios).map(([name, found]) => [name, checks(found)]));
}

const named = (faults: readonly { scenario: string; check: string }[]) =>
  faults.map(({ scenario, check }) => `${scenario}:${check}`);

test("a scenario in which nothing was looked at does not pass", () => {
  expect(passes([])).toBe(false);
  expect(passes([{ id: "a", status: "SKIPPED" }])).toBe(false);
  expect(named(findFaults(findings({ s: { a: "INFO" } }), ["s", "absent"]))).toEqual([
    "s:(nothing)",
    "absent:(nothing)",
  ]);
});

test("the worst of several checks with one id counts", () => {
  const found: Findings = new Map([
    [
      "s",
      [
        { id: "a", status: "FAILURE" },
        { id: "a", status: "SUCCESS" },
      ],
    ],
  ]);
  expect(named(findFaults(found, ["s"]))).toEqual(["s:a"]);
});

test("a regression is what is worse than in the reference, warnings included", () => {
  const reference = findings({
    s: { a: "SUCCESS", b: "WARNING", c: "SUCCESS" },
    failing: { a: "FAILURE", b: "SUCCESS" },
  });
  const through = findings({
    s: { a: "WARNING", b: "WARNING", c: "SUCCESS", d: "FAILURE" },
    failing: { a: "FAILURE", b: "FAILURE" },
  });
  expect(named(findRegressions(through, reference))).toEqual(["s:a", "s:d"]);
});

test("a check that succeeds in the reference and is skipped here is a regression", () => {
  const reference = findings({ s: { a: "SUCCESS", b: "SUCCESS", c: "SUCCESS", d: "SUCCESS" } });
  const through = findings({ s: { a: "SUCCESS", b: "SKIPPED", c: "INFO" } });
  expect(named(findRegressions(through, reference))).toEqual(["s:b", "s:d"]);
});

test("the baseline excuses what it names, and an entry that excuses nothing is stale", () => {
  const faults = findFaults(findings({ s: { a: "FAILURE", b: "FAILURE" }, whole: { x: "FAILURE" } }), [
    "s",
    "whole",
  ]);
  const verdict = judge(faults, [
    { scenario: "s", check: "a", reason: "known" },
    { scenario: "whole", reason: "known" },
    { scenario: "s", check: "gone", reason: "was once" },
  ]);
  expect(named(verdict.expected)).toEqual(["s:a", "whole:x"]);
  expect(named(verdict.unexpected)).toEqual(["s:b"]);
  expect(verdict.stale.map((entry) => entry.check)).toEqual(["gone"]);
});
