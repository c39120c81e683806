/**
 * How long a start may take. It belongs to no caller: a package that is downloaded for the first time needs as long as
 * it needs, and a download that is killed leaves half a cache behind. So the limit is extended while the process still
 * writes to stderr, up to a longest total.
 */

/** Written to stderr less than so long ago, it is still at work. */
const SIGN_MS = 30_000;

/** It took longer than it may. */
export class TooLate extends Error {}

/** It is no longer wanted: the server was removed, or the gateway ends. */
export class Unwanted extends Error {}

export interface StartLimitDeps {
  /** What it is to do within the limit. */
  readonly what: string;
  readonly limitMs: number;
  /** With signs of work; without signs, `limitMs`. */
  readonly longestMs: number;
  /** When the process last showed that it is at work, on the clock of `performance.now()`. */
  readonly lastSignAt: () => number | undefined;
  readonly signal: AbortSignal | undefined;
}

export class StartLimit {
  readonly #deps: StartLimitDeps;
  readonly #startedAt = performance.now();
  readonly #ended = Promise.withResolvers<never>();
  readonly #onAbort = (): void => this.#ended.reject(new Unwanted("it is no longer wanted"));
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: StartLimitDeps) {
    this.#deps = deps;
    this.#ended.promise.catch(() => {});
    if (deps.signal?.aborted === true) this.#onAbort();
    else deps.signal?.addEventListener("abort", this.#onAbort, { once: true });
    this.#wait(deps.limitMs);
  }

  /** The work, or a rejection when the limit is reached first. */
  race<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.#ended.promise]);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#deps.signal?.removeEventListener("abort", this.#onAbort);
  }

  #wait(ms: number): void {
    this.#timer = setTimeout(() => this.#look(), Math.max(1, ms));
  }

  #look(): void {
    const { limitMs, longestMs, lastSignAt } = this.#deps;
    const now = performance.now();
    const goesOnUntil = Math.min(this.#startedAt + longestMs, (lastSignAt() ?? -Infinity) + SIGN_MS);
    if (goesOnUntil > now) return this.#wait(goesOnUntil - now);
    const tookMs = limitMs < longestMs ? Math.round(now - this.#startedAt) : limitMs;
    this.#ended.reject(new TooLate(`it did not ${this.#deps.what} within ${tookMs} ms`));
  }
}
