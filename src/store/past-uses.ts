import type { Kysely } from "kysely";
import type { Scope } from "../core/names.ts";
import type { PastUse, PastUses } from "../core/store.ts";
import type { StoreContext } from "./backend.ts";
import type { Database } from "./database.ts";

/** What a tool is for has been said after so many; more would only make the oldest count less. */
export const INTENTS_KEPT_MAX = 40;
/** As long as a sentence. A longer one is a task with its data, and its start says what it is for. */
export const INTENT_LENGTH_MAX = 500;

export function createPastUses({ db, light, clock }: StoreContext): PastUses {
  return {
    async add(scope, uses) {
      // What a search learns is no promise to anybody.
      await light.transaction().execute(async (trx) => {
        // In one order, so that two that add the same tools never wait for each other in a circle.
        for (const { tool, intent, useCount } of uses.toSorted(byToolAndIntent)) {
          const use = { tool, intent: intent.slice(0, INTENT_LENGTH_MAX), useCount, lastUsedAt: clock.now() };
          await addUse(trx, scope, use);
          if (intent !== "") await dropOldest(trx, scope, tool);
        }
      });
    },
    async list({ org, project }) {
      const rows = await db
        .selectFrom("past_uses")
        .selectAll()
        .where("org", "=", org)
        .where("project", "=", project)
        .orderBy("last_used_at", "desc")
        .orderBy("tool")
        .orderBy("intent")
        .execute();
      return rows.map((row) => ({
        tool: row.tool,
        intent: row.intent,
        useCount: row.use_count,
        lastUsedAt: row.last_used_at,
      }));
    },
  };
}

type Added = Pick<PastUse, "tool" | "intent">;

function byToolAndIntent(a: Added, b: Added): number {
  if (a.tool !== b.tool) return a.tool < b.tool ? -1 : 1;
  return a.intent < b.intent ? -1 : 1;
}

/** Adds in the database, so that uses by many processes are all counted. */
async function addUse(db: Kysely<Database>, { org, project }: Scope, use: PastUse): Promise<void> {
  const { tool, intent, useCount, lastUsedAt } = use;
  await db
    .insertInto("past_uses")
    .values({ org, project, tool, intent, use_count: useCount, last_used_at: lastUsedAt })
    .onConflict((conflict) =>
      conflict.columns(["org", "project", "tool", "intent"]).doUpdateSet((eb) => ({
        use_count: eb("past_uses.use_count", "+", useCount),
        last_used_at: lastUsedAt,
      })),
    )
    .execute();
}

/** Its count goes on as one without an intent: the tool was used no less for it. */
async function dropOldest(db: Kysely<Database>, { org, project }: Scope, tool: string): Promise<void> {
  const beyond = await db
    .selectFrom("past_uses")
    .select(["intent", "use_count", "last_used_at"])
    .where("org", "=", org)
    .where("project", "=", project)
    .where("tool", "=", tool)
    .where("intent", "<>", "")
    .orderBy("last_used_at", "desc")
    .orderBy("intent")
    .limit(10)
    .offset(INTENTS_KEPT_MAX)
    .execute();
  for (const old of beyond) {
    await db
      .deleteFrom("past_uses")
      .where("org", "=", org)
      .where("project", "=", project)
      .where("tool", "=", tool)
      .where("intent", "=", old.intent)
      .execute();
    const rest = { tool, intent: "", useCount: old.use_count, lastUsedAt: old.last_used_at };
    await addUse(db, { org, project }, rest);
  }
}
