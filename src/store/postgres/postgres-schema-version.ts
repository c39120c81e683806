/**
 * The version of the schema on PostgreSQL: one row. Migrators follow one another by a lock that ends with the
 * transaction, which works behind a pooler too. It comes first: `create table if not exists` by two at once fails.
 */
import {
  DataTypeNode,
  OperationNodeTransformer,
  RawNode,
  sql,
  type ColumnDefinitionNode,
  type KyselyPlugin,
  type QueryExecutorProvider,
} from "kysely";
import type { SchemaVersion } from "../schema-version.ts";

/** "rptr" as a number: nothing else in the database locks it. */
const MIGRATION_LOCK = 0x72707472;
/** Then the attempt is made again, so that a migrator does not wait behind a lock that it would hold up others with. */
const LOCK_WAIT = "5s";

interface VersionRow {
  readonly version: number;
  readonly usable_from: number;
}

export const postgresSchemaVersion: SchemaVersion = {
  async lock(trx) {
    await sql`set local lock_timeout = ${sql.lit(LOCK_WAIT)}`.execute(trx);
    await sql`select pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)})`.execute(trx);
    await sql`create table if not exists schema_version (
      id bigint primary key, version bigint not null, usable_from bigint not null)`.execute(trx);
  },
  read: async (trx) => (await readVersion(trx))?.version ?? 0,
  readUsableFrom: async (trx) => (await readVersion(trx))?.usable_from ?? 0,
  async write(trx, version, usableFrom) {
    await sql`insert into schema_version (id, version, usable_from) values (1, ${version}, ${usableFrom})
      on conflict (id) do update set version = excluded.version, usable_from = excluded.usable_from`.execute(
      trx,
    );
  },
};

async function readVersion(trx: QueryExecutorProvider): Promise<VersionRow | undefined> {
  const { rows } =
    await sql<VersionRow>`select version, usable_from from schema_version where id = 1`.execute(trx);
  return rows[0];
}

/** Undefined where there is no schema yet. */
export async function readSchema(trx: QueryExecutorProvider): Promise<VersionRow | undefined> {
  const { rows } = await sql<{
    name: string | null;
  }>`select to_regclass('schema_version')::text as name`.execute(trx);
  return rows[0]?.name == null ? undefined : readVersion(trx);
}

/**
 * Makes each text column of a migration compare byte by byte, as SQLite does: names and ids are sorted by code, whatever
 * the language of the database.
 */
export const BYTEWISE_TEXT: KyselyPlugin = {
  transformQuery: ({ node }) => new BytewiseText().transformNode(node),
  transformResult: async ({ result }) => result,
};

class BytewiseText extends OperationNodeTransformer {
  protected override transformColumnDefinition(node: ColumnDefinitionNode): ColumnDefinitionNode {
    const { dataType, ...rest } = super.transformColumnDefinition(node);
    const isText = DataTypeNode.is(dataType) && dataType.dataType === "text";
    return { ...rest, dataType: isText ? RawNode.createWithSql('text collate "C"') : dataType };
  }
}
