/**
 * The tables, as Kysely sees them. Columns have the words of the types in `core/store.ts`, in snake case.
 *
 * Only what SQLite and PostgreSQL have alike: `text`, `bigint` and `double precision`. Times are ms in a `bigint`, JSON
 * is canonical text, and what is null in a type is null in its column. A driver must return a `bigint` as a number.
 */
import type { CapabilityKind, RunKind, RunMode, RunStatus, StepStatus, Visibility } from "../core/store.ts";
import type { Effect, RuleAction } from "../core/rule.ts";
import type { CallEntry, PinKind, PinStatus } from "../core/trust-store.ts";

export interface Database {
  capabilities: CapabilityRow;
  capability_versions: CapabilityVersionRow;
  capability_examples: CapabilityExampleRow;
  capability_aliases: CapabilityAliasRow;
  library_revision: LibraryRevisionRow;
  runs: RunRow;
  steps: StepRow;
  step_values: StepValueRow;
  server_cache: ServerCacheRow;
  past_uses: PastUseRow;
  token_counts: TokenCountRow;
  embeddings: EmbeddingRow;
  sealing_keys: SealingKeyRow;
  spent_states: SpentStateRow;
  pins: PinRow;
  pin_revision: PinRevisionRow;
  limit_buckets: LimitBucketRow;
  limit_slots: LimitSlotRow;
  calls: CallRow;
  token_uses: TokenUseRow;
  audit: AuditRow;
  audit_head: AuditHeadRow;
  replicas: ReplicaRow;
  sessions: SessionRow;
  revisions: RevisionRow;
  tokens: TokenRow;
  secrets: SecretRow;
  locks: LockRow;
  drafts: DraftRow;
}

export interface CapabilityRow {
  id: string;
  org: string;
  project: string;
  namespace: string;
  action: string;
  kind: CapabilityKind;
  description: string;
  tags: string;
  visibility: Visibility;
  author: string;
  current_version: number;
  usage_count: number;
  success_count: number;
  total_ms: number;
  last_used_at: number | null;
  created_at: number;
  updated_at: number;
  deleted_at: number | null;
  /** 0 or 1. */
  listed: number;
}

export interface CapabilityVersionRow {
  capability_id: string;
  version: number;
  source: string;
  source_hash: string;
  short_hash: string;
  input_schema: string;
  output_schema: string | null;
  tools_used: string;
  from_run_id: string | null;
  author: string;
  created_at: number;
}

export interface CapabilityExampleRow {
  capability_id: string;
  version: number;
  inputs: string;
  calls: string;
  result: string | null;
  seed: string | null;
  clock_at: number | null;
  created_at: number;
}

interface CapabilityAliasRow {
  org: string;
  project: string;
  namespace: string;
  action: string;
  capability_id: string;
  created_at: number;
}

/** One row. Each change of the library updates it first, which also makes changes wait for each other. */
interface LibraryRevisionRow {
  id: number;
  revision: number;
}

export interface RunRow {
  id: string;
  org: string;
  project: string;
  kind: RunKind;
  source: string | null;
  capability_id: string | null;
  capability_version: number | null;
  intent: string | null;
  inputs: string;
  status: RunStatus;
  result: string | null;
  error: string | null;
  parent_run_id: string | null;
  resumed_from_run_id: string | null;
  seed: string;
  clock_at: number;
  lease_owner: string | null;
  lease_until: number | null;
  fence: number;
  started_at: number;
  finished_at: number | null;
  /** SHA-256 of `source`; null without one, and in rows from before there was this column. */
  source_hash: string | null;
  parent_step: string | null;
  principal: string | null;
  session: string | null;
  client: string | null;
  logs: string | null;
  cancel_by: string | null;
  mode: RunMode;
  /** The profile that it was started through; null where there was none. */
  profile: string | null;
  /** When the queue takes it up; null where it does not. */
  wake_at: number | null;
  /** How often the queue took it up without coming to an end. */
  attempt_count: number;
  /** How long it may run; null where the config says so. */
  timeout_ms: number | null;
  /** What started it, where that must start it once: a time of a schedule, a delivery of a webhook. */
  start_key: string | null;
}

