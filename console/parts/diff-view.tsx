import type { ReactNode } from "react";
import { cx } from "./class-names.ts";
import { parseUnified, type DiffLine } from "./unified-diff.ts";
import { Visible } from "./visible.tsx";

const LOOKS: Readonly<Record<DiffLine["kind"], string>> = {
  added: "bg-ok-bg",
  removed: "bg-fail-bg",
  same: "",
  part: "bg-sunken text-muted",
};
const SIGNS: Readonly<Record<DiffLine["kind"], string>> = { added: "+", removed: "−", same: " ", part: " " };
const WORDS: Readonly<Record<DiffLine["kind"], string>> = {
  added: "added: ",
  removed: "removed: ",
  same: "",
  part: "",
};
/** More lines are no reading any more; the source itself is elsewhere. */
const LINES_MAX = 4_000;

/** A unified difference, line by line; what does not show is written out. */
export function DiffView({ text, label }: { readonly text: string; readonly label: string }): ReactNode {
  const lines = parseUnified(text);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls
    <div
      role="region"
      aria-label={label}
      tabIndex={0}
      className="row-focus overflow-auto bg-code-bg py-2 font-mono text-xs leading-5"
    >
      <div className="min-w-max">
        {lines.slice(0, LINES_MAX).map(({ kind, text: line, before, after }, at) => (
          <div key={at} className={cx("flex pr-4", LOOKS[kind])}>
            <Number value={before} />
            <Number value={after} />
            <span
              aria-hidden
              className={cx(
                "w-6 shrink-0 text-center select-none",
                kind === "added" && "text-ok",
                kind === "removed" && "text-fail",
              )}
            >
              {SIGNS[kind]}
            </span>
            <code className="whitespace-pre">
              {WORDS[kind] !== "" && <span className="sr-only">{WORDS[kind]}</span>}
              <Visible text={line} />
            </code>
          </div>
        ))}
        {lines.length > LINES_MAX && (
          <p className="px-3 text-muted">{lines.length - LINES_MAX} lines more are not shown.</p>
        )}
      </div>
    </div>
  );
}

function Number({ value }: { readonly value: number | undefined }): ReactNode {
  return <span className="w-10 shrink-0 pr-2 text-right text-faint select-none">{value}</span>;
}
