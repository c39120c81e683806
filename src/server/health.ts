/**
 * Whether the gateway lives, and whether it can serve. Any caller may ask, as often as it likes: the answer has words
 * for its parts and nothing else (no path, no message, no version), and however many ask at once, the store is asked
 * once. A caller without a token gets one word, and makes the store answer once a second at most.
 *
 * - **live**: the event loop turns, which an answer proves. A gateway that is not live should be restarted.
 * - **ready**: the store answers and the gateway is not ending. A gateway that is not ready should get no requests
 *   for now.
 *
 * A config that could not be reloaded leaves the gateway ready: the last good one is in force, and to take every
 * gateway out of service for a typing mistake would be worse. It is told as `stale`.
 */
import { within } from "../timing/deadline.ts";
import { SingleFlight } from "../timing/single-flight.ts";

export interface HealthDeps {
  /** Any cheap question to the store. */
  readonly askStore: () => Promise<unknown>;
  /** Whether the config file, as it is now, is the one in force. */
  readonly isConfigGood: () => boolean;
  /** Whether the gateway is ending: it finishes what is under way and takes nothing new. */
  readonly isDraining: () => boolean;
  readonly storeWaitMs?: number;
  /** Of a clock that never goes back. */
  readonly now?: () => number;
}

/** What a route answers, with 200 or 503; `isGood` says which, and is not shown. */
interface HealthReport {
  readonly isGood: boolean;
  readonly status: "ok" | "unavailable";
  readonly parts?: {
    readonly store: "ok" | "slow" | "failed";
    readonly config: "ok" | "stale";
    readonly gateway: "ok" | "draining";
  };
}

export interface Health {
  /** `all` is both: a gateway that answers is live. Never throws. */
  check(part: "live" | "ready" | "all"): Promise<HealthReport>;
  /** The same for a caller without a token: a yes or no, of the store at most a second old. Never throws. */
  probe(part: "live" | "ready"): Promise<boolean>;
}

/** A store that takes longer keeps clients waiting. */
const STORE_WAIT_MS = 1000;
/** Callers without a token share an answer of the store for so long, so that they cannot keep it busy. */
const PROBE_ANSWER_MS = 1000;

export function createHealth(deps: HealthDeps): Health {
  const { storeWaitMs = STORE_WAIT_MS, now = () => performance.now() } = deps;
  const asked = new SingleFlight<"ok" | "failed">();
  let probed: { readonly at: number; readonly store: Promise<"ok" | "slow" | "failed"> } | undefined;

  /** One question at a time: one that hangs is waited for again, and not asked again. */
  function askStore(): Promise<"ok" | "failed"> {
    return asked.run(() => attempt(deps.askStore));
  }

  function askStoreSoon(): Promise<"ok" | "slow" | "failed"> {
    return within(askStore(), storeWaitMs, { late: () => "slow" });
  }

  async function checkReady(): Promise<HealthReport> {
    const store = await askStoreSoon();
    const isDraining = deps.isDraining();
    const isGood = store === "ok" && !isDraining;
    return {
      isGood,
      status: isGood ? "ok" : "unavailable",
      parts: {
        store,
        config: deps.isConfigGood() ? "ok" : "stale",
        gateway: isDraining ? "draining" : "ok",
      },
    };
  }

  async function probeReady(): Promise<boolean> {
    if (deps.isDraining()) return false;
    if (probed === undefined || now() - probed.at >= PROBE_ANSWER_MS)
      probed = { at: now(), store: askStoreSoon() };
    return (await probed.store) === "ok";
  }

  return {
    probe: async (part) => part === "live" || probeReady(),
    check: async (part) => (part === "live" ? { isGood: true, status: "ok" } : checkReady()),
  };
}

async function attempt(ask: () => Promise<unknown>): Promise<"ok" | "failed"> {
  try {
    await ask();
    return "ok";
  } catch {
    return "failed";
  }
}
