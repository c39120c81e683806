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
import type { DraftStore, RevisionStore } from "./replica-store.ts";
import type { ReplicaStore } from "./replica-store.ts";
import type { LockStore, SecretRows, TokenStore } from "./replica-store.ts";
import type { SessionStore } from "./replica-store.ts";
import type { CallStore, LimitStore, TokenUses } from "./trust-store.ts";
import type { PinStore } from "./trust-store.ts";
import type { UsageStore } from "./usage-store.ts";
import type { QueueOptions, QueueStats, RunQueue } from "./run-queue.ts";
import type { ServerTask } from "./tool.ts";

export interface Store {
  readonly capabilities: CapabilityStore;
  readonly runs: RunStore;
  readonly serverCache: ServerCache;
  readonly pastUses: PastUses;
  readonly tokenCounts: TokenCounts;
  readonly embeddings: Embeddings;
  readonly seals: SealStore;
  readonly limits: LimitStore;
  readonly calls: CallStore;
  readonly tokenUses: TokenUses;
  readonly pins: PinStore;
  readonly revisions: RevisionStore;
  readonly drafts: DraftStore;
  readonly replicas: ReplicaStore;
  readonly sessions: SessionStore;
  readonly audit: Audit;
  readonly tokens: TokenStore;
  readonly secrets: SecretRows;
  readonly locks: LockStore;
  readonly usage: UsageStore;
  /** The queue of the background runs of this store, for one process. It does nothing before it is told to work. */
  openQueue(options: QueueOptions): RunQueue;
  /** What is wrong with the stored bytes; empty when all is well. It reads everything, so it is for `doctor`. */
  findDamage(): Promise<string[]>;
  /** A short text that differs as soon as anything was committed, by whichever process. Cheap: it reads no table. */
  changeMark(): Promise<string>;
  /** How the database is reached; asks nothing. */
  status(): StoreStatus;
  /** Throws where a write would be refused: the database is gone, newer than this code, or had no room and has none yet. */
  check(): Promise<void>;
  close(): Promise<void>;
}

export interface StoreStatus {
  readonly kind: "sqlite" | "postgresql";
  /** A file, or host and database; without a secret. */
  readonly place: string;
  /** Since when no connection could be made, on the clock's `elapsed`; undefined while all is well. */
  readonly awaySince?: number | undefined;
  /** Connections: how many there may be, and how many are in use. */
  readonly size?: number;
  readonly inUse?: number;
  /** How long operations have waited for a connection, all in all. */
  readonly waitedMs?: number;
  /** How often operations were repeated, by the reason. */
  readonly retries?: Readonly<Record<string, number>>;
}

// ── capabilities ────────────────────────────────────────────────────────────────────────────────────────────────────

export type CapabilityKind = "code" | "workflow";
/** Who a capability is meant for. It is a label: it is stored and shown, and nothing enforces it yet. */
export const VISIBILITIES = ["private", "project", "org", "public"] as const;
export type Visibility = (typeof VISIBILITIES)[number];

/**
 * How many tokens the listed capabilities of a scope have together, by estimate: clients give a model every one of them with
 * every question. About three times what the meta-tools have, and room for ten to twenty capabilities; finding one of the
 * others takes a search of about 600 tokens, once.
 */
export const LISTED_TOKENS_MAX = 2_000;
/** However small they are: a model chooses worse among more. */
export const LISTED_COUNT_MAX = 100;
/** The first ones are listed even where they are beyond the budget, so that what was just kept is a tool at once… */
export const LISTED_COUNT_MIN = 5;
/** …unless one is larger than this: one parameter schema must not cost more than all else that is listed. */
export const LISTED_ALWAYS_TOKENS_MAX = 500;

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
   * Among those of its scope that `tools/list` shows: the newest and the most used, within `LISTED_TOKENS_MAX`. Chosen again
   * whenever the revision grows and never by a use, so that the list is stable between changes.
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
  /** Whose tool it was when the version was kept; absent in versions from before this was recorded. */
  readonly source?: UsedSource;
}

/**
 * Whose tool a name meant: a server, by its id in the config, the program that embeds the gateway, by the namespace of its tools,
 * or a capability, by the id that it keeps when it is renamed. The id of a capability is null where it was not in the library yet:
 * an import may come before what it uses.
 */