export interface StepRow {
  run_id: string;
  key: string;
  seq: number;
  tool: string;
  args: string;
  status: StepStatus;
  result: string | null;
  error: string | null;
  started_at: number;
  finished_at: number | null;
  /** The size of the result where it lies apart; null where `result` has it. */
  result_bytes: number | null;
  value_id: string | null;
  end_seq: number | null;
  clock_at: number | null;
  from_run_id: string | null;
}

/** A result that is too large for its step. It is written once and never changed, so that steps can share it. */
export interface StepValueRow {
  id: string;
  value: string;
}

export interface ServerCacheRow {
  server: string;
  config_hash: string;
  definitions: string;
  hash: string;
  fetched_at: number;
  ttl_ms: number;
}

interface PastUseRow {
  org: string;
  project: string;
  tool: string;
  /** Empty where no intent was given. */
  intent: string;
  use_count: number;
  last_used_at: number;
}

interface TokenCountRow {
  hash: string;
  tokenizer: string;
  tokens: number;
}

interface EmbeddingRow {
  model: string;
  hash: string;
  /** Base64 of its numbers, 4 bytes each, little endian. */
  vector: string;
}

export interface AuditRow {
  seq: number;
  at: number;
  actor: string;
  action: string;
  subject: string;
  details: string;
  hash: string;
}

/** One row: the newest entry's number and hash. A chain alone does not show that its last links were cut off. */
interface AuditHeadRow {
  id: number;
  seq: number;
  hash: string;
}

interface SealingKeyRow {
  name: string;
  /** base64url. */
  key: string;
  created_at: number;
}

interface SpentStateRow {
  id: string;
  expires_at: number;
  /** The attempt that spent it: whether an attempt without an answer was the first can be read back. */
  spender: string | null;
}

export interface PinRow {
  server: string;
  kind: PinKind;
  name: string;
  status: PinStatus;
  approved: string | null;
  approved_at: number | null;
  approved_by: string | null;
  offered: string | null;
  offered_hash: string | null;
  offered_at: number | null;
  reasons: string;
}

/** One row, which every change of a pin updates. */
interface PinRevisionRow {
  id: number;
  revision: number;
}

interface LimitBucketRow {
  key: string;
  /** Which part of a window, counted from 1970; 0 where there is no window. */
  bucket: number;
  count: number;
  expires_at: number | null;
}

interface LimitSlotRow {
  id: string;
  key: string;
  until: number;
}

export interface CallRow {
  id: string;
  at: number;
  principal: string;
  client: string | null;
  profile: string | null;
  kind: CallEntry["kind"];
  tool: string;
  effect: Effect;
  decision: RuleAction;
  rule: string;
  args_digest: string;
  args: string | null;
  outcome: string;
  elapsed_ms: number;
  bytes: number;
  run_id: string | null;
  trace_id: string;
}

interface TokenUseRow {
  name: string;
  last_used_at: number;
}

export interface ReplicaRow {
  id: string;
  owner: string;
  place: string;
  url: string | null;
  version: string;
  started_at: number;
  seen_at: number;
  /** 0 or 1. */
  draining: number;
}

export interface SessionRow {
  id_hash: string;
  replica: string;
  principal: string | null;
  profile: string | null;
  initialize: string;
  session: string;
  settings: string;
  created_at: number;
  seen_at: number;
}

/** What every change of a topic updates first, which also makes changes wait for each other. */
interface RevisionRow {
  topic: string;
  revision: number;
}

interface TokenRow {
  name: string;
  hash: string;
  entry: string;
}

interface SecretRow {
  name: string;
  sealed: string;
  key_id: string;
  updated_at: number;
}

interface LockRow {
  name: string;
  owner: string | null;
  until: number;
}

export interface DraftRow {
  org: string;
  project: string;
  name: string;
  kind: CapabilityKind;
  text: string;
  created_at: number;
  updated_at: number;
}
