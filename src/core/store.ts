/**
 * What must survive, as a contract. SQLite implements it for one machine; PostgreSQL will for many. Every implementation
 * runs the one suite in `store/store.testsuite.ts`.
 *
 * A promise that resolves means that the row is on disk. A conflict that the caller must reckon with (a name that is taken,
 * a lease that is lost) is a value; a throw is a `RepertoireError` and means a broken world. Ids are UUID v7, times are
 * integers in ms, JSON is canonical text.
 */
import type { Json, JsonObject } from "./json.ts";
import type { CapabilityName, Scope } from "./names.ts";

export interface Store {
  readonly capabilities: CapabilityStore;
  readonly runs: RunStore;
  readonly serverCache: ServerCache;
  readonly toolPins: ToolPins;
  readonly audit: Audit;
  /** What is wrong with the stored bytes; empty when all is well. It reads everything, so it is for `doctor`. */
  findDamage(): Promise<string[]>;
  close(): Promise<void>;
}

// ── capabilities ────────────────────────────────────────────────────────────────────────────────────────────────────

export type CapabilityKind = "code" | "workflow";
export const VISIBILITIES = ["private", "project", "org", "public"] as const;
export type Visibility = (typeof VISIBILITIES)[number];

/** How many capabilities of a scope are listed as tools: clients give a model every one of them with every question. */
export const LISTED_COUNT_MAX = 100;

