import { Eye, OctagonAlert, Pencil, Workflow, type LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { Badge, TONE_TEXT, type Tone } from "./badge.tsx";
import { cx } from "./class-names.ts";

interface Shown {
  readonly word: string;
  readonly icon: LucideIcon;
  readonly tone: Tone;
  readonly title: string;
}

/** What a call of a tool does to the world: one icon and one word for each. */
const EFFECTS: Readonly<Record<string, Shown>> = {
  read: { word: "Reads", icon: Eye, tone: "idle", title: "It only reads" },
  write: { word: "Writes", icon: Pencil, tone: "run", title: "It changes something, and destroys nothing" },
  destroy: {
    word: "May destroy",
    icon: OctagonAlert,
    tone: "wait",
    title: "It may destroy something: it says so, or says nothing",
  },
};
const NONE: Shown = {
  word: "By its calls",
  icon: Workflow,
  tone: "idle",
  title: "Each call that it makes has its own effect",
};

export interface EffectMarkProps {
  /** `read`, `write` or `destroy`; without one, it is a meta-tool. */
  readonly effect: string | undefined;
  readonly look?: "text" | "badge" | "icon";
}

export function EffectMark({ effect, look = "text" }: EffectMarkProps): ReactNode {
  const { word, icon: Icon, tone, title } = EFFECTS[effect ?? ""] ?? NONE;
  if (look === "badge") {
    return (
      <Badge tone={tone} icon={Icon} title={title}>
        {word}
      </Badge>
    );
  }
  return (
    <span title={title} className="flex min-w-0 items-center gap-1.5 text-muted">
      <Icon aria-hidden size={14} className={cx("shrink-0", TONE_TEXT[tone])} />
      <span className={look === "icon" ? "sr-only" : "truncate"}>{word}</span>
    </span>
  );
}
