/**
 * Time comes in as an argument, so that tests never sleep and a resumed run sees the times of the first.
 *
 * Whatever is waited for or measured goes by `elapsed`: timeouts, deadlines, backoff, throttles. `now` is for what is shown, stored,
 * or compared with the times of other processes.
 */
export interface Clock {
  /** Wall time in ms since 1970; it may jump. */
  now(): number;
  /** Monotonic ms; only differences mean anything. */
  elapsed(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
};
