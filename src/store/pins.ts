/**
 * What may be used of each server, beside what it offers now.
 *
 * Each change is one transaction that first locks the one row of `pin_revision`: changes of several processes follow
 * one another, on PostgreSQL too. The revision grows only where a row changed, so a process that sees the same again
 * wakes no other.
 */
import type { Kysely, Transaction } from "kysely";
import { hashOfDefinition } from "../core/definition-hash.ts";
import type { JsonObject } from "../core/json.ts";
import type { Pin, PinDecision, PinKey, PinOffer, PinStore } from "../core/trust-store.ts";
import type { StoreContext } from "./backend.ts";
import type { Database, PinRow } from "./database.ts";
import { fromColumn, toRequiredColumn } from "./json-column.ts";

/** Rows in one statement: SQLite takes 32,766 variables, and a row has eleven. */
const WRITTEN_AT_ONCE = 500;

const NOTHING_OFFERED = { offered: null, offered_hash: null, offered_at: null, reasons: "[]" } as const;

export function createPinStore(context: StoreContext): PinStore {
  const { db } = context;

  /** `work` says whether it changed anything. */
  function change<T>(work: (trx: Transaction<Database>) => Promise<Changed<T>>): Promise<T> {
    return db.transaction().execute(async (trx) => {
      await trx
        .updateTable("pin_revision")
        .set((eb) => ({ revision: eb.ref("revision") }))
        .execute();
      const { result, isChanged } = await work(trx);
      if (isChanged) await growRevision(trx);
      return result;
    });
  }

  return {
    async list(server) {
      let query = db.selectFrom("pins").selectAll().orderBy("server").orderBy("kind").orderBy("name");
      if (server !== undefined) query = query.where("server", "=", server);
      return (await query.execute()).map(pinOf);
    },
    begin: (server, baseline) =>
      change(async (trx) => {
        const known = await trx
          .selectFrom("pins")
          .select("name")
          .where("server", "=", server)
          .executeTakeFirst();
        if (known !== undefined) return { result: false, isChanged: false };
        const rows = baseline.map((pin) => baselineRow(pin, context.clock.now()));
        for (let at = 0; at < rows.length; at += WRITTEN_AT_ONCE) {
          await trx
            .insertInto("pins")
            .values(rows.slice(at, at + WRITTEN_AT_ONCE))
            .execute();
        }
        return { result: true, isChanged: rows.length > 0 };
      }),
    offer: (server, offers, settled) =>
      change(async (trx) => {
        let isChanged = false;
        const rows = await trx.selectFrom("pins").selectAll().where("server", "=", server).execute();
        const byKey = new Map(rows.map((row) => [keyTextOf(row), row]));
        for (const offer of offers) {
          if (await putOffer(trx, byKey.get(keyTextOf(offer)), offer, context.clock.now())) isChanged = true;
        }
        for (const key of settled) {
          const row = byKey.get(keyTextOf(key));
          if (row !== undefined && (await settle(trx, row))) isChanged = true;
        }
        return { result: undefined, isChanged };
      }),
    decide: (key, offeredHash, { isApproved, by }) =>
      change(async (trx): Promise<Changed<PinDecision>> => {
        const row = await selectPin(trx, key).selectAll().executeTakeFirst();
        if (row === undefined) return { result: { kind: "missing" }, isChanged: false };
        if (row.offered_hash !== offeredHash) return { result: { kind: "changed" }, isChanged: false };
        const columns = isApproved
          ? approvedColumns(row, by, context.clock.now())
          : rejectedColumns(row, context.clock.now());
        await updatePin(trx, key, columns);
        return { result: { kind: "decided", pin: pinOf({ ...row, ...columns }) }, isChanged: true };
      }),
    forget: (server) =>
      change(async (trx) => {
        const { numDeletedRows } = await trx
          .deleteFrom("pins")
          .where("server", "=", server)
          .executeTakeFirst();
        return { result: undefined, isChanged: numDeletedRows > 0n };
      }),
    async revision() {
      const row = await db.selectFrom("pin_revision").select("revision").executeTakeFirstOrThrow();
      return row.revision;
    },
  };
}

