/** Runs something later; returns how to call it off. Tests hand over time of their own. */
export type After = (delayMs: number, run: () => void) => () => void;

export const systemAfter: After = (delayMs, run) => {
  const timer = setTimeout(run, delayMs);
  return () => clearTimeout(timer);
};

/** The same, where waiting alone must not keep the process up. */
export const backgroundAfter: After = (delayMs, run) => {
  const timer = setTimeout(run, delayMs).unref();
  return () => clearTimeout(timer);
};
