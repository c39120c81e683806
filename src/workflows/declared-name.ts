/** The names that a workflow declares: of its inputs, nodes and outputs. */
import { didYouMean } from "../text/nearest.ts";
import { cut } from "../text/cut.ts";
import { quote } from "../text/quote.ts";
import type { Path } from "./place.ts";
import type { Problems } from "./problem.ts";

const NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;
/** Keys that are no data on any object. */
const UNSAFE_NAMES: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);
/** What templates call the item of a batch and its place. */
export const BATCH_NAMES: ReadonlySet<string> = new Set(["item", "index"]);
/** More names would make the message unreadable. */
const LISTED_COUNT_MAX = 20;
const LISTED_LENGTH_MAX = 64;

/** Whether the name can be declared; if not, why is a problem. */
export function checkName(name: string, path: Path, problems: Problems, at: "key" | "value"): boolean {
  if (!NAME.test(name)) {
    const rule =
      "Begin with a letter or _, go on with letters, digits, _ or -, and use at most 64 characters.";
    problems.add(path, `${quote(name)} cannot be a name.`, rule, at);
    return false;
  }
  if (!UNSAFE_NAMES.has(name)) return true;
  problems.add(path, `the name ${name} is reserved.`, "Choose another name.", at);
  return false;
}

/** Whether templates can use the name; the names of a batch would hide it. */
export function checkRootName(name: string, path: Path, problems: Problems, at: "key" | "value"): boolean {
  if (!checkName(name, path, problems, at)) return false;
  if (!BATCH_NAMES.has(name)) return true;
  const message = `the name ${name} is reserved: in a batch, templates use it for the item at hand.`;
  problems.add(path, message, "Choose another name.", at);
  return false;
}

/** ` Did you mean a?`, or what there is. */
export function suggest(word: string, names: readonly string[], problems: Problems): string {
  const meant = didYouMean(problems.near(word, names));
  return meant === "" ? ` There is ${listNames(names)}.` : meant;
}

/** The names in a sentence: the first, and how many more. */
export function listNames(names: readonly string[]): string {
  if (names.length === 0) return "none";
  const rest = names.length - LISTED_COUNT_MAX;
  const shown = names
    .slice(0, LISTED_COUNT_MAX)
    .map((name) => cut(name, LISTED_LENGTH_MAX))
    .join(", ");
  return rest > 0 ? `${shown} and ${rest} more` : shown;
}
