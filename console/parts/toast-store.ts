import type { Tone } from "./badge.tsx";

export interface ToastText {
  readonly tone?: Tone;
  readonly title: string;
  /** What to do next. */
  readonly detail?: string | undefined;
  readonly action?: { readonly label: string; readonly run: () => void };
}

export interface ShownToast extends ToastText {
  readonly id: number;
}

/** Of failures, longer: they are read, not noticed. */
const SHOWN_MS = { usual: 4_000, fail: 10_000 } as const;
/** More at once are noise. */
const SHOWN_MAX = 4;

let shown: readonly ShownToast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

/** Says something in the corner of the page, and to screen readers. */
export function toast(text: ToastText): void {
  lastId += 1;
  const id = lastId;
  become([...shown, { ...text, id }].slice(-SHOWN_MAX));
  setTimeout(() => dismissToast(id), text.tone === "fail" ? SHOWN_MS.fail : SHOWN_MS.usual);
}

export function dismissToast(id: number): void {
  become(shown.filter((each) => each.id !== id));
}

export function shownToasts(): readonly ShownToast[] {
  return shown;
}

export function watchToasts(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function become(next: readonly ShownToast[]): void {
  shown = next;
  for (const listener of listeners) listener();
}
