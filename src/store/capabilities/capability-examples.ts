import type { Kysely, Transaction } from "kysely";
import type { JsonObject } from "../../core/json.ts";
import type { CapabilityExample, ExampleCall } from "../../core/store.ts";
import type { CapabilityExampleRow, CapabilityVersionRow, Database } from "../database.ts";
import { fromColumn, toColumn, toRequiredColumn } from "../json-column.ts";

type ExampleColumns = Pick<CapabilityExampleRow, "inputs" | "calls" | "result" | "seed" | "clock_at">;

export function exampleColumnsOf(example: CapabilityExample | null | undefined): ExampleColumns | undefined {
  if (example === null || example === undefined) return undefined;
  return {
    inputs: toRequiredColumn(example.inputs),
    calls: toRequiredColumn(example.calls.map(plainCallOf)),
    result: toColumn(example.result),
    seed: example.seed ?? null,
    clock_at: example.clockAt ?? null,
  };
}

/** A field that is there but undefined is no JSON; it means the same as none. */
function plainCallOf({ tool, args, result, error }: ExampleCall): ExampleCall {
  return {
    tool,
    args,
    ...(result === undefined ? {} : { result }),
    ...(error === undefined ? {} : { error }),
  };
}

export async function insertExample(
  trx: Transaction<Database>,
  { capability_id, version, created_at }: CapabilityVersionRow,
  columns: ExampleColumns,
): Promise<void> {
  await trx
    .insertInto("capability_examples")
    .values({ capability_id, version, ...columns, created_at })
    .execute();
}

export async function findExample(
  db: Kysely<Database>,
  id: string,
  version: number,
): Promise<CapabilityExample | undefined> {
  const row = await db
    .selectFrom("capability_examples")
    .select(["inputs", "calls", "result", "seed", "clock_at"])
    .where("capability_id", "=", id)
    .where("version", "=", version)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return {
    inputs: fromColumn(row.inputs) as JsonObject,
    calls: JSON.parse(row.calls) as ExampleCall[],
    result: fromColumn(row.result),
    ...(row.seed === null ? {} : { seed: row.seed }),
    ...(row.clock_at === null ? {} : { clockAt: row.clock_at }),
  };
}
