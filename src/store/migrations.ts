/**
 * How the tables came to be, in order. The schema's version is the number of migrations that were applied, so the list
 * only grows at its end, and one that was released is never edited. `SCHEMA_VERSION` grows with it.
 *
 * There is a foreign key only where a row is owned (a version by its capability, a step by its run). What a row merely
 * mentions, such as the run a version came from, may be gone before it.
 */
import { sql, type Kysely } from "kysely";

export interface Migration {
  readonly name: string;
  /**
   * The oldest version whose code works on the tables as they are then: one that only adds what older code need not know.
   * A database that many replicas use is migrated by the first new one, while the old ones go on.
   */
  readonly usableFrom?: number;
  up(db: Kysely<unknown>): Promise<void>;
}

export const MIGRATIONS: readonly Migration[] = [
  {
    name: "first tables",
    async up(db) {
      await createCapabilities(db);
      await createCapabilityVersions(db);
      await createCapabilityAliases(db);
      await createLibraryRevision(db);
      await createRuns(db);
      await createSteps(db);
      await createServerTables(db);
      await createAudit(db);
    },
  },
  {
    name: "the library as tools",
    async up(db) {
      await addListed(db);
      await createCapabilityExamples(db);
      await addSourceHash(db);
    },
  },
  {
    name: "durable runs",
    async up(db) {
      await addRunLinks(db);
      await addStepAnswers(db);
      await createStepValues(db);
    },
  },
  {
    name: "finding tools",
    async up(db) {
      await createPastUses(db);
      await createTokenCounts(db);
      await createEmbeddings(db);
    },
  },
  {
    name: "who started a run, and what a person was asked",
    async up(db) {
      await addRunStarter(db);
      await createSealingKeys(db);
      await createSpentStates(db);
    },
  },
  {
    name: "rules, pins and calls",
    async up(db) {
      await createPins(db);
      await createLimits(db);
      await createCalls(db);
    },
  },
  {
    name: "what people look at",
    async up(db) {
      await addRunDetails(db);
      await indexCalls(db);
    },
  },
  {
    name: "several gateways on one database",
    async up(db) {
      await createReplicas(db);
      await createSharedState(db);
      await keyServerCacheByConfig(db);
      await addBackgroundRuns(db);
      await db.schema.alterTable("spent_states").addColumn("spender", "text").execute();
    },
  },
];

async function createCapabilities(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("capabilities")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("org", "text", (column) => column.notNull())
    .addColumn("project", "text", (column) => column.notNull())
    .addColumn("namespace", "text", (column) => column.notNull())
    .addColumn("action", "text", (column) => column.notNull())
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("description", "text", (column) => column.notNull())
    .addColumn("tags", "text", (column) => column.notNull())
    .addColumn("visibility", "text", (column) => column.notNull())
    .addColumn("author", "text", (column) => column.notNull())
    .addColumn("current_version", "bigint", (column) => column.notNull())
    .addColumn("usage_count", "bigint", (column) => column.notNull())
    .addColumn("success_count", "bigint", (column) => column.notNull())
    .addColumn("total_ms", "double precision", (column) => column.notNull())
    .addColumn("last_used_at", "bigint")
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("updated_at", "bigint", (column) => column.notNull())
    .addColumn("deleted_at", "bigint")
    .execute();
  await db.schema
    .createIndex("capabilities_live_name")
    .unique()
    .on("capabilities")
    .columns(["org", "project", "namespace", "action"])
    .where(sql.ref("deleted_at"), "is", null)
    .execute();
}

