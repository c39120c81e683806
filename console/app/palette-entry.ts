/** What the palette lists, and in which order. */
import { defaultFilter } from "cmdk";
import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";

export interface Entry {
  /** A kind and a name: `tool:files__read`, `screen:/runs`. */
  readonly id: string;
  readonly label: string;
  readonly icon: LucideIcon;
  readonly run: () => void;
  readonly aside?: ReactNode;
  readonly keys?: string;
  /** The command that shows or does the same. */
  readonly command?: string | undefined;
  /** Other words by which it is found. */
  readonly words?: readonly string[];
}

/** What was used lately is a little nearer. */
const RECENT_BONUS = 0.15;

/** Those that match, best first; all of them where nothing is asked for. */
export function rankEntries<Each extends Pick<Entry, "id" | "label" | "words">>(
  entries: readonly Each[],
  text: string,
  recent: readonly string[] = [],
): Each[] {
  if (text === "") return [...entries];
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry, text) }))
    .filter(({ score }) => score > 0)
    .map(({ entry, score }) => ({ entry, score: score + (recent.includes(entry.id) ? RECENT_BONUS : 0) }))
    .toSorted((a, b) => b.score - a.score)
    .map(({ entry }) => entry);
}

/** Every word has to be found, in any order, with letters left out. */
function scoreOf({ label, words = [] }: Pick<Entry, "label" | "words">, text: string): number {
  const scores = text.split(/\s+/).map((word) => defaultFilter(label, word, [...words]));
  return scores.includes(0) ? 0 : scores.reduce((sum, score) => sum + score, 0) / scores.length;
}
