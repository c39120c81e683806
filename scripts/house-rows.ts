/** The rows of the table that `npm run house` prints. */
import { basename, dirname } from "node:path";
import { findCycles, importersOf } from "./house-graph.ts";
import type { Source, SourceFile } from "./house-tree.ts";
import {
  countGlossary,
  countMethods,
  END_OF_A_RUN,
  findRetired,
  findTypes,
  WHAT_RUNS,
} from "./house-words.ts";

export interface Row {
  readonly number: string;
  /** Undefined where there is nothing to count any more; the details say what is gone. */
  readonly now: number | undefined;
  readonly unit?: "%";
  /** At most this. */
  readonly goal?: number;
  /** Lines that are shown under the table. */
  readonly details?: readonly string[];
  /** Lines that are shown with --verbose only. */
  readonly more?: readonly string[];
}

const GOALS = { flatFiles: 25, cycleFiles: 3 };
/** Shorter ones that one file alone reads may belong to their reader. */
const THIN_LINES = 40;

export function countSource(source: Source): Row[] {
  const { files } = source;
  return [
    ...sizeRows(source),
    ...importerRows(source),
    ...cycleRows(files),
    ...folderRows(files),
    { number: "conditional spreads", now: sum(files, "conditionalSpreads") },
    { number: "conditional spreads that test for undefined", now: sum(files, "undefinedSpreads") },
    { number: "conditional spreads that only leave an undefined out", now: sum(files, "bareSpreads") },
    ...typeRows(files),
    ...wordRows(source),
  ];
}

function sizeRows({ files, testFiles, testLines }: Source): Row[] {
  const functionLines = files.flatMap((file) => file.functionLines);
  const fileLines = files.map(({ lines }) => lines);
  return [
    { number: "source files", now: files.length },
    { number: "source lines", now: sum(files, "lines") },
    { number: "test files", now: testFiles },
    { number: "test lines", now: testLines },
    { number: "lines of a file, median", now: quantile(fileLines, 0.5) },
    { number: "lines of a named function, median", now: quantile(functionLines, 0.5) },
    { number: "lines of a named function, p90", now: quantile(functionLines, 0.9) },
  ];
}

function importerRows({ files, entries }: Source): Row[] {
  const importers = importersOf(files);
  const imported = files.filter(({ path }) => !entries.has(path));
  const single = imported.filter(({ path }) => importers.get(path)!.size === 1);
  const thin = single.filter(({ lines }) => lines < THIN_LINES);
  const more = thin.map(({ path, lines }) => `${path} (${lines} lines) ← ${[...importers.get(path)!][0]}`);
  const share = imported.length === 0 ? 0 : Math.round((1_000 * single.length) / imported.length) / 10;
  return [
    { number: "files with exactly one importer", now: share, unit: "%", goal: 30 },
    { number: `files under ${THIN_LINES} lines with one importer`, now: thin.length, more },
  ];
}

function cycleRows(files: readonly SourceFile[]): Row[] {
  const runtime = findCycles(files, ["static", "lazy"]);
  const typed = findCycles(files, ["static", "lazy", "type"]);
  const large = typed.filter((set) => set.length > GOALS.cycleFiles);
  return [
    {
      number: "runtime import cycles",
      now: runtime.length,
      goal: 0,
      details: runtime.map((set) => set.join(", ")),
    },
    {
      number: "files of the largest cycle with types",
      now: typed[0]?.length ?? 0,
      goal: GOALS.cycleFiles,
      details: large.map((set) => `${set.length} files: ${set.join(", ")}`),
      more: typed.slice(large.length).map((set) => set.join(", ")),
    },
  ];
}

function folderRows(files: readonly SourceFile[]): Row[] {
  const folders = Object.entries(Object.groupBy(files, ({ path }) => dirname(path)))
    .map(([folder, inside]) => ({ folder, count: inside!.length }))
    .toSorted((one, other) => other.count - one.count);
  const crowded = folders.filter(({ count }) => count > GOALS.flatFiles);
  const byName = Object.entries(Object.groupBy(files, ({ path }) => basename(path)));
  const shared = byName.filter(([, inside]) => inside!.length > 1);
  return [
    {
      number: "files in the root of src",
      now: folders.find(({ folder }) => folder === ".")?.count ?? 0,
      goal: 2,
    },
    {
      number: "files flat in one folder, the most",
      now: folders[0]!.count,
      goal: GOALS.flatFiles,
      details: crowded.map(({ folder, count }) => `${folder === "." ? "the root" : folder}: ${count}`),
    },
    {
      number: "file names in more than one folder",
      now: shared.length,
      more: shared.map(([, inside]) => inside!.map(({ path }) => path).join(", ")),
    },
  ];
}

function typeRows(files: readonly SourceFile[]): Row[] {
  const methods = countMethods(files, "gateway/Gateway");
  const [end, running] = [findTypes(files, END_OF_A_RUN), findTypes(files, WHAT_RUNS)];
  return [
    {
      number: "methods of Gateway",
      now: methods,
      goal: 6,
      details: methods === undefined ? ["There is no interface Gateway in src/gateway any more."] : [],
    },
    {
      number: "types in the end of a run",
      now: end.count,
      goal: 5,
      details: end.problems,
      more: END_OF_A_RUN,
    },
    { number: "types of what runs", now: running.count, goal: 4, details: running.problems, more: WHAT_RUNS },
  ];
}

function wordRows({ root, files }: Source): Row[] {
  const glossary = countGlossary(root);
  const gone =
    glossary === undefined ? ['ARCHITECTURE.md has no table under "## Words" or "## Glossary".'] : [];
  const uses = findRetired(files).filter((use) => use.identifiers.length + use.files.length > 0);
  return [
    { number: "words in the glossary", now: glossary, details: gone },
    {
      number: "retired words still in src",
      now: uses.length,
      goal: 0,
      details: uses.map(
        (use) => `${use.word}: identifiers ${use.identifiers.length}, files ${use.files.length}`,
      ),
      more: uses.map((use) => `${use.word}: ${[...use.identifiers, ...use.files].join(", ")}`),
    },
  ];
}

function sum<K extends "lines" | "conditionalSpreads" | "undefinedSpreads" | "bareSpreads">(
  files: readonly Readonly<Record<K, number>>[],
  key: K,
): number {
  return files.reduce((total, file) => total + file[key], 0);
}

/** The value that this share of the values does not exceed. */
function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}
