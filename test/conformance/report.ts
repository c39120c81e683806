/** What is printed: a table for each revision, and below it whatever is wrong. */
import { countExtensions, countPassing, isGood, type Column, type PassingCount } from "./column.ts";
import { passes } from "./faults.ts";
import { extensionScenarios, requiredScenarios } from "./suite.ts";

const MARK_PASS = "pass";
const MARK_FAIL = "FAIL";
const MARK_ABSENT = "-";
/** It ran and looked at nothing. */
const MARK_NOTHING = "none";
/** Enough of a message to know which; the suite's own output has the rest. */
const MESSAGE_CHARS_MAX = 200;
/** For each column; one that is broken altogether would hide the others. */
const COMPLAINTS_MAX = 40;

/** Columns of one revision and one leg, side by side. */
export function tableOf(columns: readonly Column[]): string {
  const [first] = columns;
  if (!first) return "";
  const required = requiredScenarios(first.revision, first.leg);
  const extensions = extensionScenarios(first.revision, first.leg);
  const others = new Set(columns.flatMap((column) => [...column.findings.keys()]));
  for (const scenario of [...required, ...extensions]) others.delete(scenario);
  const rows = [
    [`${first.leg} ${first.revision}`, ...columns.map((column) => column.name)],
    ...required.map((scenario) => rowOf(scenario, scenario, columns)),
    ["required", ...columns.map((column) => countText(countPassing(column)))],
    ...extensions.map((scenario) => rowOf(`(extension) ${scenario}`, scenario, columns)),
    ...[...others].sort().map((scenario) => rowOf(`(not scored) ${scenario}`, scenario, columns)),
  ];
  return align(rows);
}

/** How many of the required scenarios pass, of all revisions and columns, and of those of extensions. */
export function summaryOf(columns: readonly Column[]): string {
  const names = [...new Set(columns.map(({ name }) => name))];
  const revisions = [...new Set(columns.map(({ revision }) => revision))];
  const countOf = (name: string, revision: string): string => {
    const column = columns.find((one) => one.name === name && one.revision === revision);
    return countText(column && countPassing(column));
  };
  const extended = (name: string): string =>
    countText(columns.filter((one) => one.name === name).flatMap((one) => countExtensions(one) ?? [])[0]);
  return align([
    ["required", ...names],
    ...revisions.map((revision) => [revision, ...names.map((name) => countOf(name, revision))]),
    ["extensions", ...names.map(extended)],
  ]);
}

function align(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, index) => Math.max(...rows.map((row) => row[index]!.length)));
  const lines = rows.map((row) => row.map((cell, index) => cell.padEnd(widths[index]!)).join("  "));
  return lines.map((line) => line.trimEnd()).join("\n");
}

function rowOf(label: string, scenario: string, columns: readonly Column[]): string[] {
  return [label, ...columns.map((column) => markOf(column, scenario))];
}

function markOf({ findings }: Column, scenario: string): string {
  const checks = findings.get(scenario);
  if (!checks) return MARK_ABSENT;
  const good = checks.filter((check) => check.status === "SUCCESS").length;
  const bad = checks.filter((check) => check.status === "FAILURE").length;
  const warned = checks.filter((check) => check.status === "WARNING").length;
  if (good + bad + warned === 0) return MARK_NOTHING;
  const notes = `${good}${bad > 0 ? ` -${bad}` : ""}${warned > 0 ? ` ~${warned}` : ""}`;
  return `${passes(checks) ? MARK_PASS : MARK_FAIL} ${notes}`;
}

function countText(count: PassingCount | undefined): string {
  return count === undefined ? MARK_ABSENT : `${count.passing} of ${count.expected}`;
}

/** Nothing for a column that is as the baseline says. */
export function complaintsOf(column: Column): string[] {
  if (isGood(column)) return [];
  const name = `${column.name}@${column.revision}`;
  const { unexpected, stale } = column.verdict;
  const lines = [
    ...unexpected.map(
      ({ scenario, check, message }) =>
        `${name}: unexpected failure: ${scenario}:${check}: ${firstLine(message)}`,
    ),
    ...stale.map(
      ({ scenario, check }) =>
        `${name}: passes although the baseline says that it fails: ${scenario}${check ? `:${check}` : ""}; remove the entry`,
    ),
  ];
  const left = lines.length - COMPLAINTS_MAX;
  return left <= 0 ? lines : [...lines.slice(0, COMPLAINTS_MAX), `${name}: and ${left} more`];
}

function firstLine(message: string): string {
  return message.split("\n", 1).join("").slice(0, MESSAGE_CHARS_MAX);
}