export type UsedSource =
  | { readonly kind: "server" | "program"; readonly id: string }
  | { readonly kind: "capability"; readonly id: string | null };

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
  /** By its id; one that was removed too. */
  get(id: string): Promise<Capability | undefined>;
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
  /** All aliases of the scope, with the names that they mean. */
  listAliases(scope: Scope): Promise<{ readonly alias: CapabilityName; readonly name: CapabilityName }[]>;
  /** Marks as deleted and frees the name; versions stay for the runs that use them. False when there was nothing to remove. */
  remove(id: string): Promise<boolean>;
  recordUse(id: string, use: { success: boolean; elapsedMs: number }): Promise<void>;
  /** Grows with every save, rename, new alias and removal by any process; the way to see that a list is old. */
  revision(): Promise<number>;
}

// ── runs and steps ──────────────────────────────────────────────────────────────────────────────────────────────────

export type RunKind = "code" | "workflow" | "capability" | "call";
/** `queued` has not begun: a background run until a process takes it up. */
export type RunStatus = "queued" | "running" | "paused" | "succeeded" | "failed" | "cancelled";
/** A background run has no client that waits for it: it goes on by itself after a wait, a decision and a crash. */
export type RunMode = "foreground" | "background";
/** `sent` has no answer on record; `waiting` is a question to a person without an answer so far. */
export type StepStatus = "sent" | "waiting" | "succeeded" | "failed";

/** A result beyond this lies apart from its step: a journal that is read as a whole must stay small. */
export const INLINE_RESULT_BYTES_MAX = 64 * 1024;

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
  /** The run that started this one, and its label for the step in which it did. */
  readonly parentRunId: string | null;
  readonly parentStep: string | null;
  /** At most one run goes on from another. */
  readonly resumedFromRunId: string | null;
  /** The id of the principal that started it; null for the person at this machine. */
  readonly principal: string | null;
  /** The session that started it: a client's connection, or a folder on the command line; null where there is none. */
  readonly session: string | null;
  /** What the client that started it calls itself; null where none did. */
  readonly client: string | null;
  /** Who asked to cancel it; null where nobody did. */
  readonly cancelBy: string | null;
  readonly mode: RunMode;
  /** The profile that it was started through; null where there was none. */
  readonly profile: string | null;
  /** When the queue takes it up; null where it does not. */
  readonly wakeAt: number | null;
  /** How often the queue took it up without coming to an end. */
  readonly attemptCount: number;
  /** How long it may run; null where the config says so. */
  readonly timeoutMs: number | null;
  /** What the code wrote to its console, as the answer told it; empty until the run has ended. */
  readonly logs: readonly RunLogLine[];
  /** Seeds the guest's randomness. */
  readonly seed: string;
  /** The wall time that the guest's clock shows. */
  readonly clockAt: number;
  readonly leaseOwner: string | null;
  readonly leaseUntil: number | null;
  readonly fence: number;
  readonly startedAt: number;
  readonly finishedAt: number | null;
}

/** A line of a run's console. */
export interface RunLogLine {
  readonly level: string;
  readonly message: string;
  /** How long the message was, where it was cut. */
  readonly truncatedFrom?: number;
}

/** A run without what can be large. */
export type RunSummary = Omit<Run, "source" | "inputs" | "result" | "logs">;

/** A run in a list. */
export interface ListedRun extends RunSummary {
  readonly stepCount: number;
}

export interface NewRun {
  /** Of a run that is put on record later than it began. */
  readonly begun?: { readonly id: string; readonly at: number };
  readonly scope: Scope;
  readonly kind: RunKind;
  readonly source?: string | null;
  readonly capabilityId?: string | null;
  readonly capabilityVersion?: number | null;
  readonly intent?: string | null;
  readonly inputs: JsonObject;
  readonly parentRunId?: string | null;
  readonly parentStep?: string | null;
  readonly principal?: string | null;
  readonly session?: string | null;
  readonly client?: string | null;
  /** Without it, `foreground`. */
  readonly mode?: RunMode;
  readonly profile?: string | null;
  readonly timeoutMs?: number | null;
  /** How often it was taken up before, where it goes on from a run that did not come to an end. */
  readonly attemptCount?: number;
  readonly seed: string;
  readonly clockAt: number;
}

