/** The call log and the last use of each token. */
import { sql, type CompiledQuery, type Kysely, type SelectQueryBuilder } from "kysely";
import type { JsonObject } from "../core/json.ts";
import type {
  CallEntry,
  CallFilter,
  CallOutcome,
  CallStore,
  StoredCall,
  TokenUses,
} from "../core/trust-store.ts";
import type { StoreContext } from "./backend.ts";
import type { CallRow, Database } from "./database.ts";
import { fromColumn, toColumn } from "./json-column.ts";
import { createCallSummaries } from "./call-summaries.ts";
import { fitsPattern } from "./like-pattern.ts";
import { createUuidV7 } from "./uuid-v7.ts";

/** Some ms of work: a write of somebody else waits no longer. */
const REMOVED_COUNT_MAX = 1_000;
/** How many rows one statement inserts: few texts, each compiled once. 17 columns each are far below what a statement may have. */
const INSERTED_COUNTS = [100, 10, 1];

export function createCallStore(context: StoreContext): CallStore {
  const { db, light, clock } = context;
  const insert = createInsert(db);
  return {
    ...createCallSummaries(context),
    async append(calls) {
      if (calls.length === 0) return;
      // The entries were made behind the answers: waiting for the disk would hold up other calls, and promise nothing more.
      await light.transaction().execute(async (trx) => {
        await context.serialize(trx, "calls");
        // Made within the transaction and after the newest, so that the order of ids is the order of commits.
        const newId = createUuidV7(() => clock.now(), undefined, await newestId(trx));
        await insert(
          trx,
          calls.map((call) => rowOf(newId(), call)),
        );
      });
    },
    async list(filter) {
      const rows = await filtered(db.selectFrom("calls").selectAll(), filter).limit(filter.limit).execute();
      return rows.map(callOf);
    },
    async removeBefore(at) {
      const { numDeletedRows } = await db
        .deleteFrom("calls")
        .where("id", "in", (eb) =>
          eb.selectFrom("calls").select("id").where("at", "<", at).orderBy("at").limit(REMOVED_COUNT_MAX),
        )
        .executeTakeFirstOrThrow();
      return Number(numDeletedRows);
    },
  };
}

/** Every call of a tool comes by here: building the same statement for each batch takes longer than the database with it. */
function createInsert(db: Kysely<Database>) {
  const compiled = new Map<number, CompiledQuery>();
  const textFor = (rows: readonly CallRow[]): CompiledQuery => {
    const known =
      compiled.get(rows.length) ?? db.insertInto("calls").values(rows.map(withoutValues)).compile();
    compiled.set(rows.length, known);
    return known;
  };
  return async (trx: Kysely<Database>, rows: readonly CallRow[]): Promise<void> => {
    for (let start = 0; start < rows.length;) {
      const count = INSERTED_COUNTS.find((some) => some <= rows.length - start)!;
      const some = rows.slice(start, start + count);
      await trx.executeQuery({ ...textFor(some), parameters: valuesOf(some) });
      start += count;
    }
  };
}

/** What is compiled is kept, with the values that it was compiled with. */
function withoutValues(row: CallRow): CallRow {
  return Object.fromEntries(Object.keys(row).map((name) => [name, null])) as unknown as CallRow;
}

/** In the order in which `rowOf` makes them, which is the one of the compiled text. */
function valuesOf(rows: readonly CallRow[]): unknown[] {
  const values: unknown[] = [];
  for (const row of rows) values.push(...Object.values(row));
  return values;
}

async function newestId(db: Kysely<Database>): Promise<string | undefined> {
  const row = await db
    .selectFrom("calls")
    .select((eb) => eb.fn.max("id").as("newest"))
    .executeTakeFirst();
  return row?.newest ?? undefined;
}

type Query = SelectQueryBuilder<Database, "calls", CallRow>;

function filtered(all: Query, filter: CallFilter): Query {
  const { beforeId, afterId, tool, who, since, owner, runId, outcome } = filter;
  let query = all.orderBy("id", afterId === undefined ? "desc" : "asc");
  if (beforeId !== undefined) query = query.where("id", "<", beforeId);
  if (afterId !== undefined) query = query.where("id", ">", afterId);
  if (since !== undefined) query = query.where("at", ">=", since);
  if (owner !== undefined) query = query.where("principal", "=", owner);
  if (runId !== undefined) query = query.where("run_id", "=", runId);
  if (outcome !== undefined) query = withOutcome(query, outcome);
  if (tool !== undefined) query = query.where(fitsPattern(sql.ref("tool"), tool));
  if (who === undefined) return query;
  // Null where there is no profile, and null matches no pattern.
  const profile = sql`'profile:' || profile`;
  return query.where((eb) => eb.or([fitsPattern(sql.ref("principal"), who), fitsPattern(profile, who)]));
}

/** What a rule refused has not failed: it was not made. */
function withOutcome(query: Query, outcome: CallOutcome): Query {
  if (outcome === "ok") return query.where("outcome", "=", "ok");
  if (outcome === "refused") return query.where("decision", "=", "refuse");
  return query.where("outcome", "<>", "ok").where("decision", "<>", "refuse");
}

/** Field by field, so that all rows have one order. */
function rowOf(id: string, call: CallEntry): CallRow {
  return {
    id,
    at: call.at,
    principal: call.principal,
    client: call.client,
    profile: call.profile,
    kind: call.kind,
    tool: call.tool,
    effect: call.effect,
    decision: call.decision,
    rule: call.rule,
    args_digest: call.argsDigest,
    args: toColumn(call.args),
    outcome: call.outcome,
    elapsed_ms: call.elapsedMs,
    bytes: call.bytes,
    run_id: call.runId,
    trace_id: call.traceId,
  };
}

function callOf({ args_digest, args, elapsed_ms, run_id, trace_id, ...same }: CallRow): StoredCall {
  return {
    ...same,
    argsDigest: args_digest,
    args: fromColumn(args) as JsonObject | null,
    elapsedMs: elapsed_ms,
    runId: run_id,
    traceId: trace_id,
  };
}

export function createTokenUses({ db }: StoreContext): TokenUses {
  return {
    async put(uses) {
      if (uses.size === 0) return;
      await db
        .insertInto("token_uses")
        .values([...uses].map(([name, at]) => ({ name, last_used_at: at })))
        .onConflict((conflict) =>
          conflict
            .column("name")
            .doUpdateSet((eb) => ({ last_used_at: eb.ref("excluded.last_used_at") }))
            .whereRef("excluded.last_used_at", ">", "token_uses.last_used_at"),
        )
        .execute();
    },
    async list() {
      const rows = await db.selectFrom("token_uses").selectAll().orderBy("name").execute();
      return new Map(rows.map(({ name, last_used_at }) => [name, last_used_at]));
    },
  };
}
