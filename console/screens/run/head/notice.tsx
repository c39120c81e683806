import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { TONE_BG, TONE_TEXT, type Tone } from "../../../parts/badge.tsx";
import { cx } from "../../../parts/class-names.ts";

export interface NoticeProps {
  readonly tone: Tone;
  readonly icon: LucideIcon;
  readonly title: ReactNode;
  readonly actions?: ReactNode;
  readonly children?: ReactNode;
}

/** Something about the run that is to be known or decided before anything else. */
export function Notice({ tone, icon: Icon, title, actions, children }: NoticeProps): ReactNode {
  return (
    <section className="flex gap-2.5 border-b border-line px-4 py-2 max-sm:px-3">
      <span
        className={cx(
          "mt-px flex size-5 shrink-0 items-center justify-center rounded-sm",
          TONE_BG[tone],
          TONE_TEXT[tone],
        )}
      >
        <Icon aria-hidden size={13} />
      </span>
      <div className="min-w-0 flex-1 space-y-1.5">
        <div className="flex flex-wrap items-start gap-x-3 gap-y-1.5">
          <h2 className="foreign min-w-0 flex-1 basis-64 font-medium">{title}</h2>
          {actions !== undefined && <div className="flex flex-wrap items-center gap-1.5">{actions}</div>}
        </div>
        {children}
      </div>
    </section>
  );
}
