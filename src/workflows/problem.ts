/** What is wrong with a workflow, for a model or a person: the place, what is wrong, what to do. */
import { nearest } from "../text/nearest.ts";
import { escapeUnprintable } from "../text/printable.ts";
import { formatPlace, type Path } from "./place.ts";

export interface WorkflowProblem {
  /** `nodes[2].params.url`; empty for the whole. */
  readonly place: string;
  readonly message: string;
  /** One sentence that says what to do. */
  readonly fix: string;
  /** From 1, as is the column. */
  readonly line?: number;
  readonly column?: number;
  /** The id of the node, where the mistake is in what the node runs. */
  readonly node?: string;
  /** Within the code of that node; from 1, as is the column. */
  readonly code_line?: number;
  readonly code_column?: number;
  /** The draft or capability that has to be corrected, where the node starts one. */
  readonly in?: string;
  /** What kind of mistake it is, where that is known. */
  readonly reason?: string;
  /** The tool that the config forbids. */
  readonly denied?: string;
}

/** What a problem may say beside its place, its words and what to do. */
export type ProblemDetails = Pick<
  WorkflowProblem,
  "node" | "code_line" | "code_column" | "in" | "reason" | "denied"
>;

export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Where in the text a path is, or the nearest thing around it. */
export type Locate = (path: Path, at: "key" | "value") => Position;

/** More are not reported at once; the rest shows when these are fixed. */
export const PROBLEM_COUNT_MAX = 100;
/** How many names are compared in all: a text of nothing but misspelt names must not cost its square. */
const COMPARISON_COUNT_MAX = 30_000;

/** A name that is longer is not worth suggesting. */
const NAME_LENGTH_MAX = 100;

/** Collects the problems of one reading. */
export interface Problems {
  add(path: Path, message: string, fix: string, at?: "key" | "value", details?: ProblemDetails): void;
  /** How many were added. */
  count(): number;
  /** The names that were probably meant; none once too many have been compared. */
  near(word: string, names: readonly string[]): string[];
  list(): readonly WorkflowProblem[];
}

export function createProblems(locate: Locate): Problems {
  const kept: WorkflowProblem[] = [];
  let count = 0;
  let comparisonsLeft = COMPARISON_COUNT_MAX;
  return {
    add(path, message, fix, at = "value", details = {}) {
      if (++count > PROBLEM_COUNT_MAX) return;
      kept.push({ ...describe(formatPlace(path), message, fix), ...locate(path, at), ...details });
    },
    count: () => count,
    near(word, names) {
      comparisonsLeft -= names.length;
      if (comparisonsLeft < 0 || count >= PROBLEM_COUNT_MAX) return [];
      return nearest(
        word,
        names.filter((name) => name.length <= NAME_LENGTH_MAX),
      );
    },
    list: () => arrangeProblems(count > kept.length ? [...kept, describeRest(count - kept.length)] : kept),
  };
}

/** In the order of the text; those of the whole come last. */
export function arrangeProblems(problems: readonly WorkflowProblem[]): WorkflowProblem[] {
  return problems.toSorted(
    (a, b) => (a.line ?? Infinity) - (b.line ?? Infinity) || (a.column ?? 0) - (b.column ?? 0) || 0,
  );
}

/** A problem whose words cannot forge or hide text where they are shown. */
export function describe(place: string, message: string, fix: string): WorkflowProblem {
  return {
    place: escapeUnprintable(place),
    message: escapeUnprintable(message),
    fix: escapeUnprintable(fix),
  };
}

function describeRest(count: number): WorkflowProblem {
  return describe("", `${count} more problems are not shown`, "Correct the others first.");
}
