/**
 * Usage, counted from runs, steps, capabilities and the call log. Ids of runs are in the order of time, so a range of ids
 * bounds what is read, however many runs there were before.
 */
import { sql, type SelectQueryBuilder } from "kysely";
import { CAPABILITY_PREFIX } from "../core/names.ts";
import type { RunKind } from "../core/store.ts";
import type { Usage, UsageRange, UsageStore } from "../core/usage-store.ts";
import type { StoreContext } from "./backend.ts";
import type { Database } from "./database.ts";
import { firstIdAt } from "./uuid-v7.ts";

/** Ids come from clocks of several machines, and are made a moment before the row has its time. */
const ID_SLACK_MS = 60 * 60_000;
const DAY_MS = 86_400_000;

export function createUsageStore(context: StoreContext): UsageStore {
  return {
    async read(range) {
      return {
        runs: await countRuns(context, range),
        plainCallCount: await countPlainCalls(context, range),
        uses: await countUses(context, range),
        saved: await countSaved(context, range),
        library: await countLibrary(context, range),
        inner: { ...(await sumRuns(context, range)), ...(await sumCalls(context, range)) },
      };
    },
  };
}

type Runs = SelectQueryBuilder<Database, "runs", object>;

function runsIn({ db }: StoreContext, { scope, since, owner, profile }: UsageRange): Runs {
  let runs: Runs = db
    .selectFrom("runs")
    .where("runs.org", "=", scope.org)
    .where("runs.project", "=", scope.project)
    .where("runs.id", ">=", firstIdAt(Math.max(0, since - ID_SLACK_MS)))
    .where("runs.started_at", ">=", since);
  if (owner !== undefined) runs = runs.where("runs.principal", "=", owner);
  return profile === undefined ? runs : runs.where("runs.profile", "=", profile);
}

/** Those that a model would have made the calls of. A call that waited for a person comes back whole. */
function runsOfClients(context: StoreContext, range: UsageRange): Runs {
  return runsIn(context, range)
    .where("runs.client", "is not", null)
    .where("runs.client", "<>", range.personalClient)
    .where("runs.kind", "<>", "call");
}

async function countRuns(context: StoreContext, range: UsageRange): Promise<Usage["runs"]> {
  const rows = await runsIn(context, range)
    .where("parent_run_id", "is", null)
    .where("resumed_from_run_id", "is", null)
    .select((eb) => ["kind", eb.fn.countAll<number>().as("count")])
    .groupBy("kind")
    .execute();
  const none: Record<RunKind, number> = { code: 0, workflow: 0, capability: 0, call: 0 };
  return { ...none, ...Object.fromEntries(rows.map(({ kind, count }) => [kind, count])) };
}

async function countPlainCalls({ db }: StoreContext, { since, owner, profile }: UsageRange): Promise<number> {
  let calls = db
    .selectFrom("calls")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("at", ">=", since)
    .where("run_id", "is", null)
    .where("kind", "=", "tool")
    .where("decision", "=", "allow")
    .where(sql<boolean>`substr(tool, 1, ${sql.lit(CAPABILITY_PREFIX.length)}) <> ${CAPABILITY_PREFIX}`);
  if (owner !== undefined) calls = calls.where("principal", "=", owner);
  if (profile !== undefined) calls = calls.where("profile", "=", profile);
  return (await calls.executeTakeFirstOrThrow()).count;
}

async function countUses(context: StoreContext, range: UsageRange): Promise<Usage["uses"]> {
  const rows = await runsIn(context, range)
    .where("kind", "=", "capability")
    .where("resumed_from_run_id", "is", null)
    .where("capability_id", "is not", null)
    .select((eb) => [
      bucketOf("started_at", range),
      "capability_id as capabilityId",
      eb.fn.countAll<number>().as("count"),
    ])
    .groupBy([sql.ref("bucket"), "capability_id"])
    .orderBy(sql.ref("bucket"))
    .orderBy("capability_id")
    .execute();
  return rows.map(({ capabilityId, ...use }) => ({ ...use, capabilityId: capabilityId! }));
}

function bucketOf(column: "started_at" | "created_at", { bucketFrom, bucketMs }: UsageRange) {
  return sql<number>`cast((${sql.ref(column)} - ${bucketFrom}) / ${bucketMs} as integer)`.as("bucket");
}

async function countSaved({ db }: StoreContext, range: UsageRange): Promise<Usage["saved"]> {
  return db
    .selectFrom("capabilities")
    .select((eb) => [bucketOf("created_at", range), eb.fn.countAll<number>().as("count")])
    .where("org", "=", range.scope.org)
    .where("project", "=", range.scope.project)
    .where("created_at", ">=", range.since)
    .groupBy(sql.ref("bucket"))
    .orderBy(sql.ref("bucket"))
    .execute();
}

async function countLibrary({ db }: StoreContext, { scope }: UsageRange): Promise<Usage["library"]> {
  const { count, exampleCount } = await db
    .selectFrom("capabilities")
    .leftJoin("capability_examples", (join) =>
      join
        .onRef("capability_examples.capability_id", "=", "capabilities.id")
        .onRef("capability_examples.version", "=", "capabilities.current_version")
        // A workflow cannot be replayed.
        .on("capabilities.kind", "=", "code"),
    )
    .select((eb) => [
      eb.fn.countAll<number>().as("count"),
      eb.fn.count<number>("capability_examples.capability_id").as("exampleCount"),
    ])
    .where("capabilities.org", "=", scope.org)
    .where("capabilities.project", "=", scope.project)
    .where("capabilities.deleted_at", "is", null)
    .executeTakeFirstOrThrow();
  return { count, exampleCount };
}

/** A modern client over HTTP has no session: its runs name its principal, which is the same for ever. */
const CONVERSATION = sql`case
  when session is null then client || ' ' || cast(started_at / ${sql.lit(DAY_MS)} as integer)
  when substr(session, 1, 10) = 'principal:' then session || ' ' || cast(started_at / ${sql.lit(DAY_MS)} as integer)
  else session end`;

const RETURNED_BYTES = sql`coalesce(octet_length(result), 0) + coalesce(octet_length(error), 0)`;

function sumRuns(context: StoreContext, range: UsageRange) {
  return runsOfClients(context, range)
    .where("parent_run_id", "is", null)
    .select((eb) => [
      eb.fn.countAll<number>().as("runCount"),
      sql<number>`count(distinct ${CONVERSATION})`.as("conversationCount"),
      sql<number>`coalesce(sum(${RETURNED_BYTES}), 0)`.as("returnedBytes"),
    ])
    .executeTakeFirstOrThrow();
}

/** Nodes and questions have no server's name, and what a capability returns was counted with the calls that it made. */
function sumCalls(context: StoreContext, range: UsageRange) {
  return runsOfClients(context, range)
    .innerJoin("steps", "steps.run_id", "runs.id")
    .where("steps.status", "=", "succeeded")
    .where("steps.from_run_id", "is", null)
    .where(sql<boolean>`steps.tool like '%/_/_%' escape '/'`)
    .where(sql<boolean>`substr(steps.tool, 1, ${sql.lit(CAPABILITY_PREFIX.length)}) <> ${CAPABILITY_PREFIX}`)
    .select((eb) => [
      eb.fn.countAll<number>().as("callCount"),
      sql<number>`coalesce(sum(coalesce(steps.result_bytes, octet_length(steps.result), 0)), 0)`.as(
        "resultBytes",
      ),
    ])
    .executeTakeFirstOrThrow();
}