interface Changed<T> {
  readonly result: T;
  readonly isChanged: boolean;
}

async function growRevision(trx: Transaction<Database>): Promise<void> {
  await trx
    .updateTable("pin_revision")
    .set((eb) => ({ revision: eb("revision", "+", 1) }))
    .execute();
}

function keyTextOf({ kind, name }: Pick<PinKey, "kind" | "name">): string {
  return `${kind} ${name}`;
}

function baselineRow(pin: PinKey & { readonly approved: JsonObject }, at: number): PinRow {
  const { server, kind, name, approved } = pin;
  return {
    server,
    kind,
    name,
    status: "approved",
    approved: toRequiredColumn(approved),
    approved_at: at,
    approved_by: null,
    ...NOTHING_OFFERED,
  };
}

/** Whether the row was new or changed. */
async function putOffer(
  trx: Transaction<Database>,
  row: PinRow | undefined,
  { server, kind, name, status, offered, offeredHash, reasons }: PinOffer,
  at: number,
): Promise<boolean> {
  const isSame = row?.offered_hash === offeredHash;
  const columns = {
    status: isSame && row.status === "rejected" ? row.status : status,
    offered: toRequiredColumn(offered),
    offered_hash: offeredHash,
    offered_at: isSame ? row.offered_at : at,
    reasons: toRequiredColumn(reasons),
  };
  if (row === undefined) {
    const nothing = { approved: null, approved_at: null, approved_by: null };
    await trx
      .insertInto("pins")
      .values({ server, kind, name, ...nothing, ...columns })
      .execute();
    return true;
  }
  if (isSame && row.status === columns.status && row.reasons === columns.reasons) return false;
  await updatePin(trx, row, columns);
  return true;
}

/** A person's no is remembered while the approved one, or nothing, is offered. Whether the row changed. */
async function settle(trx: Transaction<Database>, row: PinRow): Promise<boolean> {
  if (row.status === "rejected" || row.offered_hash === null) return false;
  if (row.approved === null) await deletePin(trx, row);
  else await updatePin(trx, row, { status: "approved", ...NOTHING_OFFERED });
  return true;
}

function approvedColumns(row: PinRow, by: string, at: number): Partial<PinRow> {
  const approved = row.offered ?? row.approved;
  return { status: "approved", approved, approved_at: at, approved_by: by, ...NOTHING_OFFERED };
}

/** A no to the approved definition itself makes it the offer that is rejected. */
function rejectedColumns(row: PinRow, at: number): Partial<PinRow> {
  if (row.offered !== null) return { status: "rejected" };
  const approved = fromColumn(row.approved) as JsonObject;
  return {
    status: "rejected",
    offered: row.approved,
    offered_hash: hashOfDefinition(approved),
    offered_at: at,
  };
}

async function updatePin(trx: Transaction<Database>, key: PinKey, columns: Partial<PinRow>): Promise<void> {
  await trx
    .updateTable("pins")
    .set(columns)
    .where("server", "=", key.server)
    .where("kind", "=", key.kind)
    .where("name", "=", key.name)
    .execute();
}

async function deletePin(trx: Transaction<Database>, key: PinKey): Promise<void> {
  await trx
    .deleteFrom("pins")
    .where("server", "=", key.server)
    .where("kind", "=", key.kind)
    .where("name", "=", key.name)
    .execute();
}

function selectPin(db: Kysely<Database>, key: PinKey) {
  return db
    .selectFrom("pins")
    .where("server", "=", key.server)
    .where("kind", "=", key.kind)
    .where("name", "=", key.name);
}

function pinOf(row: PinRow): Pin {
  return {
    server: row.server,
    kind: row.kind,
    name: row.name,
    status: row.status,
    approved: fromColumn(row.approved) as JsonObject | null,
    approvedAt: row.approved_at,
    approvedBy: row.approved_by,
    offered: fromColumn(row.offered) as JsonObject | null,
    offeredHash: row.offered_hash,
    offeredAt: row.offered_at,
    reasons: fromColumn(row.reasons) as string[],
  };
}
