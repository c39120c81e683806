import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { cx } from "./class-names.ts";

/** What a colour says; never without a word or an icon beside it. */
export type Tone = "ok" | "fail" | "wait" | "run" | "idle";

export const TONE_TEXT: Readonly<Record<Tone, string>> = {
  ok: "text-ok",
  fail: "text-fail",
  wait: "text-wait",
  run: "text-run",
  idle: "text-idle",
};
export const TONE_BG: Readonly<Record<Tone, string>> = {
  ok: "bg-ok-bg",
  fail: "bg-fail-bg",
  wait: "bg-wait-bg",
  run: "bg-run-bg",
  idle: "bg-idle-bg",
};
export const TONE_FILL: Readonly<Record<Tone, string>> = {
  ok: "bg-ok-fill",
  fail: "bg-fail-fill",
  wait: "bg-wait-fill",
  run: "bg-run-fill",
  idle: "bg-idle-fill",
};

export interface BadgeProps {
  readonly tone?: Tone;
  readonly icon?: LucideIcon;
  readonly title?: string;
  readonly children: ReactNode;
}

/** A short word with a quiet background. */
export function Badge({ tone = "idle", icon: Icon, title, children }: BadgeProps): ReactNode {
  return (
    <span
      title={title}
      className={cx(
        "inline-flex h-5 max-w-full align-top items-center gap-1 rounded-sm px-1.5 text-xs font-medium whitespace-nowrap",
        TONE_TEXT[tone],
        TONE_BG[tone],
      )}
    >
      {Icon !== undefined && <Icon aria-hidden size={12} className="shrink-0" />}
      <span className="truncate">{children}</span>
    </span>
  );
}
