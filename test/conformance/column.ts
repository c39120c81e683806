/** One column of the report: a suite run against one thing, and what is held against it. */
import type { Baseline } from "./baseline.ts";
import { findFaults, findRegressions, judge, passes, type Verdict } from "./faults.ts";
import { requiredScenarios, type Findings, type Revision } from "./suite.ts";

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
  /** With it, only what is worse than there counts; without it, every fault of a required scenario. */
  readonly reference?: Findings;
}

export function createColumn({ baseline, reference, ...column }: ColumnParts): Column {
  const { name, revision, leg, findings } = column;
  const faults = reference
    ? findRegressions(findings, reference)
    : findFaults(findings, requiredScenarios(revision, leg));
  return { ...column, verdict: judge(faults, baseline.get(`${name}@${revision}`) ?? []) };
}

export function countPassing(column: Column): { passing: number; required: number } {
  const required = requiredScenarios(column.revision, column.leg);
  const passing = required.filter((scenario) => passes(column.findings.get(scenario))).length;
  return { passing, required: required.length };
}

export function isGood({ verdict }: Column): boolean {
  return verdict.unexpected.length === 0 && verdict.stale.length === 0;
}
