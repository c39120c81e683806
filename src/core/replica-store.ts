/**
 * What several gateways on one database share beside the journal and the library: who they are, who may come in, secrets,
 * drafts and sessions. Contracts, as in store.ts.
 *
 * A gateway is a **replica** while it is one of several behind a balancer. Its row says when it was last seen, by the
 * database's clock. A replica that calls another dead must itself have beaten without a gap for as long as that takes: after an
 * outage of the database every beat is old, and all owners are alive.
 */
import type { JsonObject } from "./json.ts";
import type { Scope } from "./names.ts";
import type { CapabilityKind, RunSummary } from "./store.ts";

// ── replicas ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** How often a replica says that it lives. */
export const BEAT_MS = 2_000;
/** Unseen for so long, a replica is dead; five beats, so that one that was lost or late costs nothing. */
export const DEAD_AFTER_MS = 10_000;

export interface Replica {
  /** Short and random: it is part of session ids. Letters, digits, `-` and `_`. */
  readonly id: string;
  /** The owner that its leases name. */
  readonly owner: string;
  /** Host and process namespace, for people and for `doctor`. */
  readonly place: string;
  /** Where other replicas reach it; null where it listens nowhere. */
  readonly url: string | null;
  readonly version: string;
  readonly isDraining: boolean;
}

export interface SeenReplica extends Replica {
  readonly startedAt: number;
  /** Since its last beat, by the database's clock. */
  readonly ageMs: number;
}

export interface ReplicaStore {
  /** Whether processes on other machines use this store as well: PostgreSQL. On SQLite no process needs to beat. */
  readonly isShared: boolean;
  /** Says that this one lives, and what it is now. */
  beat(replica: Replica): Promise<void>;
  /** It ends by itself: from now on the others may take over what it has left, without waiting. */
  leave(id: string): Promise<void>;
  /** Newest first, without those that have left or were not seen for an hour. */
  list(): Promise<SeenReplica[]>;
  /** One that has left is as old as time; one that is not there has left long ago. */
  find(id: string): Promise<SeenReplica | undefined>;
  /** How long ago each owner was seen, in ms. One that has left is as old as time. */
  ages(): Promise<ReadonlyMap<string, number>>;
  /**
   * Running runs whose owner has left or was not seen for `DEAD_AFTER_MS`, oldest first, at most `limit`. Where the owner
   * has no row, the end of the lease decides. Only a caller without a gap of its own may ask.
   */
  listAbandoned(limit: number): Promise<RunSummary[]>;
  /** Removes rows that were not beaten for an hour and own no run that is under way. */
  removeUnseen(): Promise<void>;
}

// ── revisions ───────────────────────────────────────────────────────────────────────────────────────────────────────

export const REVISION_TOPICS = ["library", "pins", "tokens", "secrets", "servers"] as const;
export type RevisionTopic = (typeof REVISION_TOPICS)[number];

/** Grow with every change of their topic by any process. One statement, so that it may be asked often. */
export interface RevisionStore {
  read(): Promise<Readonly<Record<RevisionTopic, number>>>;
}

// ── tokens ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A token as it is kept: never its text. */
export interface StoredToken {
  readonly name: string;
  /** SHA-256 of the token, in hex. */
  readonly hash: string;
  /** Permissions, limits and the time of making, as the room of access writes them. */
  readonly entry: JsonObject;
}

/** Makes other tokens of those that there are; without `tokens` they stay. It may be asked again, so it does nothing else. */
export type TokenChange<T> = (tokens: readonly StoredToken[]) => {
  readonly tokens?: readonly StoredToken[];
  readonly outcome: T;
};

export interface TokenStore {
  /** By name. */
  list(): Promise<StoredToken[]>;
  /**
   * Replaces the tokens by what `change` makes of them while no other process can. One transaction; the topic `tokens` grows
   * where something changed.
   */
  change<T>(change: TokenChange<T>): Promise<T>;
}

// ── secrets and locks ───────────────────────────────────────────────────────────────────────────────────────────────

/** A secret as it is kept: sealed with a key that the database does not have. */
export interface SealedSecret {
  readonly name: string;
  readonly sealed: string;
  /** Which key sealed it, so that keys can be rotated. */
  readonly keyId: string;
}

export interface SecretRows {
  get(name: string): Promise<SealedSecret | undefined>;
  put(secret: SealedSecret): Promise<void>;
  /** The same value under another key, if the row is still `before`: nothing that was written meanwhile is lost. */
  replace(before: SealedSecret, after: Omit<SealedSecret, "name">): Promise<boolean>;
  /** Says whether there was one. */
  delete(name: string): Promise<boolean>;
  /** Those whose name begins so, by name. */
  list(prefix: string): Promise<SealedSecret[]>;
}

export interface LockStore {
  /**
   * Takes the lock for so long, by the database's clock; false where another owner holds it. The same owner may take it
   * again, which prolongs it. `fromDead` takes it also from an owner that is dead as a replica: only a caller without a gap
   * of its own may ask for that.
   */
  take(name: string, owner: string, ms: number, options?: { readonly fromDead?: boolean }): Promise<boolean>;
  /** Prolongs it; false where this owner does not hold it any more. */
  renew(name: string, owner: string, ms: number): Promise<boolean>;
  /** Gives it back, if this owner still holds it. */
  release(name: string, owner: string): Promise<void>;
}

// ── drafts ──────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface StoredDraft {
  readonly name: string;
  readonly kind: CapabilityKind;
  readonly text: string;
  readonly updatedAt: number;
}

export interface DraftStore {
  find(scope: Scope, name: string): Promise<StoredDraft | undefined>;
  /** Newest first, without their texts. */
  list(scope: Scope): Promise<Omit<StoredDraft, "text">[]>;
  /** A draft of this name that is there stays as it is. */
  put(scope: Scope, draft: Omit<StoredDraft, "updatedAt">): Promise<void>;
  /** Removes it if its text is still this one. Says whether it did. */
  remove(scope: Scope, name: string, text: string): Promise<boolean>;
}

// ── sessions ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** What another replica needs to go on with a legacy client's session: what `initialize` and its settings said. */
export interface StoredSession {
  /** SHA-256 of the session id, in hex: who reads the table cannot use a session. */
  readonly idHash: string;
  /** The replica that has it. */
  readonly replica: string;
  /** Null where it has none: the person at this machine. */
  readonly principal: string | null;
  readonly profile: string | null;
  /** The parameters of `initialize`. */
  readonly initialize: JsonObject;
  /** The name by which runs know it. */
  readonly session: string;
  /** What the client has set since: its log level, its resource subscriptions. */
  readonly settings: JsonObject;
}

export interface SessionStore {
  /** Writes it, as long as no other replica has it; false where one has adopted it. */
  put(session: StoredSession): Promise<boolean>;
  find(idHash: string): Promise<StoredSession | undefined>;
  /** Moves it to another replica; false where it is not `from`'s any more. */
  adopt(idHash: string, from: string, to: string): Promise<boolean>;
  /** It has ended at this replica; one that another has adopted stays. */
  remove(idHash: string, replica: string): Promise<void>;
  /** These are in use at this replica. Those that are not its own any more are named: another has them, or they are gone. */
  touch(replica: string, idHashes: readonly string[]): Promise<string[]>;
  /** Removes those that no replica touched for so long, by the database's clock. */
  removeIdle(ms: number): Promise<void>;
}