async function createCapabilityVersions(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("capability_versions")
    .addColumn("capability_id", "text", (column) => column.notNull().references("capabilities.id"))
    .addColumn("version", "bigint", (column) => column.notNull())
    .addColumn("source", "text", (column) => column.notNull())
    .addColumn("source_hash", "text", (column) => column.notNull())
    .addColumn("short_hash", "text", (column) => column.notNull())
    .addColumn("input_schema", "text", (column) => column.notNull())
    .addColumn("output_schema", "text")
    .addColumn("tools_used", "text", (column) => column.notNull())
    .addColumn("from_run_id", "text")
    .addColumn("author", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("capability_versions_pk", ["capability_id", "version"])
    .execute();
}

async function createCapabilityAliases(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("capability_aliases")
    .addColumn("org", "text", (column) => column.notNull())
    .addColumn("project", "text", (column) => column.notNull())
    .addColumn("namespace", "text", (column) => column.notNull())
    .addColumn("action", "text", (column) => column.notNull())
    .addColumn("capability_id", "text", (column) => column.notNull().references("capabilities.id"))
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("capability_aliases_pk", ["org", "project", "namespace", "action"])
    .execute();
  await db.schema
    .createIndex("capability_aliases_capability")
    .on("capability_aliases")
    .column("capability_id")
    .execute();
}

async function createLibraryRevision(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("library_revision")
    .addColumn("id", "bigint", (column) => column.primaryKey())
    .addColumn("revision", "bigint", (column) => column.notNull())
    .execute();
  await sql`insert into library_revision (id, revision) values (1, 0)`.execute(db);
}

async function createRuns(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("runs")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("org", "text", (column) => column.notNull())
    .addColumn("project", "text", (column) => column.notNull())
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("source", "text")
    .addColumn("capability_id", "text")
    .addColumn("capability_version", "bigint")
    .addColumn("intent", "text")
    .addColumn("inputs", "text", (column) => column.notNull())
    .addColumn("status", "text", (column) => column.notNull())
    .addColumn("result", "text")
    .addColumn("error", "text")
    .addColumn("parent_run_id", "text")
    .addColumn("resumed_from_run_id", "text")
    .addColumn("seed", "text", (column) => column.notNull())
    .addColumn("clock_at", "bigint", (column) => column.notNull())
    .addColumn("lease_owner", "text")
    .addColumn("lease_until", "bigint")
    .addColumn("fence", "bigint", (column) => column.notNull())
    .addColumn("started_at", "bigint", (column) => column.notNull())
    .addColumn("finished_at", "bigint")
    .execute();
  await db.schema.createIndex("runs_scope").on("runs").columns(["org", "project", "id"]).execute();
}

async function createSteps(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("steps")
    .addColumn("run_id", "text", (column) => column.notNull().references("runs.id"))
    .addColumn("key", "text", (column) => column.notNull())
    .addColumn("seq", "bigint", (column) => column.notNull())
    .addColumn("tool", "text", (column) => column.notNull())
    .addColumn("args", "text", (column) => column.notNull())
    .addColumn("status", "text", (column) => column.notNull())
    .addColumn("result", "text")
    .addColumn("error", "text")
    .addColumn("started_at", "bigint", (column) => column.notNull())
    .addColumn("finished_at", "bigint")
    .addPrimaryKeyConstraint("steps_pk", ["run_id", "key"])
    .addUniqueConstraint("steps_seq", ["run_id", "seq"])
    .execute();
}

async function createServerTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("server_cache")
    .addColumn("server", "text", (column) => column.primaryKey())
    .addColumn("definitions", "text", (column) => column.notNull())
    .addColumn("hash", "text", (column) => column.notNull())
    .addColumn("fetched_at", "bigint", (column) => column.notNull())
    .addColumn("ttl_ms", "bigint", (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("tool_pins")
    .addColumn("server", "text", (column) => column.notNull())
    .addColumn("tool", "text", (column) => column.notNull())
    .addColumn("hash", "text", (column) => column.notNull())
    .addColumn("approved_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("tool_pins_pk", ["server", "tool"])
    .execute();
}

async function createAudit(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("audit")
    .addColumn("seq", "bigint", (column) => column.primaryKey())
    .addColumn("at", "bigint", (column) => column.notNull())
    .addColumn("actor", "text", (column) => column.notNull())
    .addColumn("action", "text", (column) => column.notNull())
    .addColumn("subject", "text", (column) => column.notNull())
    .addColumn("details", "text", (column) => column.notNull())
    .addColumn("hash", "text", (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("audit_head")
    .addColumn("id", "bigint", (column) => column.primaryKey())
    .addColumn("seq", "bigint", (column) => column.notNull())
    .addColumn("hash", "text", (column) => column.notNull())
    .execute();
  await sql`insert into audit_head (id, seq, hash) values (1, 0, '')`.execute(db);
}

/**
 * The default is for processes of the version before: they go on writing to the same file and do not name the column.
 */
async function addListed(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable("capabilities")
    .addColumn("listed", "bigint", (column) => column.notNull().defaultTo(1))
    .execute();
  await sql`
    update capabilities set listed = 0
    where deleted_at is not null or id in (
      select id from (
        select id, row_number() over (
          partition by org, project order by usage_count desc, namespace, action
        ) as place
        from capabilities where deleted_at is null
      ) as ranked
      where place > 100
    )`.execute(db);
  await db.schema
    .createIndex("capabilities_most_used")
    .on("capabilities")
    .columns(["org", "project", "usage_count desc", "namespace", "action"])
    .where(sql.ref("deleted_at"), "is", null)
    .execute();
}

async function createCapabilityExamples(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("capability_examples")
    .addColumn("capability_id", "text", (column) => column.notNull())
    .addColumn("version", "bigint", (column) => column.notNull())
    .addColumn("inputs", "text", (column) => column.notNull())
    .addColumn("calls", "text", (column) => column.notNull())
    .addColumn("result", "text")
    .addColumn("seed", "text")
    .addColumn("clock_at", "bigint")
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("capability_examples_pk", ["capability_id", "version"])
    .addForeignKeyConstraint(
      "capability_examples_version",
      ["capability_id", "version"],
      "capability_versions",
      ["capability_id", "version"],
    )
    .execute();
}

/** Only runs that succeeded are in the index: a source that failed a thousand times costs nothing to look past. */
async function addSourceHash(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("runs").addColumn("source_hash", "text").execute();
  await db.schema
    .createIndex("runs_succeeded_source")
    .on("runs")
    .columns(["org", "project", "source_hash", "id"])
    .where(sql.ref("source_hash"), "is not", null)
    .where(sql.ref("status"), "=", "succeeded")
    .execute();
}

/** Of several runs that go on from one, the newest keeps the link: which of them the others belong to is not known. */
async function addRunLinks(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("runs").addColumn("parent_step", "text").execute();
  await sql`
    update runs set resumed_from_run_id = null
    where resumed_from_run_id is not null and id not in (
      select max(id) from runs where resumed_from_run_id is not null group by resumed_from_run_id
    )`.execute(db);
  await db.schema
    .createIndex("runs_resumed_from")
    .unique()
    .on("runs")
    .column("resumed_from_run_id")
    .where(sql.ref("resumed_from_run_id"), "is not", null)
    .execute();
  await db.schema
    .createIndex("runs_parent")
    .on("runs")
    .columns(["parent_run_id", "id"])
    .where(sql.ref("parent_run_id"), "is not", null)
    .execute();
  await createRootIndexes(db);
}

/** A run may start thousands of others: lists of what a person started must not read past them. */
async function createRootIndexes(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex("runs_root")
    .on("runs")
    .columns(["org", "project", "id"])
    .where(sql.ref("parent_run_id"), "is", null)
    .execute();
  await db.schema
    .createIndex("runs_root_unfinished")
    .on("runs")
    .columns(["org", "project", "id"])
    .where(sql.ref("parent_run_id"), "is", null)
    .where(sql.ref("status"), "<>", "succeeded")
    .execute();
}

/**
 * All of them may be null, because processes of the version before go on writing to the same file and do not name them.
 */
async function addStepAnswers(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("steps").addColumn("result_bytes", "bigint").execute();
  await db.schema.alterTable("steps").addColumn("value_id", "text").execute();
  await db.schema.alterTable("steps").addColumn("end_seq", "bigint").execute();
  await db.schema.alterTable("steps").addColumn("clock_at", "bigint").execute();
  await db.schema.alterTable("steps").addColumn("from_run_id", "text").execute();
}

/** No step owns a value: the steps of runs that go on from one another share it. */
async function createStepValues(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("step_values")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("value", "text", (column) => column.notNull())
    .execute();
}

/** What earlier runs were for is known from the start: it is worth more than anything that tools say of themselves. */
async function createPastUses(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("past_uses")
    .addColumn("org", "text", (column) => column.notNull())
    .addColumn("project", "text", (column) => column.notNull())
    .addColumn("tool", "text", (column) => column.notNull())
    .addColumn("intent", "text", (column) => column.notNull())
    .addColumn("use_count", "bigint", (column) => column.notNull())
    .addColumn("last_used_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("past_uses_pk", ["org", "project", "tool", "intent"])
    .execute();
  await sql`
    insert into past_uses (org, project, tool, intent, use_count, last_used_at)
    select runs.org, runs.project, steps.tool, substr(coalesce(runs.intent, ''), 1, 500),
      count(distinct runs.id), max(runs.started_at)
    from runs join steps on steps.run_id = runs.id
    where runs.status = 'succeeded' and steps.status = 'succeeded'
    group by runs.org, runs.project, steps.tool, substr(coalesce(runs.intent, ''), 1, 500)`.execute(db);
}

async function createTokenCounts(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("token_counts")
    .addColumn("hash", "text", (column) => column.notNull())
    .addColumn("tokenizer", "text", (column) => column.notNull())
    .addColumn("tokens", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("token_counts_pk", ["hash", "tokenizer"])
    .execute();
}

async function createEmbeddings(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("embeddings")
    .addColumn("model", "text", (column) => column.notNull())
    .addColumn("hash", "text", (column) => column.notNull())
    .addColumn("vector", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("embeddings_pk", ["model", "hash"])
    .execute();
}

/**
 * Runs from before have neither: their starter is unknown, so `resume: "last"` never takes one, and an id does. The
 * index answers "the newest run of this caller" without reading the runs of others.
 */
async function addRunStarter(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("runs").addColumn("principal", "text").execute();
  await db.schema.alterTable("runs").addColumn("session", "text").execute();
  await db.schema
    .createIndex("runs_session")
    .on("runs")
    .columns(["org", "project", "session", "id"])
    .where(sql.ref("parent_run_id"), "is", null)
    .where(sql.ref("session"), "is not", null)
    .execute();
}

/** In the store, so that a state is opened after a restart and by every process that shares the store. */
async function createSealingKeys(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("sealing_keys")
    .addColumn("name", "text", (column) => column.primaryKey())
    .addColumn("key", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .execute();
}

/** A state that counts once is spent by its row here; the row is kept until the state has expired anyway. */
async function createSpentStates(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("spent_states")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("spent_states_expiry").on("spent_states").column("expires_at").execute();
}

/** What may be used of each server. The earlier `tool_pins` was never written. */
async function createPins(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropTable("tool_pins").ifExists().execute();
  await db.schema
    .createTable("pins")
    .addColumn("server", "text", (column) => column.notNull())
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("status", "text", (column) => column.notNull())
    .addColumn("approved", "text")
    .addColumn("approved_at", "bigint")
    .addColumn("approved_by", "text")
    .addColumn("offered", "text")
    .addColumn("offered_hash", "text")
    .addColumn("offered_at", "bigint")
    .addColumn("reasons", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("pins_pk", ["server", "kind", "name"])
    .execute();
  await db.schema
    .createTable("pin_revision")
    .addColumn("id", "bigint", (column) => column.primaryKey())
    .addColumn("revision", "bigint", (column) => column.notNull())
    .execute();
  await sql`insert into pin_revision (id, revision) values (1, 0)`.execute(db);
}

/** Calls are counted in buckets of a window; a bucket that no window reaches any more is removed. */
async function createLimits(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("limit_buckets")
    .addColumn("key", "text", (column) => column.notNull())
    .addColumn("bucket", "bigint", (column) => column.notNull())
    .addColumn("count", "bigint", (column) => column.notNull())
    .addColumn("expires_at", "bigint")
    .addPrimaryKeyConstraint("limit_buckets_pk", ["key", "bucket"])
    .execute();
  await db.schema
    .createIndex("limit_buckets_expiry")
    .on("limit_buckets")
    .column("expires_at")
    .where(sql.ref("expires_at"), "is not", null)
    .execute();
  await db.schema
    .createTable("limit_slots")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("key", "text", (column) => column.notNull())
    .addColumn("until", "bigint", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("limit_slots_key").on("limit_slots").columns(["key", "until"]).execute();
}

/** The ids are in the order of time, so the newest are read without another index. */
async function createCalls(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("calls")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("at", "bigint", (column) => column.notNull())
    .addColumn("principal", "text", (column) => column.notNull())
    .addColumn("client", "text")
    .addColumn("profile", "text")
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("tool", "text", (column) => column.notNull())
    .addColumn("effect", "text", (column) => column.notNull())
    .addColumn("decision", "text", (column) => column.notNull())
    .addColumn("rule", "text", (column) => column.notNull())
    .addColumn("args_digest", "text", (column) => column.notNull())
    .addColumn("args", "text")
    .addColumn("outcome", "text", (column) => column.notNull())
    .addColumn("elapsed_ms", "double precision", (column) => column.notNull())
    .addColumn("bytes", "bigint", (column) => column.notNull())
    .addColumn("run_id", "text")
    .addColumn("trace_id", "text", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("calls_at").on("calls").column("at").execute();
  await db.schema
    .createTable("token_uses")
    .addColumn("name", "text", (column) => column.primaryKey())
    .addColumn("last_used_at", "bigint", (column) => column.notNull())
    .execute();
}

/** Who started a run by which client, what it said, and who wants it to end. */
async function addRunDetails(db: Kysely<unknown>): Promise<void> {
  for (const column of ["client", "logs", "cancel_by"])
    await db.schema.alterTable("runs").addColumn(column, "text").execute();
  // For the runs of a day, however many there are.
  await db.schema
    .createIndex("runs_root_started")
    .on("runs")
    .columns(["org", "project", "started_at"])
    .where(sql.ref("parent_run_id"), "is", null)
    .execute();
  // An owner looks every second; hardly ever is there one.
  await db.schema
    .createIndex("runs_cancel")
    .on("runs")
    .column("lease_owner")
    .where(sql.ref("cancel_by"), "is not", null)
    .execute();
  // What runs or waits now is little, however many runs have failed.
  await db.schema
    .createIndex("runs_open")
    .on("runs")
    .columns(["org", "project", "id"])
    .where(sql.ref("finished_at"), "is", null)
    .execute();
}

/** The calls of a run, and those of one principal, among all others. */
async function indexCalls(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex("calls_run")
    .on("calls")
    .columns(["run_id", "id"])
    .where(sql.ref("run_id"), "is not", null)
    .execute();
  await db.schema.createIndex("calls_principal").on("calls").columns(["principal", "id"]).execute();
}

/**
 * Several gateways on one database. `owner` is what leases name, `id` what session ids begin with. No table has a foreign
 * key to `replicas`: what a dead one left behind outlives its row.
 */
async function createReplicas(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("replicas")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("owner", "text", (column) => column.notNull().unique())
    .addColumn("place", "text", (column) => column.notNull())
    .addColumn("url", "text")
    .addColumn("version", "text", (column) => column.notNull())
    .addColumn("started_at", "bigint", (column) => column.notNull())
    .addColumn("seen_at", "bigint", (column) => column.notNull())
    .addColumn("draining", "bigint", (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("sessions")
    .addColumn("id_hash", "text", (column) => column.primaryKey())
    .addColumn("replica", "text", (column) => column.notNull())
    .addColumn("principal", "text")
    .addColumn("profile", "text")
    .addColumn("initialize", "text", (column) => column.notNull())
    .addColumn("session", "text", (column) => column.notNull())
    .addColumn("settings", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("seen_at", "bigint", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("sessions_seen").on("sessions").column("seen_at").execute();
}

/** What was in files of one home. The library and the pins keep the rows that they lock. */
async function createSharedState(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("revisions")
    .addColumn("topic", "text", (column) => column.primaryKey())
    .addColumn("revision", "bigint", (column) => column.notNull())
    .execute();
  await sql`insert into revisions (topic, revision) values ('tokens', 0), ('secrets', 0), ('servers', 0)`.execute(
    db,
  );
  await db.schema
    .createTable("tokens")
    .addColumn("name", "text", (column) => column.primaryKey())
    .addColumn("hash", "text", (column) => column.notNull().unique())
    .addColumn("entry", "text", (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("secrets")
    .addColumn("name", "text", (column) => column.primaryKey())
    .addColumn("sealed", "text", (column) => column.notNull())
    .addColumn("key_id", "text", (column) => column.notNull())
    .addColumn("updated_at", "bigint", (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("locks")
    .addColumn("name", "text", (column) => column.primaryKey())
    .addColumn("owner", "text")
    .addColumn("until", "bigint", (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("drafts")
    .addColumn("org", "text", (column) => column.notNull())
    .addColumn("project", "text", (column) => column.notNull())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("text", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("updated_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("drafts_pk", ["org", "project", "name"])
    .execute();
}

/** A list belongs to the config that its server was started with. In older rows only the definitions name it. */
async function keyServerCacheByConfig(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("server_cache").renameTo("server_cache_before").execute();
  await db.schema
    .createTable("server_cache")
    .addColumn("server", "text", (column) => column.notNull())
    .addColumn("config_hash", "text", (column) => column.notNull())
    .addColumn("definitions", "text", (column) => column.notNull())
    .addColumn("hash", "text", (column) => column.notNull())
    .addColumn("fetched_at", "bigint", (column) => column.notNull())
    .addColumn("ttl_ms", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("server_cache_pk", ["server", "config_hash"])
    .execute();
  await sql`
    insert into server_cache (server, config_hash, definitions, hash, fetched_at, ttl_ms)
    select server, '', definitions, hash, fetched_at, ttl_ms from server_cache_before`.execute(db);
  await db.schema.dropTable("server_cache_before").execute();
}

/**
 * Runs that go on without a client. `wake_at` is when the queue takes one up, `attempt_count` how often it did in vain.
 * `profile` and `timeout_ms` are what a client would say. Of one `start_key` there is one run.
 */
async function addBackgroundRuns(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable("runs")
    .addColumn("mode", "text", (column) => column.notNull().defaultTo("foreground"))
    .execute();
  await db.schema
    .alterTable("runs")
    .addColumn("attempt_count", "bigint", (column) => column.notNull().defaultTo(0))
    .execute();
  for (const column of ["profile", "start_key"])
    await db.schema.alterTable("runs").addColumn(column, "text").execute();
  for (const column of ["wake_at", "timeout_ms"])
    await db.schema.alterTable("runs").addColumn(column, "bigint").execute();
  await db.schema
    .createIndex("runs_wake")
    .on("runs")
    .column("wake_at")
    .where(sql.ref("wake_at"), "is not", null)
    .execute();
  // Those that were given up; `ATTEMPTS_MAX` is 5.
  await db.schema
    .createIndex("runs_dead")
    .on("runs")
    .column("id")
    .where(sql.ref("attempt_count"), ">", sql.lit(5))
    .execute();
  await db.schema
    .createIndex("runs_start_key")
    .unique()
    .on("runs")
    .column("start_key")
    .where(sql.ref("start_key"), "is not", null)
    .execute();
  // Whose owner is dead is asked every two seconds; few of all runs are running.
  await db.schema
    .createIndex("runs_running")
    .on("runs")
    .column("lease_owner")
    .where(sql.ref("status"), "=", sql.lit("running"))
    .execute();
}
