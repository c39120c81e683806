import { systemAfter, type After } from "./after.ts";

export interface WithinOptions<L> {
  /** What is given, or thrown, in the place of a result that did not come in time; `undefined` where it is left out. */
  readonly late?: () => L;
  /** Ends the wait as the limit does. */
  readonly signal?: AbortSignal;
  readonly after?: After;
}

const LATE = Symbol("late");

/** The result of the work, if it comes within the limit. The work goes on after it; if it fails then, nothing is told. */
export async function within<T, L = undefined>(
  work: Promise<T>,
  limitMs: number,
  { late, signal, after = systemAfter }: WithinOptions<L> = {},
): Promise<T | L> {
  const { promise, resolve } = Promise.withResolvers<typeof LATE>();
  const giveUp = (): void => resolve(LATE);
  const isOver = limitMs <= 0 || signal?.aborted === true;
  if (isOver) giveUp();
  const cancel = isOver ? undefined : after(limitMs, giveUp);
  signal?.addEventListener("abort", giveUp, { once: true });
  try {
    const first = await Promise.race([work, promise]);
    return first === LATE ? (late?.() as L) : first;
  } finally {
    cancel?.();
    signal?.removeEventListener("abort", giveUp);
  }
}

/** Resolves when the signal aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) resolve();
  else signal.addEventListener("abort", () => resolve(), { once: true });
  return promise;
}