export interface Step {
  readonly runId: string;
  /** What makes it the same step again: tool, canonical arguments and occurrence, or node, item, attempt and hash. */
  readonly key: string;
  /** In the order in which they began. */
  readonly seq: number;
  readonly tool: string;
  readonly args: JsonObject;
  readonly status: StepStatus;
  /** Null also where the result lies apart: `resultBytes` is then its size, and `stepResult` reads it. */
  readonly result: Json;
  readonly resultBytes: number | null;
  /** Of a step without an answer: `{task}`, what its call became, if that is known. */
  readonly error: JsonObject | null;
  readonly startedAt: number;
  readonly finishedAt: number | null;
  /** Counted on with `seq` when it ended: what has a higher `seq` began after its end, and ends are in this order. */
  readonly endSeq: number | null;
  /** Where the guest's clock stood when it heard of the end. */
  readonly clockAt: number | null;
  /** The run that made the call, where this run was answered from that one's journal. */
  readonly fromRunId: string | null;
}

/** A step before its call is sent, or before a person is asked. */
export interface OpenedStep extends Pick<Step, "key" | "seq" | "tool" | "args"> {
  /** Without it, `sent`. */
  readonly status?: "sent" | "waiting";
}

/** How a step ended. */
export interface StepOutcome {
  readonly status: "succeeded" | "failed";
  readonly result?: Json;
  readonly error?: JsonObject | null;
  readonly endSeq: number;
  readonly clockAt: number;
  readonly finishedAt: number;
}

/** A step that is recorded when its call has returned, with the times that its owner took. */
export interface FinishedStep
  extends StepOutcome, Pick<Step, "key" | "seq" | "tool" | "args" | "startedAt"> {}

/** Which steps of a run the next one has from the start. */
export interface TakenSteps {
  /** Of the steps that ended, those that are left behind and made again. */
  readonly except: readonly string[];
  /** Steps that were sent and whose task is known: they come along as they are. */
  readonly going?: readonly string[];
  /** Steps without an answer on record, or that failed and are left behind, with the answer that somebody decided on. */
  readonly decided: readonly DecidedAnswer[];
}

interface DecidedAnswer {
  readonly key: string;
  readonly result: Json;
  /** What the step has in place of an error, although it has ended with this result: how the answer came to be. */
  readonly note?: JsonObject;
}

export type ResumeOutcome =
  | { readonly kind: "resumed"; readonly run: Run }
  /** Another run goes on from it already. */
  | { readonly kind: "superseded"; readonly byRunId: string };

/** What somebody said to a question that a run waits with. */
export interface QuestionAnswer {
  readonly isApproved: boolean;
  readonly by: string;
}

export type DecideOutcome =
  | { readonly kind: "decided" }
  /** It is not waited for: the run goes on elsewhere, has ended, or was answered before. */
  | { readonly kind: "late" };

/** One call of a capability, for its statistics. */
interface CapabilityUse {
  readonly capabilityId: string;
  readonly success: boolean;
  readonly elapsedMs: number;
}

/** A run that was put into the queue, or that was there already under its start key. */
export interface EnqueuedRun {
  readonly run: Run;
  readonly isNew: boolean;
}

/** How a run without an owner leaves the queue. */
export interface QueueEnd {
  /** With it, the run has ended. */
  readonly end?: Pick<Run, "error"> & { readonly status: "failed" | "cancelled" };
  readonly attemptCount?: number;
  /** Only where it has not become due since it was taken until then. */
  readonly takenUntil?: number;
}

/** Proof of ownership: a write is made only while the run's fence is still this one. */
export interface Lease {
  readonly runId: string;
  readonly fence: number;
}

/** How many characters of a step's arguments a page has: enough to show their beginning without what is secret in it. */
export const ARGS_PREVIEW_LENGTH = 1_024;

