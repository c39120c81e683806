import type { ReactNode } from "react";
import { cx } from "./class-names.ts";

const IS_MAC = typeof navigator !== "undefined" && /Mac|iPhone|iPad/.test(navigator.userAgent);
const NAMES: Readonly<Record<string, string>> = {
  mod: IS_MAC ? "⌘" : "Ctrl",
  shift: "⇧",
  alt: IS_MAC ? "⌥" : "Alt",
  Enter: "↵",
  Escape: "Esc",
  ArrowUp: "↑",
  ArrowDown: "↓",
};

/** Keys as they are written for `useKeys`: `g h`, `mod+k`, `Escape`. Screen readers hear them in the help instead. */
export function Kbd({
  keys,
  look = "plain",
}: {
  readonly keys: string;
  readonly look?: "plain" | "on-accent";
}): ReactNode {
  return (
    <span aria-hidden className="inline-flex gap-0.5 not-first:ml-0.5">
      {keys.split(/[ +](?=.)/).map((key, at) => (
        <kbd
          key={`${key}-${at}`}
          className={cx(
            "inline-flex h-4 min-w-4 items-center justify-center rounded-sm border px-1 font-sans text-2xs",
            look === "plain" ? "border-line-strong text-muted" : "border-on-accent/40 text-on-accent",
          )}
        >
          {NAMES[key] ?? (key.length === 1 ? key.toUpperCase() : key)}
        </kbd>
      ))}
    </span>
  );
}