export interface Capability extends CapabilityName {
  readonly id: string;
  readonly scope: Scope;
  readonly kind: CapabilityKind;
  readonly description: string;
  readonly tags: readonly string[];
  readonly visibility: Visibility;
  readonly author: string;
  readonly currentVersion: number;
  readonly usageCount: number;
  readonly successCount: number;
  readonly totalMs: number;
  readonly lastUsedAt: number | null;
  /**
   * Among the `LISTED_COUNT_MAX` of its scope that `tools/list` shows: the most used, then by name. Chosen anew whenever the
   * revision grows and never by a use, so that the list is stable between changes.
   */
  readonly isListed: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface CapabilityVersion {
  readonly capabilityId: string;
  readonly version: number;
  readonly source: string;
  /** SHA-256 of the exact source. */
  readonly sourceHash: string;
  /** The prefix of `sourceHash` in the FQDN, fixed when the version was saved. */
  readonly shortHash: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema: JsonObject | null;
  readonly toolsUsed: readonly ToolUse[];
  readonly fromRunId: string | null;
  readonly author: string;
  readonly createdAt: number;
}

/** An upstream tool that a version calls, with the hash of the definition it was written against. */
export interface ToolUse {
  readonly tool: string;
  readonly hash: string;
  /** The schemas and annotations that the hash is of; absent where only the hash was kept. */
  readonly definition?: JsonObject;
}

/** A run that worked, as it was when it was kept: replayed offline by tests. */
export interface CapabilityExample {
  readonly inputs: JsonObject;
  /** In the order in which they were made. */
  readonly calls: readonly ExampleCall[];
  readonly result: Json;
  /** What seeded the run's randomness, and where its clock stood. */
  readonly seed?: string;
  readonly clockAt?: number;
}

/** A call of an example and how it was answered: with a result or with an error. */
export interface ExampleCall {
  readonly tool: string;
  readonly args: JsonObject;
  readonly result?: Json;
  readonly error?: JsonObject;
}

/** What is needed to keep something under a name. */
export interface CapabilityDraft extends CapabilityName {
  readonly scope: Scope;
  readonly kind: CapabilityKind;
  readonly description: string;
  readonly tags?: readonly string[];
  readonly visibility?: Visibility;
  readonly author: string;
  readonly source: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject | null;
  readonly toolsUsed?: readonly ToolUse[];
  readonly fromRunId?: string | null;
  /** Belongs to this version alone; beyond `DATA_LIMITS` the save throws `JSON_LIMIT` and nothing is kept. */
  readonly example?: CapabilityExample | null;
  /** Makes a new version where the name exists; without it an existing name is `taken`. */
  readonly overwrite?: boolean;
}

export type SaveOutcome =
  | { readonly kind: "saved"; readonly capability: Capability; readonly version: CapabilityVersion }
  | { readonly kind: "taken"; readonly capability: Capability };

export type RenameOutcome =
  | { readonly kind: "renamed"; readonly capability: Capability }
  | { readonly kind: "taken"; readonly capability: Capability }
  | { readonly kind: "missing" };

export type AliasOutcome =
  | { readonly kind: "added" }
  | { readonly kind: "taken"; readonly capability: Capability }
  | { readonly kind: "missing" };

/** A capability with the version that a call without a number runs. */
export interface CurrentCapability {
  readonly capability: Capability;
  readonly version: CapabilityVersion;
}

/** A capability as far as it takes to know whether it is still the one that was read before. */
export interface CapabilityKey extends CapabilityName {
  readonly id: string;
  readonly currentVersion: number;
  readonly updatedAt: number;
  readonly isListed: boolean;
}

export interface CapabilityStore {
  /** Creates the capability, or its next version; one transaction. Many savers of one name each get their own version number. */
  save(draft: CapabilityDraft): Promise<SaveOutcome>;
  /** By live name first, then by alias. */
  find(scope: Scope, name: CapabilityName): Promise<Capability | undefined>;
  list(scope: Scope): Promise<Capability[]>;
  /** Everything that is live in the scope, or these of it, with its current version; by name. One statement: no version is of another moment. */
  listCurrent(scope: Scope, ids?: readonly string[]): Promise<CurrentCapability[]>;
  /** The same by what says whether anything of it has changed: cheap, also for thousands. */
  listKeys(scope: Scope): Promise<CapabilityKey[]>;
  version(id: string, version: number): Promise<CapabilityVersion | undefined>;
  /** Newest first. */
  versions(id: string): Promise<CapabilityVersion[]>;
  /** What was kept with a version; a removed capability's stays. */
  example(id: string, version: number): Promise<CapabilityExample | undefined>;
  /** Keeps the old name as an alias; aliases always point at the id, so chains cannot grow. */
  rename(id: string, to: CapabilityName): Promise<RenameOutcome>;
  /**
   * Adds another name. Taken: a live capability or another capability's alias has it; the capability's own name or alias:
   * `added` and nothing changes.
   */
  alias(id: string, name: CapabilityName): Promise<AliasOutcome>;
  aliases(id: string): Promise<CapabilityName[]>;
  /** All aliases of the scope, with the names that they stand for. */
  listAliases(scope: Scope): Promise<{ readonly alias: CapabilityName; readonly name: CapabilityName }[]>;
  /** Marks as deleted and frees the name; versions stay for the runs that use them. False when there was nothing to remove. */
  remove(id: string): Promise<boolean>;
  recordUse(id: string, use: { success: boolean; elapsedMs: number }): Promise<void>;
  /** Grows with every save, rename, new alias and removal by any process; the way to see that a list is old. */
  revision(): Promise<number>;
}

// ── runs and steps ──────────────────────────────────────────────────────────────────────────────────────────────────

export type RunKind = "code" | "workflow" | "capability";
export type RunStatus = "running" | "paused" | "succeeded" | "failed" | "cancelled";
export type StepStatus = "sent" | "succeeded" | "failed";

export interface Run {
  readonly id: string;
  readonly scope: Scope;
  readonly kind: RunKind;
  /** The code or workflow text; null when `capabilityId` and `capabilityVersion` name it. */
  readonly source: string | null;
  readonly capabilityId: string | null;
  readonly capabilityVersion: number | null;
  readonly intent: string | null;
  readonly inputs: JsonObject;
  readonly status: RunStatus;
  readonly result: Json;
  readonly error: JsonObject | null;
  readonly parentRunId: string | null;
  readonly resumedFromRunId: string | null;
  /** Seeds the guest's randomness. */
  readonly seed: string;
  /** The wall time at which the guest's clock stands. */
  readonly clockAt: number;
  readonly leaseOwner: string | null;
  readonly leaseUntil: number | null;
  readonly fence: number;
  readonly startedAt: number;
  readonly finishedAt: number | null;
}

export interface RunDraft {
  readonly scope: Scope;
  readonly kind: RunKind;
  readonly source?: string | null;
  readonly capabilityId?: string | null;
  readonly capabilityVersion?: number | null;
  readonly intent?: string | null;
  readonly inputs: JsonObject;
  readonly parentRunId?: string | null;
  readonly resumedFromRunId?: string | null;
  readonly seed: string;
  readonly clockAt: number;
}

export interface Step {
  readonly runId: string;
  /** What makes it the same step again: tool, canonical arguments and occurrence, or node and item. */
  readonly key: string;
  readonly seq: number;
  readonly tool: string;
  readonly args: JsonObject;
  readonly status: StepStatus;
  readonly result: Json;
  readonly error: JsonObject | null;
  readonly startedAt: number;
  readonly finishedAt: number | null;
}

/** A step that is recorded when its call has long returned, with the times that its owner took. */
export interface FinishedStep extends Pick<Step, "key" | "seq" | "tool" | "args" | "startedAt"> {
  readonly status: Exclude<StepStatus, "sent">;
  readonly result?: Json;
  readonly error?: JsonObject | null;
  readonly finishedAt: number;
}

/** How a run ended, or that it waits. */
export interface RunOutcome {
  readonly status: Exclude<RunStatus, "running">;
  readonly result?: Json;
  readonly error?: JsonObject | null;
  /** Recorded in the same transaction. */
  readonly use?: { readonly capabilityId: string; readonly success: boolean; readonly elapsedMs: number };
  /** Steps that were not journalled one by one, recorded in the same transaction. A key or `seq` in use is a bug and throws. */
  readonly steps?: readonly FinishedStep[];
}

/** Proof of ownership: a write is made only while the run's fence is still this one. */
export interface Lease {
  readonly runId: string;
  readonly fence: number;
}

export interface RunStore {
  /** Inserts a running run, leased to `owner`. */
  start(draft: RunDraft, owner: string, leaseMs: number): Promise<Run>;
  find(id: string): Promise<Run | undefined>;
  /** Newest first. */
  list(scope: Scope, options: { limit: number; beforeId?: string }): Promise<Run[]>;
  /** The newest run of exactly this source that succeeded. */
  findSucceeded(scope: Scope, source: string): Promise<Run | undefined>;
  /** Takes over a running or paused run whose lease has run out by the database's clock; undefined when it may not be taken. */
  claim(id: string, owner: string, leaseMs: number): Promise<Run | undefined>;
  /**
   * This and the next three are fenced, and each happens wholly or not at all; false means one thing only, that another owner
   * took over, and then nothing was written.
   */
  renew(lease: Lease, leaseMs: number): Promise<boolean>;
  /** Opening a key again, open or closed, is true and changes nothing: a retry after a lost acknowledgement is harmless. */
  openStep(lease: Lease, step: Pick<Step, "key" | "seq" | "tool" | "args">): Promise<boolean>;
  /** Closing a closed step is true, and its first outcome stands. Closing one that was never opened is a bug and throws. */
  closeStep(
    lease: Lease,
    key: string,
    outcome: { status: "succeeded" | "failed"; result?: Json; error?: JsonObject | null },
  ): Promise<boolean>;
  finish(lease: Lease, outcome: RunOutcome): Promise<boolean>;
  /** In the order in which they were opened. */
  steps(runId: string): Promise<Step[]>;
}

// ── servers ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** What a server offered when it was last asked. */
export interface CachedServer {
  readonly server: string;
  readonly definitions: JsonObject;
  readonly hash: string;
  readonly fetchedAt: number;
  readonly ttlMs: number;
}

export interface ServerCache {
  put(entry: CachedServer): Promise<void>;
  list(): Promise<CachedServer[]>;
  remove(server: string): Promise<void>;
}

/** The definition of a tool that somebody approved. */
export interface ToolPin {
  readonly server: string;
  readonly tool: string;
  readonly hash: string;
  readonly approvedAt: number;
}

export interface ToolPins {
  put(pin: ToolPin): Promise<void>;
  list(server: string): Promise<ToolPin[]>;
}

// ── audit ───────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface AuditEntry {
  readonly seq: number;
  readonly at: number;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly details: JsonObject;
  /** SHA-256 over the previous entry's hash and this entry: an edit or a gap breaks the chain. */
  readonly hash: string;
}

export interface Audit {
  append(entry: Pick<AuditEntry, "actor" | "action" | "subject" | "details">): Promise<AuditEntry>;
  /** Oldest first. */
  list(options: { limit: number; afterSeq?: number }): Promise<AuditEntry[]>;
  /** The first entry whose hash or number does not follow from the one before; undefined when the chain holds. */
  findBreak(): Promise<number | undefined>;
}
