/** The literal lists of `npm run house`: types in the end of a run, types of what runs, and retired words. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { SourceFile } from "./house-tree.ts";

/**
 * A type by its name, which must be declared once in src; `room/Name` where other rooms have a type of this name too.
 * Edit these lists when a type is merged or renamed: a name that is gone, or declared twice, is shown under the table.
 */
type TypeName = string;

/**
 * How a run ended, from the guest to the client, in this order (src/runs/run-end.ts says more). These do not count:
 * parts that one of them carries unchanged (`Thrown`, `CallRecord`, `Checkpoint`), the end of a single step or node
 * (`StepEnd`, `NodeEnd`), and general contracts that carry anything: a `ToolResult` is a value or an error of whatever
 * kind, and a `ToolAnswer` is what every tool answers with, as MCP has it.
 */
export const END_OF_A_RUN: readonly TypeName[] = [
  "sandbox/GuestOutcome", // how the code ended; the runner's last frame is a part of it
  "runs/RunEnd", // what came of code or of a workflow
  "core/Run", // the row in the store
  "runs/RunReport", // as the runs room tells it
  "gateway/ExecuteOutput", // as `execute` answers
];

/**
 * What runs, from what `execute` found to the process that runs it, in this order (src/runs/run.ts says more). On the
 * side are `PreparedWorkflow` (in the place of `PreparedCode`), `Program` (a part of `PreparedCode`: the code as the
 * analysis read it) and `Start` (the fields of a `GuestRun` that go to the runner, in its first frame).
 */
export const WHAT_RUNS: readonly TypeName[] = [
  "runs/RunSource", // the text, given or found by name
  "runs/RunRequest", // with its inputs and limits
  "runs/PreparedCode", // code with the tools that it names
  "runs/ReadyRun", // the request with completed inputs, and the body that runs it
  "sandbox/GuestRun", // what the body hands to the sandbox: the script, its limits and its calls
];

export interface FoundTypes {
  readonly count: number;
  /** Of the list: names that are gone, and names that are declared more than once. */
  readonly problems: readonly string[];
}

/** Two types of one name are two. A name that is gone still counts as one: only an edited list lowers the number. */
export function findTypes(files: readonly SourceFile[], names: readonly TypeName[]): FoundTypes {
  const found = names.map((name) => ({ name, paths: declarationsOf(files, name).map(({ path }) => path) }));
  const problems = found.flatMap(({ name, paths }) => {
    if (paths.length === 1) return [];
    if (paths.length === 0)
      return [`${name} is declared nowhere: correct the list in scripts/house-words.ts`];
    return [`${name} is declared ${paths.length} times: ${paths.join(", ")}`];
  });
  return { count: found.reduce((sum, { paths }) => sum + Math.max(1, paths.length), 0), problems };
}

function declarationsOf(files: readonly SourceFile[], reference: TypeName) {
  const [name, room] = reference.split("/").toReversed() as [string, string?];
  const inRoom = files.filter(({ path }) => room === undefined || path.split("/")[0] === room);
  return inRoom.flatMap(({ path, types }) =>
    types.filter((type) => type.name === name).map((type) => ({ path, type })),
  );
}

/** The methods of an interface, with those of the interfaces of src that it extends; undefined where it is gone. */
export function countMethods(files: readonly SourceFile[], reference: TypeName): number | undefined {
  const declared = declarationsOf(files, reference);
  if (declared.length === 0) return undefined;
  const counts = declared.map(
    ({ type }) =>
      type.methodCount + type.parents.reduce((sum, parent) => sum + (countMethods(files, parent) ?? 0), 0),
  );
  return Math.max(...counts);
}

interface RetiredWord {
  readonly word: string;
  /** The word is good English elsewhere, so it counts only in the names of types and of what creates them. */
  readonly isTypeOnly?: true;
  /** Only at the end of a name. */
  readonly isSuffix?: true;
}

/** Words that no name in src may have, because the trade has another one; `-` is between two words. */
export const RETIRED_WORDS: readonly RetiredWord[] = [
  { word: "shelf" },
  { word: "stock" },
  { word: "flight-deck" },
  { word: "pace", isTypeOnly: true },
  { word: "own-lines" },
  { word: "wire", isTypeOnly: true },
  { word: "face", isTypeOnly: true },
  { word: "departure" },
  { word: "visit", isTypeOnly: true },
  { word: "conduct" },
  { word: "run-frame" },
  { word: "run-draft" },
  { word: "turnstile" },
  { word: "recent", isTypeOnly: true },
  { word: "passage" },
  { word: "parts", isTypeOnly: true, isSuffix: true },
  { word: "kept-readings" },
  { word: "desk" },
];

export interface WordUse {
  readonly word: string;
  readonly identifiers: readonly string[];
  readonly files: readonly string[];
}

/** Where retired words still are, each identifier once. */
export function findRetired(files: readonly SourceFile[]): WordUse[] {
  const identifiers = [...new Set(files.flatMap((file) => [...file.identifiers]))].toSorted();
  const paths = files.map(({ path }) => path);
  return RETIRED_WORDS.map((retired) => ({
    word: retired.word,
    identifiers: identifiers.filter((name) => isUsedIn(name, retired)),
    files: paths.filter((path) =>
      hasWord(
        path
          .split("/")
          .at(-1)!
          .replace(/(\.d)?\.ts$/, ""),
        retired,
      ),
    ),
  }));
}

function isUsedIn(identifier: string, retired: RetiredWord): boolean {
  if (retired.isTypeOnly && !/^(create)?[A-Z].*[a-z]/.test(identifier)) return false;
  const spaced = /[a-z]/.test(identifier)
    ? identifier.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, "-")
    : identifier;
  return hasWord(spaced.replaceAll("_", "-").toLowerCase(), retired);
}

function hasWord(kebab: string, { word, isSuffix }: RetiredWord): boolean {
  return isSuffix ? `-${kebab}`.endsWith(`-${word}`) : `-${kebab}-`.includes(`-${word}-`);
}

/** How many words the glossary of ARCHITECTURE.md has: the bold ones in the first column of its table. */
export function countGlossary(root: string): number | undefined {
  const file = join(root, "ARCHITECTURE.md");
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  const section = text.split(/^## /m).find((part) => /^(words|glossary)/i.test(part)) ?? "";
  const rows = section.split("\n").filter((line) => line.startsWith("| **"));
  const words = rows.flatMap((row) => [...row.split(" | ")[0]!.matchAll(/\*\*[^*]+\*\*/g)]);
  return words.length === 0 ? undefined : words.length;
}