/** A step on a page: how its arguments begin, and no result. */
export interface StepSummary extends Omit<Step, "args" | "result" | "resultBytes"> {
  /** Its place in the order of `steps`, from 1. */
  readonly number: number;
  /** Among the calls of this tool that code made, the how-manieth it is; of the node of a workflow it says nothing. */
  readonly occurrence: number;
  /** Canonical JSON, cut. */
  readonly argsText: string;
  readonly isArgsCut: boolean;
  /** Also where the result lies with its step. Null without a result. */
  readonly resultBytes: number | null;
}

/** Which runs are meant; everything that is given must fit. */
export interface RunFilter {
  readonly statuses?: readonly RunStatus[];
  readonly kinds?: readonly RunKind[];
  /** A pattern with `*`: runs with a step of such a tool. Case does not matter. */
  readonly tool?: string;
  /** Words, each of which is in the intent, the source or the name of what ran. Case does not matter. */
  readonly text?: string;
  /** Those that began at this time or later. */
  readonly since?: number;
  /** Those that began before this time. */
  readonly until?: number;
  readonly session?: string;
  readonly starter?: RunStarter;
  readonly mode?: RunMode;
}

/** How many runs began in a part of a time. */
interface RunCount {
  /** Counted from 0, from `since` on. */
  readonly bucket: number;
  readonly status: RunStatus;
  /** Of those that are running: whether they still do depends on it. */
  readonly leaseOwner: string | null;
  readonly count: number;
}

/** How far a run is. */
interface RunActivity extends Pick<Run, "id" | "principal" | "status" | "parentRunId"> {
  /** Differs as soon as the run, or a step of it, has changed. */
  readonly mark: string;
}

/** Who started a run. Without a session, every session of the principal. */
export interface RunStarter {
  readonly principal: string | null;
  readonly session?: string | null;
}

/** Why a run may be taken over before its lease has run out. */
export interface ClaimGrounds {
  /** An owner that is known to be gone. */
  readonly gone?: string | undefined;
  /**
   * Whether the claimer can tell that a replica is dead: it was itself seen without a gap for as long as that takes. After an
   * outage of the database no replica was seen, and all are alive.
   */
  readonly judgesDead?: boolean;
}

/**
 * What an acknowledged write survives. `process`: the end of every process, and a failure of the machine only together with
 * the next write that is `disk`, which is what all others are. A database that is a server of its own makes no difference.
 */
export type Durability = "process" | "disk";

/** How a run ended, as it is written. */
type EndedRun = Pick<Run, "status"> &
  Partial<Pick<Run, "result" | "error" | "logs">> & { readonly use?: CapabilityUse };

