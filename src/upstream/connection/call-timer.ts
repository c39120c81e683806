/**
 * The time that one request may take. It runs out `timeoutMs` after the server's last sign of work. Progress is such a
 * sign, but only up to a longest total: a server that reports for ever does not keep a call open for ever. While the
 * server waits for an answer of the client, the time is paused, also only for so long.
 *
 * Everything is measured on the monotonic clock of the timers themselves.
 */

/**
 * How long one call may wait for its client's answers, all of its questions together: as long as a person is given for
 * one.
 */
export const QUESTION_MS_MAX = 10 * 60 * 1000;

/**
 * Progress keeps a call open for so many times its timeout, and for long work behind a short timeout at least so long.
 */
const PROGRESS_FACTOR = 10;
const PROGRESS_MS_MIN = 10 * 60 * 1000;

/** How long a call that reports progress may take in all. */
export function longestMs(timeoutMs: number): number {
  return Math.max(PROGRESS_FACTOR * timeoutMs, PROGRESS_MS_MIN);
}

export class CallTimer {
  readonly timeoutMs: number;
  #timer: NodeJS.Timeout | undefined;
  #onTimeout: () => void = () => {};
  #startedAt = 0;
  #pausedAt = 0;
  #pauseCount = 0;
  /** What is left of the longest wait for answers. */
  #questionLeftMs = QUESTION_MS_MAX;
  #hasReachedLongest = false;
  #isStopped = false;

  constructor(timeoutMs: number) {
    this.timeoutMs = timeoutMs;
  }

  /** Whether the time that is running is the end of the longest total, and not a whole timeout. */
  get hasReachedLongest(): boolean {
    return this.#hasReachedLongest;
  }

  start(onTimeout: () => void): void {
    this.#onTimeout = onTimeout;
    this.#startedAt = performance.now();
    this.#run();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** The server reports progress: the timeout begins again, within the longest total. */
  refresh(): void {
    if (this.#isStopped || this.#isPaused || this.#hasReachedLongest) return;
    if (this.#leftMs() >= this.timeoutMs) this.#timer?.refresh();
    else this.#run();
  }

  /** The server waits for an answer of the client. Each pause is ended by one `resume`. */
  pause(): void {
    this.#pauseCount++;
    if (this.#isStopped || this.#pauseCount > 1 || this.#questionLeftMs <= 0) return;
    this.#pausedAt = performance.now();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#questionLeftMs = 0;
      this.#run();
    }, this.#questionLeftMs);
  }

  /** The client has answered, so the server has its whole timeout again, within the longest total. */
  resume(): void {
    this.#pauseCount--;
    if (this.#isStopped || this.#pauseCount > 0 || this.#questionLeftMs <= 0) return;
    this.#questionLeftMs -= performance.now() - this.#pausedAt;
    this.#run();
  }

  get #isPaused(): boolean {
    return this.#pauseCount > 0 && this.#questionLeftMs > 0;
  }

  #run(): void {
    clearTimeout(this.#timer);
    const leftMs = this.#leftMs();
    this.#hasReachedLongest = leftMs < this.timeoutMs;
    this.#timer = setTimeout(this.#onTimeout, Math.max(1, Math.min(this.timeoutMs, leftMs)));
  }

  /** Of the longest total, in which pauses do not count. */
  #leftMs(): number {
    const pausedMs = QUESTION_MS_MAX - this.#questionLeftMs;
    return longestMs(this.timeoutMs) - (performance.now() - this.#startedAt - pausedMs);
  }
}
