/** The tables of the task bench. */
import { sum } from "./conversation.ts";
import { MODES, REPEATS, type Mode, type Outcome, type Parts } from "./outcome.ts";

/** One row: a mode in worlds of one size. */
export interface Row {
  readonly mode: Mode;
  readonly size: number;
  readonly tasks: number;
  readonly context: number;
  readonly contextRatio: number | undefined;
  /** How many tasks are dearer than they are directly: what enters the context, and all input. */
  readonly dearer: number | undefined;
  readonly billed: number;
  readonly billedRatio: number | undefined;
  readonly billedDearer: number | undefined;
  readonly contextBoth: number;
  readonly repeated: number;
  readonly repeatedRatio: number | undefined;
  readonly repeatedDearer: number | undefined;
  readonly requests: number;
  readonly inFirstFive?: number;
  readonly needed?: number;
  readonly missing?: number;
  readonly found?: number;
  readonly overhead?: number;
}

export function rowsOf(outcomes: readonly Outcome[]): Row[] {
  const sizes = [...new Set(outcomes.map(({ size }) => size))].toSorted((one, other) => one - other);
  return sizes.flatMap((size) =>
    MODES.flatMap((mode) => {
      const some = outcomes.filter((outcome) => outcome.size === size && outcome.mode === mode);
      return some.length === 0 ? [] : [rowOf(mode, size, some, outcomes)];
    }),
  );
}

function rowOf(mode: Mode, size: number, some: readonly Outcome[], all: readonly Outcome[]): Row {
  const pairs = some.flatMap((outcome) => {
    const direct = directOf(outcome, all);
    return direct === undefined ? [] : [{ outcome, direct }];
  });
  const compare = (value: (outcome: Outcome) => number) => ({
    ratio:
      pairs.length === 0
        ? undefined
        : sum(pairs.map(({ outcome }) => value(outcome))) / sum(pairs.map(({ direct }) => value(direct))),
    dearer:
      pairs.length === 0
        ? undefined
        : pairs.filter(({ outcome, direct }) => value(outcome) > value(direct)).length,
  });
  const context = compare(({ once }) => once.context);
  const billed = compare(({ once }) => once.billed);
  const repeated = compare((outcome) => outcome.repeated.context);
  const searches = some.filter(({ needed }) => needed !== undefined);
  const runs = some.flatMap(({ overhead }) => (overhead === undefined ? [] : [overhead]));
  return {
    mode,
    size,
    tasks: some.length,
    context: mean(some.map(({ once }) => once.context)),
    contextRatio: context.ratio,
    dearer: context.dearer,
    billed: mean(some.map(({ once }) => once.billed)),
    billedRatio: billed.ratio,
    billedDearer: billed.dearer,
    contextBoth: mean(some.map(({ once }) => once.contextBoth)),
    repeated: mean(some.map((outcome) => outcome.repeated.context)),
    repeatedRatio: repeated.ratio,
    repeatedDearer: repeated.dearer,
    requests: mean(some.map(({ once }) => once.requests)),
    ...(searches.length > 0 && {
      inFirstFive: sum(searches.map(({ inFirstFive }) => inFirstFive!)),
      needed: sum(searches.map(({ needed }) => needed!)),
      missing: sum(searches.map(({ missing }) => missing!.length)),
      found: mean(searches.map(({ parts }) => parts.found)),
    }),
    ...(runs.length > 0 && { overhead: mean(runs) }),
  };
}

function directOf({ task, size }: Outcome, all: readonly Outcome[]): Outcome | undefined {
  return all.find((outcome) => outcome.mode === "direct" && outcome.task === task && outcome.size === size);
}

function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}

const HEAD = [
  "tools",
  "mode",
  "context",
  "ratio",
  "dearer",
  "billed",
  "ratio",
  "dearer",
  `×${REPEATS}`,
  "ratio",
];
const MORE = ["dearer", "both shown", "requests", "first five", "answer", "overhead"];

export function printTable(rows: readonly Row[]): void {
  const widths = [5, 13, 8, 6, 6, 9, 6, 6, 8, 6, 6, 10, 8, 10, 7, 8];
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, index) => (index === 1 ? cell.padEnd(widths[1]!) : cell.padStart(widths[index]!)))
      .join(" ")
      .trimEnd();
  console.log(line([...HEAD, ...MORE]));
  for (const row of rows) console.log(line(cellsOf(row)));
}

function cellsOf(row: Row): string[] {
  const whole = (value: number | undefined): string => (value === undefined ? "" : value.toFixed(0));
  const ratio = (value: number | undefined): string => (value === undefined ? "" : value.toFixed(3));
  return [
    String(row.size),
    row.mode,
    whole(row.context),
    ratio(row.contextRatio),
    whole(row.dearer),
    whole(row.billed),
    ratio(row.billedRatio),
    whole(row.billedDearer),
    whole(row.repeated),
    ratio(row.repeatedRatio),
    whole(row.repeatedDearer),
    whole(row.contextBoth),
    row.requests.toFixed(2),
    row.needed === undefined ? "" : `${row.inFirstFive}/${row.needed}`,
    whole(row.found),
    whole(row.overhead),
  ];
}

/** Which tasks are dearer than they are directly, and by how much. */
export function printDearer(outcomes: readonly Outcome[]): void {
  for (const { mode, size } of rowsOf(outcomes)) {
    const some = outcomes.filter((outcome) => outcome.mode === mode && outcome.size === size);
    const dearer = some.flatMap((outcome) => {
      const direct = directOf(outcome, outcomes);
      const more = direct === undefined ? 0 : outcome.once.context - direct.once.context;
      return more > 0 ? [{ task: outcome.task, more }] : [];
    });
    if (dearer.length === 0) continue;
    const said = dearer
      .toSorted((one, other) => other.more - one.more)
      .map(({ task, more }) => `${task} +${more}`);
    console.log(`${size} tools, ${mode}, dearer than direct in ${dearer.length}: ${said.join(", ")}`);
  }
}

const PARTS = ["start", "questions", "found", "code", "codeAnswers", "calls", "callAnswers"] as const;

/** Where the tokens are, in the mean. */
function meanParts(outcomes: readonly Outcome[]): Parts {
  const entries = PARTS.map((part) => [part, Math.round(mean(outcomes.map(({ parts }) => parts[part])))]);
  return Object.fromEntries(entries) as Record<(typeof PARTS)[number], number>;
}

export function printParts(outcomes: readonly Outcome[]): void {
  console.log(`\nWhere the tokens of a conversation are, in the mean: ${PARTS.join(", ")}`);
  for (const { mode, size } of rowsOf(outcomes)) {
    const parts = meanParts(outcomes.filter((outcome) => outcome.mode === mode && outcome.size === size));
    const cells = PARTS.map((part) => String(parts[part]).padStart(8)).join("");
    console.log(`${String(size).padStart(5)} ${mode.padEnd(13)}${cells}`);
  }
}
