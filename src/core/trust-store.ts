/** What the rules, pins and the call log keep in the store: contracts, as in store.ts. */
import type { Effect, RuleAction } from "./rule.ts";
import type { JsonObject } from "./json.ts";

// ── pins ────────────────────────────────────────────────────────────────────────────────────────────────────────────

const PIN_KINDS = ["identity", "instructions", "tool", "prompt", "resource template", "skill"] as const;
export type PinKind = (typeof PIN_KINDS)[number];

/** Something that a server offers: `identity` and `instructions` have no name of their own. */
export interface PinKey {
  readonly server: string;
  readonly kind: PinKind;
  readonly name: string;
}

/**
 * What may be used of a server, beside what it offers now.
 *
 * `approved`: what is offered may be used. `noted`: so it may, and it differs from the approved definition. `held`: it
 * may not, until a person approves it. `rejected`: a person said no; it is held for good, until something else is
 * offered.
 */
export type PinStatus = "approved" | "noted" | "held" | "rejected";

export interface Pin extends PinKey {
  readonly status: PinStatus;
  /** The first that was seen, or what a person approved; null for something new that nobody approved. */
  readonly approved: JsonObject | null;
  readonly approvedAt: number | null;
  /** Null where it was the first that was seen and nobody has approved it. */
  readonly approvedBy: string | null;
  /** What is offered instead; null where that is the approved one, or nothing. */
  readonly offered: JsonObject | null;
  readonly offeredHash: string | null;
  /** Since when. */
  readonly offeredAt: number | null;
  /** Why it is held: what changed, what was found. */
  readonly reasons: readonly string[];
}

/** A definition that differs from the approved one, or that is new. */
export interface PinOffer extends PinKey {
  readonly status: "noted" | "held";
  readonly offered: JsonObject;
  readonly offeredHash: string;
  readonly reasons: readonly string[];
}

export type PinDecision =
  | { readonly kind: "decided"; readonly pin: Pin }
  /** Something else is offered by now: what was shown was not decided on. */
  | { readonly kind: "changed" }
  | { readonly kind: "missing" };

export interface PinStore {
  /** Of one server or of all, by server, kind and name. */
  list(server?: string): Promise<Pin[]>;
  /**
   * Puts a baseline on record, if the server has no pin at all; one transaction. Of several processes at once, one
   * does, and false means that another was first.
   */
  begin(server: string, baseline: readonly (PinKey & { readonly approved: JsonObject })[]): Promise<boolean>;
  /**
   * Puts beside the approved definitions what differs from them now; one transaction. A rejected offer with the same
   * hash stays rejected, a held one keeps its time. `settled` are offered as they were approved.
   */
  offer(server: string, offers: readonly PinOffer[], settled: readonly PinKey[]): Promise<void>;
  /**
   * Approves or rejects what is offered, if it is still what was shown; with a null hash, confirms the approved
   * definition itself.
   */
  decide(
    key: PinKey,
    offeredHash: string | null,
    decision: { readonly isApproved: boolean; readonly by: string },
  ): Promise<PinDecision>;
  /** Forgets a server: the next sight of it is the first. */
  forget(server: string): Promise<void>;
  /** Grows with every change by any process. */
  revision(): Promise<number>;
}

// ── limits ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** At most so many in any time of this length; without a length, at most so many ever. */
export interface WindowLimit {
  readonly key: string;
  readonly countMax: number;
  readonly windowMs: number | null;
}

/** At most so many under way at once. */
export interface SlotLimit {
  readonly key: string;
  readonly countMax: number;
}

export type Taken =
  | { readonly kind: "taken"; readonly slotIds: readonly string[] }
  /** The limit that is reached, and when it may be asked again; null where only an end of another call helps. */
  | { readonly kind: "reached"; readonly key: string; readonly retryAt: number | null };

export interface LimitStore {
  /**
   * Counts one call against all of these, or against none of them; exact over processes. Of several that are reached,
   * the first is told, windows before slots.
   */
  take(windows: readonly WindowLimit[], slots: readonly SlotLimit[]): Promise<Taken>;
  /** How often a key without a length was taken. */
  used(key: string): Promise<number>;
  /** Slots are given back when the call has ended; one of a process that died is free after a while. */
  giveBack(slotIds: readonly string[]): Promise<void>;
  /** Calls of this process that are still under way keep their slots. */
  renew(slotIds: readonly string[]): Promise<void>;
}

// ── calls ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** One call, made or refused. */
export interface CallEntry {
  readonly at: number;
  /** The id of the principal, or `local`. */
  readonly principal: string;
  /** What the client calls itself. */
  readonly client: string | null;
  readonly profile: string | null;
  readonly kind: "tool" | "node" | "prompt" | "resource";
  readonly tool: string;
  readonly effect: Effect;
  readonly decision: RuleAction;
  /** The name of the rule that decided. */
  readonly rule: string;
  /** Keyed with a secret of the store, so that arguments cannot be guessed from it. */
  readonly argsDigest: string;
  /** Redacted, and only where the config says so. */
  readonly args: JsonObject | null;
  /** `ok`, or the code of the error, with its reason: `SECURITY_ERROR refused`. */
  readonly outcome: string;
  readonly elapsedMs: number;
  /** Of the texts of the answer. */
  readonly bytes: number;
  readonly runId: string | null;
  readonly traceId: string;
}

export interface StoredCall extends CallEntry {
  /** In the order of time. */
  readonly id: string;
}

export interface CallFilter {
  readonly limit: number;
  /** Only older ones; newest first. */
  readonly beforeId?: string;
  /** Only newer ones; oldest first. */
  readonly afterId?: string;
  /** Patterns with `*`; case does not matter. `who` is a principal, or `profile:NAME`. */
  readonly tool?: string;
  readonly who?: string;
  readonly since?: number;
  /** Exactly this principal. */
  readonly owner?: string;
  readonly runId?: string;
  /** `refused` by a rule, `failed` for any other reason. */
  readonly outcome?: CallOutcome;
}

export type CallOutcome = "ok" | "failed" | "refused";

/** Which calls are summed up. */
export interface CallRange {
  readonly since: number;
  /** What the exposed name of the tool begins with. */
  readonly toolPrefix?: string;
  readonly owner?: string;
  readonly runId?: string;
}

/** Calls together. Times are in ms, of the newest ones where there are many; 0 without a call. */
interface CallSummary {
  readonly count: number;
  readonly errorCount: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly totalMs: number;
  readonly bytes: number;
}

/** A client by the name that it calls itself. */
interface SeenClient {
  readonly name: string;
  readonly lastSeenAt: number;
  readonly callCount: number;
}

export interface CallStore {
  /** One transaction. Those of all processes are in one order: who read up to an id misses none. */
  append(calls: readonly CallEntry[]): Promise<void>;
  list(filter: CallFilter): Promise<StoredCall[]>;
  summary(range: CallRange): Promise<CallSummary>;
  /** The clients that made calls, the last seen first. */
  clients(range: Pick<CallRange, "since" | "owner"> & { readonly limit: number }): Promise<SeenClient[]>;
  /** Removes some that are older, the oldest first, and says how many; 0 where there are none left. */
  removeBefore(at: number): Promise<number>;
}

/** When each token was last used. */
export interface TokenUses {
  /** By name. An earlier time than the one on record changes nothing. */
  put(uses: ReadonlyMap<string, number>): Promise<void>;
  list(): Promise<ReadonlyMap<string, number>>;
}
