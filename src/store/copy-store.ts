/**
 * Copies all rows of one database into an empty one: from a file to a server. One transaction, tables in the order in which
 * they refer to each other, some rows at a time by key. What cannot be copied is found before anything is committed, and
 * the source is only read.
 *
 * Left out is what ends with its process: who beats, sessions, locks, calls under way.
 */
import { sql, type Kysely, type Transaction } from "kysely";
import type { Database } from "./database.ts";

type TableName = keyof Database;

interface Table {
  readonly name: TableName;
  readonly key: readonly string[];
  /** The migrations put a row into it: it counts as empty while this column is 0 everywhere. */
  readonly counter?: string;
  /** Fewer rows at a time, where each may be large. */
  readonly pageLength?: number;
}

/** 200 rows of the widest table are far below the number of parameters that a statement can have. */
const PAGE_LENGTH = 200;

const TABLES: readonly Table[] = [
  { name: "capabilities", key: ["id"] },
  { name: "capability_versions", key: ["capability_id", "version"] },
  { name: "capability_examples", key: ["capability_id", "version"] },
  { name: "capability_aliases", key: ["org", "project", "namespace", "action"] },
  { name: "library_revision", key: ["id"], counter: "revision" },
  { name: "runs", key: ["id"] },
  { name: "step_values", key: ["id"], pageLength: 20 },
  { name: "steps", key: ["run_id", "key"] },
  { name: "server_cache", key: ["server", "config_hash"], pageLength: 20 },
  { name: "past_uses", key: ["org", "project", "tool", "intent"] },
  { name: "token_counts", key: ["hash", "tokenizer"] },
  { name: "embeddings", key: ["model", "hash"] },
  { name: "sealing_keys", key: ["name"] },
  { name: "spent_states", key: ["id"] },
  { name: "pins", key: ["server", "kind", "name"] },
  { name: "pin_revision", key: ["id"], counter: "revision" },
  { name: "limit_buckets", key: ["key", "bucket"] },
  { name: "calls", key: ["id"] },
  { name: "token_uses", key: ["name"] },
  { name: "audit", key: ["seq"] },
  { name: "audit_head", key: ["id"], counter: "seq" },
  { name: "revisions", key: ["topic"], counter: "revision" },
  { name: "tokens", key: ["name"] },
  { name: "secrets", key: ["name"] },
  { name: "drafts", key: ["org", "project", "name"] },
];

/** What ends with its process, and so is not copied. A test holds that these and the others are all tables. */
export const LEFT_TABLES: readonly TableName[] = ["replicas", "sessions", "locks", "limit_slots"];
export const COPIED_TABLES: readonly TableName[] = TABLES.map(({ name }) => name);

/** A text that PostgreSQL cannot keep. */
interface NulRow {
  readonly table: string;
  readonly column: string;
  /** The key, such as `run_id=… key=…`. */
  readonly row: string;
}

export type StoreCopied =
  | { readonly kind: "copied"; readonly rows: Readonly<Record<string, number>> }
  | { readonly kind: "not_empty"; readonly table: string }
  | { readonly kind: "nul"; readonly rows: readonly NulRow[] }
  | {
      readonly kind: "miscounted";
      readonly table: string;
      readonly expected: number;
      readonly found: number;
    };

/** Enough to see what is wrong. */
const NUL_ROWS_MAX = 20;

/** Ends the transaction without a commit; the outcome is what is told. */
class Refused extends Error {
  readonly outcome: StoreCopied;

  constructor(outcome: StoreCopied) {
    super(outcome.kind);
    this.outcome = outcome;
  }
}

export async function copyRows(
  from: Kysely<Database>,
  to: Kysely<Database>,
  progress: (table: string, rowCount: number) => void = () => {},
): Promise<StoreCopied> {
  try {
    const rows = await to.transaction().execute((trx) => copyAll(from, trx, progress));
    return { kind: "copied", rows };
  } catch (error) {
    if (error instanceof Refused) return error.outcome;
    throw error;
  }
}

