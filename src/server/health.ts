/**
 * Whether the gateway lives, and whether it can serve. Any caller may ask, as often as it likes: the answer has words
 * for its parts and nothing else (no path, no message, no version), and however many ask at once, the store is asked
 * once. A caller without a token gets one word, and makes the store answer once a second at most.
 *
 * - **live**: the event loop turns, which an answer proves. A gateway that is not live should be restarted.
 * - **ready**: the store answers and the gateway is not ending. A gateway that is not ready should get no requests
 *   for now. A database that is away leaves the gateway ready for as long as operations wait for it: calls of servers'
 *   tools need no store, and to take every gateway out of service for a restart of the database would be worse.
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
  /** How long the gateway stays ready without its store; 0 for a file, which is never away for a moment. */
  readonly awayMs?: number;
  /** Whether the store only cannot be reached, and not more is wrong with it. */
  readonly isAway?: (error: unknown) => boolean;
  /** What the whole report says of a store that several gateways share. */
  readonly describeStore?: () => Promise<StoreReport>;
  /** Of a clock that never goes back. */
  readonly now?: () => number;
}

/** For callers with a token. */
export interface StoreReport {
  readonly kind: string;
  /** Host and database. */
  readonly place: string;
  /** ISO 8601; absent while it can be reached. */
  readonly away_since?: string;
  /** Gateways on it that live, where that is known. */
  readonly replicas?: number;
}

/** What a route answers, with 200 or 503; `isGood` says which, and is not shown. */
interface HealthReport {
  readonly isGood: boolean;
  readonly status: "ok" | "unavailable";
  readonly parts?: {
    readonly store: StoreWord;
    readonly config: "ok" | "stale";
    readonly gateway: "ok" | "draining";
  };
  readonly store?: StoreReport;
}

type StoreWord = "ok" | "slow" | "away" | "failed";

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
  const { storeWaitMs = STORE_WAIT_MS, awayMs = 0, now = () => performance.now() } = deps;
  const asked = new SingleFlight<StoreWord>();
  let probed: { readonly at: number; readonly isReady: Promise<boolean> } | undefined;
  let awaySince: number | undefined;

  /** One question at a time: one that hangs is waited for again, and not asked again. */
  function askStore(): Promise<StoreWord> {
    return asked.run(() => attempt(deps));
  }

  async function askStoreSoon(): Promise<{ readonly store: StoreWord; readonly isGood: boolean }> {
    const store = await within(askStore(), storeWaitMs, { late: () => "slow" as const });
    if (store !== "slow" && store !== "away") {
      awaySince = undefined;
      return { store, isGood: store === "ok" };
    }
    awaySince ??= now();
    return { store: awayMs > 0 ? "away" : store, isGood: now() - awaySince < awayMs };
  }

  async function checkReady(): Promise<HealthReport> {
    const { store, isGood: isStoreGood } = await askStoreSoon();
    const isDraining = deps.isDraining();
    const isGood = isStoreGood && !isDraining;
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
      probed = { at: now(), isReady: askStoreSoon().then(({ isGood }) => isGood) };
    return probed.isReady;
  }

  async function checkAll(): Promise<HealthReport> {
    const report = await checkReady();
    const store = await deps.describeStore?.();
    return store === undefined ? report : { ...report, store };
  }

  return {
    probe: async (part) => part === "live" || probeReady(),
    check: async (part) => {
      if (part === "live") return { isGood: true, status: "ok" };
      return part === "all" ? checkAll() : checkReady();
    },
  };
}

async function attempt({ askStore, isAway }: HealthDeps): Promise<"ok" | "away" | "failed"> {
  try {
    await askStore();
    return "ok";
  } catch (error) {
    return isAway?.(error) === true ? "away" : "failed";
  }
}
