import { diffChars, diffWordsWithSpace } from "diff";
import { useMemo, type ReactNode } from "react";
import { cx } from "./class-names.ts";
import { countHidden } from "./hidden-characters.ts";
import { Visible } from "./visible.tsx";

/** Above it, comparing costs more than it shows: both texts are then shown whole. */
const TEXT_MAX = 50_000;
/** Up to here single characters are compared, where a hidden one is the whole difference. */
const CHARS_MAX = 4_000;

export interface WordDiffProps {
  readonly before: string;
  readonly after: string;
}

interface Part {
  readonly kind: "added" | "removed" | "same";
  readonly text: string;
}

const LOOKS: Readonly<Record<Part["kind"], string>> = {
  added: "rounded-sm bg-ok-bg text-ok no-underline outline outline-ok-fill/40",
  removed: "rounded-sm bg-fail-bg text-fail line-through outline outline-fail-fill/40",
  same: "",
};

/** What became of a text, word by word; what does not show is written out as a chip. */
export function WordDiff({ before, after }: WordDiffProps): ReactNode {
  const parts = useMemo(() => partsOf(before, after), [before, after]);
  return (
    <p className="foreign leading-6">
      {parts.map(({ kind, text }, at) => {
        const Mark = kind === "added" ? "ins" : kind === "removed" ? "del" : "span";
        return (
          <Mark key={at} className={cx(LOOKS[kind])}>
            <Visible text={text} />
          </Mark>
        );
      })}
    </p>
  );
}

/** The parts of both texts, in reading order. */
function partsOf(before: string, after: string): readonly Part[] {
  if (before.length + after.length > TEXT_MAX) {
    return [
      { kind: "removed", text: before },
      { kind: "added", text: after },
    ];
  }
  const isSmall = before.length + after.length <= CHARS_MAX;
  const compare = isSmall && countHidden(before) !== countHidden(after) ? diffChars : diffWordsWithSpace;
  return compare(before, after).map(({ added, removed, value }) => ({
    kind: added ? "added" : removed ? "removed" : "same",
    text: value,
  }));
}
