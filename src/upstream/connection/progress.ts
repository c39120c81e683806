/**
 * Progress on its way to a client. A server may report thousands of times a second, and each report is a message to the
 * client: of a flood the newest is passed on from time to time, and the last one always before the answer.
 */
import type { Clock } from "../../core/clock.ts";
import type { JsonObject } from "../../core/json.ts";
import { systemAfter } from "../../timing/after.ts";
import { createThrottle } from "../../timing/throttle.ts";

/** No more than 20 in any second: a burst, and then one for each gap. */
const BURST = 10;
const GAP_MS = 100;

export interface Progress {
  readonly report: (step: JsonObject) => void;
  /** The answer is there: what is held back goes out before it. */
  end(): void;
  /** The call was given up: what is held back is dropped. */
  drop(): void;
}

/** What fails in the caller that is told costs the call nothing. */
export function throttleProgress(
  tell: (step: JsonObject) => void,
  clock: Clock,
  failed: (error: unknown) => void,
): Progress {
  let newest: JsonObject = {};
  const throttle = createThrottle({
    clock,
    after: systemAfter,
    gapMs: GAP_MS,
    burst: BURST,
    run() {
      try {
        tell(newest);
      } catch (error) {
        failed(error);
      }
    },
  });
  return {
    report(step) {
      newest = step;
      throttle.ask();
    },
    end: () => throttle.flush(),
    drop: () => throttle.stop(),
  };
}
