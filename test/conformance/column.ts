/** One column of the report: a suite run against one thing, and what is held against it. */
import type { Baseline } from "./baseline.ts";
import { findFaults, findRegressions, judge, passes, type Verdict } from "./faults.ts";
import { extensionScenarios, requiredScenarios, type Findings, type Revision } from "./suite.ts";

export interface Column {
  /** As in the baseline, without the revision. */
  readonly name: string;
  readonly revision: Revision;
  readonly leg: "server" | "client";
  readonly findings: Findings;
  readonly verdict: Verdict;
}

interface ColumnParts extends Omit<Column, "verdict"> {
  readonly baseline: Baseline;
  /** With it, only what is worse than there counts; without it, every fault of an expected scenario. */
  readonly reference?: Findings;
}

export function createColumn({ baseline, reference, ...column }: ColumnParts): Column {
  const { name, revision, leg, findings } = column;
  const faults = reference
    ? findRegressions(findings, reference)
    : findFaults(findings, [...requiredScenarios(revision, leg), ...extensionScenarios(revision, leg)]);
  return { ...column, verdict: judge(faults, baseline.get(`${name}@${revision}`) ?? []) };
}

export interface PassingCount {
  readonly passing: number;
  readonly expected: number;
}

export function countPassing(column: Column): PassingCount {
  return countIn(column, requiredScenarios(column.revision, column.leg));
}

/** Of the extensions, where the column has them. */
export function countExtensions(column: Column): PassingCount | undefined {
  const scenarios = extensionScenarios(column.revision, column.leg);
  const isTested = scenarios.some((scenario) => column.findings.has(scenario));
  return isTested ? countIn(column, scenarios) : undefined;
}

function countIn({ findings }: Column, scenarios: readonly string[]): PassingCount {
  const passing = scenarios.filter((scenario) => passes(findings.get(scenario))).length;
  return { passing, expected: scenarios.length };
}

export function isGood({ verdict }: Column): boolean {
  return verdict.unexpected.length === 0 && verdict.stale.length === 0;
}
