/** What is wrong with findings, alone or compared with others, and whether that was expected. */
import type { BaselineEntry } from "./baseline.ts";
import type { Check, CheckStatus, Findings } from "./suite.ts";

/** A check that did not succeed; `check` is "(nothing)" where in the whole scenario none did. */
export interface Fault {
  readonly scenario: string;
  readonly check: string;
  readonly message: string;
}

const SEVERITY: Readonly<Record<CheckStatus, number>> = {
  SKIPPED: 0,
  INFO: 0,
  SUCCESS: 1,
  WARNING: 2,
  FAILURE: 3,
};

/** Ids repeat within a scenario; the worst of them is the verdict. */
function worstById(checks: readonly Check[]): Map<string, Check> {
  const worst = new Map<string, Check>();
  for (const check of checks) {
    const known = worst.get(check.id);
    if (!known || SEVERITY[check.status] > SEVERITY[known.status]) worst.set(check.id, check);
  }
  return worst;
}

function isBad(check: Check): boolean {
  return SEVERITY[check.status] > SEVERITY.SUCCESS;
}

/** Something succeeded and nothing failed: the suite itself also counts a scenario as passed in which nothing was looked at. */
export function passes(checks: readonly Check[] | undefined): boolean {
  return (
    checks !== undefined &&
    checks.some((check) => check.status === "SUCCESS") &&
    checks.every((check) => check.status !== "FAILURE")
  );
}

/** Every failure and every warning of these scenarios. */
export function findFaults(findings: Findings, scenarios: readonly string[]): Fault[] {
  return scenarios.flatMap((scenario) => {
    const checks = findings.get(scenario) ?? [];
    const bad = [...worstById(checks).values()].filter(isBad).map((check) => toFault(scenario, check));
    if (bad.length > 0 || passes(checks)) return bad;
    return [{ scenario, check: "(nothing)", message: "no check of the scenario succeeded" }];
  });
}

/** Of the scenarios that pass in `reference`: every check that is worse in `findings`, or is not made there any more. */
export function findRegressions(findings: Findings, reference: Findings): Fault[] {
  const passing = [...reference.keys()].filter((scenario) => passes(reference.get(scenario)));
  const worse = findFaults(findings, passing).filter(({ scenario, check }) => {
    const before = worstById(reference.get(scenario) ?? []).get(check);
    const after = worstById(findings.get(scenario) ?? []).get(check);
    return !before || !after || SEVERITY[after.status] > SEVERITY[before.status];
  });
  const worseScenarios = new Set(worse.map((fault) => fault.scenario));
  // Where something failed, later checks are often left out; the failure says enough.
  const left = passing.filter((scenario) => !worseScenarios.has(scenario));
  return [...worse, ...left.flatMap((scenario) => findLost(scenario, findings, reference))];
}

/** Checks that succeeded in `reference` and were skipped or left out here. */
function findLost(scenario: string, findings: Findings, reference: Findings): Fault[] {
  const after = worstById(findings.get(scenario) ?? []);
  return [...worstById(reference.get(scenario) ?? []).values()]
    .filter((check) => check.status === "SUCCESS" && (after.get(check.id)?.status ?? "SKIPPED") === "SKIPPED")
    .map((check) => ({
      scenario,
      check: check.id,
      message: "succeeds in the reference and is not made here",
    }));
}

function toFault(scenario: string, check: Check): Fault {
  return { scenario, check: check.id, message: check.errorMessage ?? check.description ?? check.status };
}

export interface Verdict {
  readonly expected: readonly Fault[];
  readonly unexpected: readonly Fault[];
  /** Entries of the baseline for which nothing is wrong any more. */
  readonly stale: readonly BaselineEntry[];
}

export function judge(faults: readonly Fault[], entries: readonly BaselineEntry[]): Verdict {
  const covers = (entry: BaselineEntry, fault: Fault) =>
    entry.scenario === fault.scenario && (entry.check === undefined || entry.check === fault.check);
  return {
    expected: faults.filter((fault) => entries.some((entry) => covers(entry, fault))),
    unexpected: faults.filter((fault) => !entries.some((entry) => covers(entry, fault))),
    stale: entries.filter((entry) => !faults.some((fault) => covers(entry, fault))),
  };
}