export interface RunStore {
  /** For a run that begins now and is put on record later: ids are in the order in which runs began. */
  newId(): string;
  /** Inserts a running run, leased to `owner`. */
  start(newRun: NewRun, owner: string, leaseMs: number, durability?: Durability): Promise<Run>;
  /**
   * Inserts a running run that goes on from `fromRunId`, with the steps that it takes over; one transaction. Of several at once,
   * one succeeds. Steps keep their keys, numbers, times and results; one without an answer is taken only with a decided one.
   */
  resume(
    fromRunId: string,
    newRun: NewRun,
    taken: TakenSteps,
    owner: string,
    leaseMs: number,
  ): Promise<ResumeOutcome>;
  find(id: string): Promise<Run | undefined>;
  /** Newest first; without `children`, only those that no other run started. */
  list(
    scope: Scope,
    options: RunFilter & {
      limit: number;
      beforeId?: string;
      children?: boolean;
      status?: RunStatus;
      /** What the id begins or ends with: digits and hyphens only. */
      idPart?: string;
    },
  ): Promise<ListedRun[]>;
  /** Of those that no other run started and that began since then: how many in each `bucketMs`, by status. */
  count(scope: Scope, filter: RunFilter, bucketMs: number, since: number): Promise<RunCount[]>;
  /** Of the newest `limit` runs, and of every one that runs or waits. It is asked again and again while somebody looks. */
  activity(scope: Scope, limit: number): Promise<RunActivity[]>;
  /**
   * Newest first: those that no other run started, that have not succeeded, and from which none goes on; of one starter, where
   * one is named.
   */
  listUnfinished(scope: Scope, limit: number, starter?: RunStarter): Promise<RunSummary[]>;
  /** The runs that this one started, oldest first. */
  children(runId: string): Promise<RunSummary[]>;
  /** The run that goes on from this one. */
  successor(runId: string): Promise<RunSummary | undefined>;
  /** The newest run of exactly this source that succeeded; of one starter, where one is named. */
  findSucceeded(scope: Scope, source: string, starter?: RunStarter): Promise<Run | undefined>;
  /**
   * Puts a background run into the queue, to be taken up at `at` or now. Of one start key there is one run: a second call
   * answers with the first.
   */
  enqueue(
    newRun: NewRun,
    options?: { readonly startKey?: string; readonly at?: number },
  ): Promise<EnqueuedRun>;
  /**
   * A run under way that no other run started goes on as a background run, which may take `timeoutMs`; from then on it is in
   * the queue. Fenced. A repetition is true and changes nothing. False where another owner took over, or it has ended.
   */
  detach(lease: Lease, timeoutMs: number | null): Promise<boolean>;
  /**
   * Counts an attempt at a run that is in the queue, and keeps others from it until `until`; undefined where it is not in the
   * queue any more, or not due at `dueAt`, where that is given.
   */
  take(runId: string, options: { readonly until: number; readonly dueAt?: number }): Promise<Run | undefined>;
  /**
   * A run without an owner is taken up by the queue at `at`, as a background run; null takes it out of the queue and leaves
   * it a background run. False where it runs, has succeeded or goes on elsewhere.
   */
  requeue(runId: string, at: number | null, options?: { readonly attemptCount?: number }): Promise<boolean>;
  /** Takes a run without an owner out of the queue. False where it runs, has succeeded or goes on elsewhere. */
  dequeue(runId: string, end?: QueueEnd): Promise<boolean>;
  /** Background runs that were given up, newest first. */
  listDead(scope: Scope, limit: number): Promise<RunSummary[]>;
  queueStats(scope: Scope): Promise<QueueStats>;
  /**
   * Takes over a run that is queued, running or paused and has no lease, or whose lease has run out by the database's clock;
   * undefined when it may not be taken. One that was queued begins now. On a store of several machines a lease lasts as long
   * as its owner is seen as a replica, and its end decides only where the owner is none.
   */
  claim(id: string, owner: string, leaseMs: number, grounds?: ClaimGrounds): Promise<Run | undefined>;
  /**
   * This and the next six are fenced, and each happens wholly or not at all; false means one thing only, that another owner
   * took over, and then nothing was written.
   */
  renew(lease: Lease, leaseMs: number): Promise<boolean>;
  /** Opening a key again, open or closed, is true and changes nothing: a retry after a lost acknowledgement is harmless. */
  openStep(lease: Lease, step: OpenedStep): Promise<boolean>;
  /** What the call of an open step became, so that it is gone on with. A step that was closed is left as it is. */
  noteTask(lease: Lease, key: string, task: ServerTask): Promise<boolean>;
  /** Closing a closed step is true, and its first outcome stays. Closing one that was never opened is a bug and throws. */
  closeStep(lease: Lease, key: string, outcome: StepOutcome): Promise<boolean>;
  /** Records a step that was not opened, for calls that may be made again. A key that exists is true and stays. */
  recordStep(lease: Lease, step: FinishedStep, durability?: Durability): Promise<boolean>;
  /** Records several, in their order and together. */
  recordSteps(lease: Lease, steps: readonly FinishedStep[], durability?: Durability): Promise<boolean>;
  /** Brings to disk what was written with less. */
  settle(): Promise<void>;
  /**
   * Writes how the run ended, or that it waits, and in the same transaction the use of its capability and when the queue takes
   * it up again.
   */
  finish(
    lease: Lease,
    end: EndedRun & Partial<Pick<Run, "attemptCount">> & { readonly wakeAt?: number | undefined },
    durability?: Durability,
  ): Promise<boolean>;
  /** Inserts a run that has ended, and in the same transaction the use of its capability. */
  record(newRun: NewRun, end: EndedRun, durability?: Durability): Promise<Run>;
  /** Asks the owner of a running run to cancel it; false where it does not run. The first who asks is remembered. */
  requestCancel(runId: string, by: string): Promise<boolean>;
  /** The runs of this owner that somebody asked to cancel. */
  cancelRequests(owner: string): Promise<{ readonly runId: string; readonly by: string }[]>;
  /** Answers the question that a paused run waits with. The background run that it belongs to is due then. */
  decide(runId: string, key: string, decision: QuestionAnswer): Promise<DecideOutcome>;
  /** In the order in which they began, without the results that lie apart. */
  steps(runId: string): Promise<Step[]>;
  /** The same page by page: those after so many. Numbers and names are those of the whole. */
  stepPage(runId: string, page: { readonly after: number; readonly limit: number }): Promise<StepSummary[]>;
  /** The step of this number, without a result that lies apart. */
  step(runId: string, number: number): Promise<Step | undefined>;
  stepCount(runId: string): Promise<number>;
  /** What all its steps were given: secrets are in there under their names. */
  stepArgs(runId: string): Promise<JsonObject[]>;
  /** The result of one step, wherever it lies; undefined when there is no such step or it has not succeeded. */
  stepResult(runId: string, key: string): Promise<Json | undefined>;
}