/** What `copyRows` would do, without writing anything. The tables of the target may not be there yet. */
export async function surveyCopy(
  from: Kysely<Database>,
  to: Kysely<Database>,
  progress: (table: string, rowCount: number) => void = () => {},
): Promise<StoreCopied> {
  try {
    for (const table of TABLES) {
      if (await isThere(to, table)) await requireUnused(to, table);
    }
    return { kind: "copied", rows: await passAll(from, undefined, progress) };
  } catch (error) {
    if (error instanceof Refused) return error.outcome;
    throw error;
  }
}

async function copyAll(
  from: Kysely<Database>,
  to: Transaction<Database>,
  progress: (table: string, rowCount: number) => void,
): Promise<Record<string, number>> {
  for (const table of TABLES) await makeEmpty(to, table);
  const rows = await passAll(from, to, progress);
  for (const { name } of TABLES) await requireCount(to, name, rows[name] ?? 0);
  return rows;
}

/** Reads every row, and writes it where there is a target; how many there are of each table. */
async function passAll(
  from: Kysely<Database>,
  to: Transaction<Database> | undefined,
  progress: (table: string, rowCount: number) => void,
): Promise<Record<string, number>> {
  const nul: NulRow[] = [];
  const rows: Record<string, number> = {};
  for (const table of TABLES) {
    rows[table.name] = await passTable(from, to, table, nul, progress);
    if (nul.length >= NUL_ROWS_MAX) break;
  }
  if (nul.length > 0) throw new Refused({ kind: "nul", rows: nul.slice(0, NUL_ROWS_MAX) });
  return rows;
}

async function makeEmpty(to: Transaction<Database>, table: Table): Promise<void> {
  // Nobody writes in between: a gateway that runs on the target waits, and finds what was copied.
  await sql`lock table ${sql.table(table.name)} in share row exclusive mode`.execute(to);
  await requireUnused(to, table);
  await sql`delete from ${sql.table(table.name)}`.execute(to);
}

async function requireUnused(to: Kysely<Database>, { name, counter }: Table): Promise<void> {
  const isUsed = counter === undefined ? sql`true` : sql`${sql.ref(counter)} <> 0`;
  const { rows } = await sql`select 1 from ${sql.table(name)} where ${isUsed} limit 1`.execute(to);
  if (rows.length > 0) throw new Refused({ kind: "not_empty", table: name });
}

async function isThere(to: Kysely<Database>, { name }: Table): Promise<boolean> {
  const { rows } = await sql<{ place: string | null }>`select to_regclass(${name})::text as place`.execute(
    to,
  );
  return rows[0]?.place != null;
}

type Row = Readonly<Record<string, unknown>>;

async function passTable(
  from: Kysely<Database>,
  to: Transaction<Database> | undefined,
  table: Table,
  nul: NulRow[],
  progress: (table: string, rowCount: number) => void,
): Promise<number> {
  const { name, pageLength = PAGE_LENGTH } = table;
  let count = 0;
  let last: Row | undefined;
  for (;;) {
    const page = await readPage(from, table, pageLength, last);
    if (page.length === 0) return count;
    nul.push(...page.flatMap((row) => findNul(table, row)));
    if (nul.length === 0) await to?.insertInto(name).values(page).execute();
    count += page.length;
    last = page.at(-1);
    progress(name, count);
    if (page.length < pageLength) return count;
  }
}

async function readPage(
  from: Kysely<Database>,
  { name, key }: Table,
  limit: number,
  last: Row | undefined,
): Promise<readonly Row[]> {
  const columns = sql.join(key.map((column) => sql.ref(column)));
  const after =
    last === undefined ? sql`` : sql`where (${columns}) > (${sql.join(key.map((column) => last[column]))})`;
  const query = sql<Row>`select * from ${sql.table(name)} ${after} order by ${columns} limit ${sql.lit(limit)}`;
  return (await query.execute(from)).rows;
}

function findNul({ name, key }: Table, row: Row): NulRow[] {
  return Object.entries(row)
    .filter(([, value]) => typeof value === "string" && value.includes("\0"))
    .map(([column]) => ({
      table: name,
      column,
      row: key.map((part) => `${part}=${String(row[part]).replaceAll("\0", "\\0")}`).join(" "),
    }));
}

async function requireCount(to: Transaction<Database>, table: TableName, expected: number): Promise<void> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(
    to,
  );
  const found = Number(rows[0]?.count);
  if (found !== expected) throw new Refused({ kind: "miscounted", table, expected, found });
}
