/**
 * Where a result lies. Up to `INLINE_RESULT_BYTES_MAX` it is a column of its step; beyond, it is a value of its own
 * that the step points at, so that a journal can be read, and taken over by another run, without it.
 */
import type { Kysely, Transaction } from "kysely";
import { RepertoireError } from "../../core/errors.ts";
import type { Json } from "../../core/json.ts";
import { INLINE_RESULT_BYTES_MAX } from "../../core/store.ts";
import type { StoreContext } from "../backend.ts";
import type { Database, StepRow, StepValueRow } from "../database.ts";
import { fromColumn, toColumn } from "../json-column.ts";

/** A result, ready to be written. */
export interface PlacedResult {
  readonly columns: Pick<StepRow, "result" | "result_bytes" | "value_id">;
  /** What lies apart; undefined where the columns have it all. */
  readonly value: StepValueRow | undefined;
}

export function placeResult({ newId }: StoreContext, result: Json | undefined): PlacedResult {
  const text = toColumn(result);
  const bytes = text === null ? 0 : Buffer.byteLength(text);
  if (text === null || bytes <= INLINE_RESULT_BYTES_MAX)
    return { columns: { result: text, result_bytes: null, value_id: null }, value: undefined };
  const id = newId();
  return { columns: { result: null, result_bytes: bytes, value_id: id }, value: { id, value: text } };
}

/**
 * Writes a step and what lies apart of it; false when there was no step to write. The step comes first, because it
 * proves the fence, and because one that was there before has kept its own result and needs no value.
 */
export async function writeWithResult(
  db: Kysely<Database>,
  placed: PlacedResult,
  write: (db: Kysely<Database>) => Promise<Pick<StepRow, "value_id"> | undefined>,
): Promise<boolean> {
  if (placed.value === undefined) return (await write(db)) !== undefined;
  return db.transaction().execute((trx) => writeWithin(trx, placed, () => write(trx)));
}

/** The same as a part of a transaction. */
export async function writeWithin(
  trx: Transaction<Database>,
  { value }: PlacedResult,
  write: () => Promise<Pick<StepRow, "value_id"> | undefined>,
): Promise<boolean> {
  const step = await write();
  if (value !== undefined && step?.value_id === value.id) await insertValue(trx, value);
  return step !== undefined;
}

export async function insertValue(trx: Transaction<Database>, value: StepValueRow): Promise<void> {
  await trx.insertInto("step_values").values(value).execute();
}

export async function readResult(
  { db }: StoreContext,
  runId: string,
  key: string,
): Promise<Json | undefined> {
  const row = await db
    .selectFrom("steps")
    .leftJoin("step_values", "step_values.id", "steps.value_id")
    .select(["steps.result", "steps.value_id", "step_values.value"])
    .where("steps.run_id", "=", runId)
    .where("steps.key", "=", key)
    .where("steps.status", "=", "succeeded")
    .executeTakeFirst();
  if (row === undefined) return undefined;
  if (row.value_id !== null && row.value === null) throw missingValueError(runId, key);
  return fromColumn(row.value ?? row.result);
}

/** To answer with null instead would be to make a result up. */
function missingValueError(runId: string, key: string): RepertoireError {
  return new RepertoireError("STORE_DAMAGED", `The result of step ${key} of run ${runId} is missing`, {
    hint: "Restore a backup of the database, or run the work again without resuming this run.",
  });
}
