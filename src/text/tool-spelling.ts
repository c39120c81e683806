/**
 * Tools by names that are not quite theirs: dotted, with single underscores, in camel case, with `mcp__` in front, without the server, or
 * misspelt. It only proposes: a tool is called by its exposed name, and never by a guess. Of its state nothing depends but the time it takes.
 */
import { codeNameOf } from "../core/names.ts";
import { compareText } from "./compare-text.ts";
import { distanceOf, foldName, nearest } from "./nearest.ts";

/** More of one bare name would not be read. */
const RESPELT_MAX = 10;
const NEAR_MAX = 3;
/** A shorter word is near too much. */
const TAIL_LENGTH_MIN = 3;

interface Folded {
  readonly name: string;
  /** Server and tool in one word. */
  readonly whole: string;
  readonly server: string;
  readonly tool: string;
}

/** Names are compared again and again, and the same ones: folding them is most of the work. Enough for the largest catalogue. */
const FOLDED_COUNT_MAX = 20_000;
const foldedNames = new Map<string, Folded>();

function foldedOf(name: string): Folded {
  const known = foldedNames.get(name);
  if (known !== undefined) return known;
  if (foldedNames.size >= FOLDED_COUNT_MAX) foldedNames.clear();
  const folded = fold(name);
  foldedNames.set(name, folded);
  return folded;
}

/** Of an exposed name, of `namespace:action`, or of a name without parts. */
function fold(name: string): Folded {
  const at = name.indexOf(":");
  const { namespace, tool } =
    at !== -1
      ? { namespace: name.slice(0, at), tool: name.slice(at + 1) }
      : name.includes("__")
        ? codeNameOf(name)
        : { namespace: "", tool: name };
  return {
    name,
    whole: foldName(namespace + tool),
    server: foldName(namespace),
    tool: foldName(tool),
  };
}

/** The word as it is compared: letters and digits, without the `mcp` that stands for the gateway or for all capabilities. */
export function foldWord(word: string): string {
  return foldName(word.replace(/^mcp(?:__|[._:\s-])/i, ""));
}

/** The names that a word is another spelling of: with the server if there is one, else by the tool alone. */
export function respeltTools(word: string, names: Iterable<string>): string[] {
  const wanted = foldWord(word);
  if (wanted === "") return [];
  const all = Array.from(new Set(names), foldedOf);
  const whole = all.filter((one) => one.whole === wanted);
  const found = whole.length > 0 ? whole : all.filter(({ tool }) => tool === wanted);
  return found
    .map(({ name }) => name)
    .sort()
    .slice(0, RESPELT_MAX);
}

/** The tools that were probably meant, best first. */
export function nearestTools(word: string, names: Iterable<string>): string[] {
  const known = [...new Set(names)];
  const respelt = respeltTools(word, known);
  if (respelt.length > 0) return respelt;
  const wanted = foldWord(word);
  const scored = known.flatMap((name) => {
    const score = scoreOf(wanted, foldedOf(name));
    return score === undefined ? [] : [{ name, score }];
  });
  scored.sort((a, b) => a.score - b.score || compareText(a.name, b.name));
  const near = scored.slice(0, NEAR_MAX).map(({ name }) => name);
  return near.length > 0 ? near : nearest(word, known);
}

/** The same for tools that are shown under other names: both count, and the one that is shown is told. */
export function nearestShown(
  word: string,
  tools: Iterable<string>,
  nameOf: (tool: string) => string,
): string[] {
  const shown = new Map<string, string>();
  for (const tool of tools) shown.set(tool, nameOf(tool)).set(nameOf(tool), nameOf(tool));
  return [...new Set(nearestTools(word, shown.keys()).map((name) => shown.get(name)!))];
}

/** By the whole name; by the tool of the server that the word begins with; by the tool alone. */
function scoreOf(wanted: string, { whole, server, tool }: Folded): number | undefined {
  const tail = server !== "" && wanted.startsWith(server) ? wanted.slice(server.length) : "";
  const scores = [
    distanceOf(wanted, whole),
    tail.length >= TAIL_LENGTH_MIN ? distanceOf(tail, tool) : undefined,
    wanted.length > TAIL_LENGTH_MIN ? distanceOf(wanted, tool) : undefined,
  ].filter((score) => score !== undefined);
  return scores.length === 0 ? undefined : Math.min(...scores);
}

/** Ends the sentence that there is no such tool: its right name where the word is another spelling of it, else those that are near. */
export function meantTools(word: string, near: readonly string[]): string {
  if (near.length === 0) return "";
  const isRespelt = respeltTools(word, near).length === near.length;
  return isRespelt ? ` It is called ${near.join(" or ")}.` : ` Did you mean ${near.join(" or ")}?`;
}