// ── sealed states ───────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * What makes a state that a client carries ours: a key that every process on this store has, and the record of the states that
 * count once and have been used.
 */
export interface SealStore {
  /** The key of this name, at least 32 random bytes; made by the first process that asks. The same for all, for ever. */
  key(name: string): Promise<Buffer>;
  /** True for the first who spends it, and never again, by any process. It is remembered until `expiresAt`. */
  spend(id: string, expiresAt: number): Promise<boolean>;
  /** Whether somebody has spent it, as far as that is remembered. */
  isSpent(id: string): Promise<boolean>;
}

// ── servers ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** What a server offered when it was last asked. */
export interface CachedServer {
  readonly server: string;
  /** Of the config that the server was started with: one list for each. */
  readonly configHash: string;
  readonly definitions: JsonObject;
  readonly hash: string;
  readonly fetchedAt: number;
  readonly ttlMs: number;
}

/** Which list a server of a config has, without the list. */
export type CachedServerMark = Pick<CachedServer, "server" | "configHash" | "hash">;

export interface ServerCache {
  /**
   * What is put last counts. The topic `servers` grows where the hash is another one than before; the same again changes
   * only its times. Of the configs of one server, the newest few are kept.
   */
  put(entry: CachedServer): Promise<void>;
  /** By server; of one server, the oldest first. */
  list(): Promise<CachedServer[]>;
  find(server: string, configHash: string): Promise<CachedServer | undefined>;
  marks(): Promise<CachedServerMark[]>;
  remove(server: string): Promise<void>;
}

/** What a tool was used for in runs that succeeded, and how often. */
export interface PastUse {
  /** By exposed name. */
  readonly tool: string;
  /** Empty where no intent was given. */
  readonly intent: string;
  readonly useCount: number;
  readonly lastUsedAt: number;
}

/** What the search learns from. */
export interface PastUses {
  /** Adds to what is there. Of the intents of a tool the newest are kept. */
  add(scope: Scope, uses: readonly Omit<PastUse, "lastUsedAt">[]): Promise<void>;
  /** Newest first. */
  list(scope: Scope): Promise<PastUse[]>;
}

/** How many tokens a text has, by the hash of the text or of what it was made from. */
export interface TokenCounts {
  /** Those that are known. */
  find(tokenizer: string, hashes: readonly string[]): Promise<ReadonlyMap<string, number>>;
  put(tokenizer: string, counts: ReadonlyMap<string, number>): Promise<void>;
}

/** What texts mean to a model, by the hash of the text. */
export interface Embeddings {
  /** Those that are known. */
  find(model: string, hashes: readonly string[]): Promise<ReadonlyMap<string, Float32Array>>;
  /** Takes the place of what is there. */
  put(model: string, vectors: ReadonlyMap<string, Float32Array>): Promise<void>;
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
  /** Newest first. */
  newest(options: { limit: number; beforeSeq?: number }): Promise<AuditEntry[]>;
  /** The first entry whose hash or number does not follow from the one before; undefined when the chain holds. */
  findBreak(): Promise<number | undefined>;
}
