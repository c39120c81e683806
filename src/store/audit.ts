/**
 * The audit trail as a chain: an entry's hash covers the hash before it and all of its own fields, its number included.
 * An edit, a gap or a swap breaks the chain where it happened; `audit_head` remembers the newest entry, so that cutting
 * off the end shows as well. A writer of every row can forge the chain: it shows damage and tampering by hand, no more.
 */
import { canonicalJson, hashText, type JsonObject } from "../core/json.ts";
import type { Audit, AuditEntry } from "../core/store.ts";
import type { StoreContext } from "./backend.ts";
import type { AuditRow } from "./database.ts";
import { fromColumn } from "./json-column.ts";

/** Entries checked at a time: a few hundred KB in memory, however long the trail is. */
const PAGE_ENTRY_COUNT = 500;

export function createAudit(context: StoreContext): Audit {
  return {
    append: (entry) => append(context, entry),
    async list({ limit, afterSeq = 0 }) {
      const rows = await listRows(context, limit, afterSeq);
      return rows.map(entryOf);
    },
    async newest({ limit, beforeSeq }) {
      let query = context.db.selectFrom("audit").selectAll().orderBy("seq", "desc").limit(limit);
      if (beforeSeq !== undefined) query = query.where("seq", "<", beforeSeq);
      return (await query.execute()).map(entryOf);
    },
    findBreak: () => findBreak(context),
  };
}

function append(
  { db, clock }: StoreContext,
  entry: Pick<AuditEntry, "actor" | "action" | "subject" | "details">,
): Promise<AuditEntry> {
  return db.transaction().execute(async (trx) => {
    // Taking the next number is also the lock that makes writers follow one another.
    const head = await trx
      .updateTable("audit_head")
      .set((eb) => ({ seq: eb("seq", "+", 1) }))
      .returning(["seq", "hash"])
      .executeTakeFirstOrThrow();
    const { actor, action, subject } = entry;
    const details = canonicalJson(entry.details);
    const content = { seq: head.seq, at: clock.now(), actor, action, subject, details };
    const row = { ...content, hash: chainHash(head.hash, content) };
    await trx.insertInto("audit").values(row).execute();
    await trx.updateTable("audit_head").set({ hash: row.hash }).execute();
    return entryOf(row);
  });
}

async function findBreak(context: StoreContext): Promise<number | undefined> {
  // The head comes first: what is appended while we read lies beyond it and is no break.
  const head = await context.db.selectFrom("audit_head").select(["seq", "hash"]).executeTakeFirstOrThrow();
  let seq = 0;
  let hash = "";
  while (seq < head.seq) {
    const rows = await listRows(context, Math.min(PAGE_ENTRY_COUNT, head.seq - seq), seq);
    for (const row of rows) {
      if (row.seq !== seq + 1 || row.hash !== chainHash(hash, row)) return seq + 1;
      ({ seq, hash } = row);
    }
    if (rows.length === 0) return seq + 1;
  }
  return hash === head.hash ? findForgedEntry(context) : seq;
}

/** An entry beyond the head was put in by hand. One statement, so that an append cannot come between its two reads. */
async function findForgedEntry({ db }: StoreContext): Promise<number | undefined> {
  const row = await db
    .selectFrom("audit")
    .select("audit.seq")
    .where("audit.seq", ">", (eb) => eb.selectFrom("audit_head").select("audit_head.seq"))
    .orderBy("audit.seq")
    .limit(1)
    .executeTakeFirst();
  return row?.seq;
}

function listRows({ db }: StoreContext, limit: number, afterSeq: number): Promise<AuditRow[]> {
  return db.selectFrom("audit").selectAll().where("seq", ">", afterSeq).orderBy("seq").limit(limit).execute();
}

function chainHash(previous: string, row: Omit<AuditRow, "hash">): string {
  const { seq, at, actor, action, subject, details } = row;
  return hashText(previous + canonicalJson({ seq, at, actor, action, subject, details }));
}

function entryOf(row: AuditRow): AuditEntry {
  return { ...row, details: fromColumn(row.details) as JsonObject };
}
