import {
  Ban,
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CircleHelp,
  CirclePause,
  CircleSlash,
  CircleX,
  Hourglass,
  KeyRound,
  Loader,
  ShieldAlert,
  ShieldQuestionMark,
  SkipForward,
  TextCursorInput,
  Unplug,
  type LucideIcon,
} from "lucide-react";
import type { ReactNode } from "react";
import { Badge, TONE_TEXT, type Tone } from "./badge.tsx";
import { cx } from "./class-names.ts";

interface Shown {
  readonly tone: Tone;
  readonly icon: LucideIcon;
  readonly word: string;
}

/** Every state that a run, a step, a server, a call, a decision, a pin or an example can have: one icon and one word for each. */
const STATES: Readonly<Record<string, Shown>> = {
  // runs and steps
  queued: { tone: "run", icon: Hourglass, word: "Queued" },
  running: { tone: "run", icon: Loader, word: "Running" },
  under_way: { tone: "run", icon: Loader, word: "Under way" },
  paused: { tone: "wait", icon: CirclePause, word: "Waits" },
  waiting: { tone: "wait", icon: Hourglass, word: "Waits" },
  succeeded: { tone: "ok", icon: CircleCheck, word: "Succeeded" },
  failed: { tone: "fail", icon: CircleX, word: "Failed" },
  cancelled: { tone: "idle", icon: Ban, word: "Cancelled" },
  interrupted: { tone: "wait", icon: Unplug, word: "Interrupted" },
  sent: { tone: "wait", icon: CircleHelp, word: "Uncertain" },
  uncertain: { tone: "wait", icon: CircleHelp, word: "Uncertain" },
  skipped: { tone: "idle", icon: SkipForward, word: "Skipped" },
  pending: { tone: "idle", icon: CircleDashed, word: "Not yet" },
  // servers
  disabled: { tone: "idle", icon: CircleSlash, word: "Disabled" },
  untrusted: { tone: "wait", icon: ShieldAlert, word: "Not trusted" },
  unusable: { tone: "fail", icon: CircleX, word: "Unusable" },
  needs_input: { tone: "wait", icon: TextCursorInput, word: "Needs input" },
  idle: { tone: "idle", icon: CircleDashed, word: "Idle" },
  connecting: { tone: "run", icon: Loader, word: "Connecting" },
  starting: { tone: "run", icon: Loader, word: "Starting" },
  ready: { tone: "ok", icon: CircleCheck, word: "Ready" },
  // what waits for a person
  approval: { tone: "wait", icon: ShieldQuestionMark, word: "Approval" },
  resume: { tone: "wait", icon: Unplug, word: "To resume" },
  given_up: { tone: "fail", icon: CircleX, word: "Given up" },
  input: { tone: "wait", icon: TextCursorInput, word: "Input" },
  login: { tone: "wait", icon: KeyRound, word: "Login" },
  // calls and decisions
  ok: { tone: "ok", icon: CircleCheck, word: "OK" },
  tool_error: { tone: "fail", icon: CircleX, word: "Tool error" },
  allow: { tone: "ok", icon: CircleCheck, word: "Allow" },
  ask: { tone: "wait", icon: ShieldQuestionMark, word: "Ask" },
  refuse: { tone: "fail", icon: Ban, word: "Refuse" },
  // pins and examples
  approved: { tone: "ok", icon: CircleCheck, word: "Approved" },
  noted: { tone: "run", icon: CircleAlert, word: "Noted" },
  held: { tone: "wait", icon: ShieldAlert, word: "Held" },
  rejected: { tone: "fail", icon: Ban, word: "Rejected" },
  passed: { tone: "ok", icon: CircleCheck, word: "Passed" },
};

function shownOf(state: string): Shown {
  return STATES[state] ?? { tone: "idle", icon: CircleDashed, word: state };
}

/** The tone of a state, for bars and rows that show its word elsewhere. */
export function toneOf(state: string): Tone {
  return shownOf(state).tone;
}

/** The word for a state, as badges have it. */
export function wordOf(state: string): string {
  return shownOf(state).word;
}

export interface StatusProps {
  readonly state: string;
  /** In place of the state's own word. */
  readonly children?: ReactNode;
  readonly title?: string;
}

/** Icon and word on a quiet background. */
export function StatusBadge({ state, children, title }: StatusProps): ReactNode {
  const { tone, icon, word } = shownOf(state);
  return (
    <Badge tone={tone} icon={icon} {...(title !== undefined && { title })}>
      {children ?? word}
    </Badge>
  );
}

/** Icon and word without a background, for rows; `iconOnly` keeps the word for screen readers. */
export function StatusDot(props: StatusProps & { readonly iconOnly?: boolean }): ReactNode {
  const { state, children, title, iconOnly = false } = props;
  const { tone, icon: Icon, word } = shownOf(state);
  return (
    <span
      title={title ?? (iconOnly ? word : undefined)}
      className="inline-flex min-w-0 max-w-full items-center gap-1.5 align-top"
    >
      <Icon
        aria-hidden
        size={14}
        className={cx("shrink-0", TONE_TEXT[tone], Icon === Loader && "animate-spin")}
      />
      <span className={iconOnly ? "sr-only" : "truncate"}>{children ?? word}</span>
    </span>
  );
}
