/**
 * A new database gets its name last. It is made under a temporary name with all its tables, brought to disk, and then
 * linked: what is under the real name is always a whole database. Linking never replaces, so of several processes that
 * start at once the first wins and the others use its file. A process that dies before the link leaves only a temporary
 * file.
 */
import { randomBytes } from "node:crypto";
import { chmodSync, closeSync, fsyncSync, linkSync, openSync, readdirSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { sql } from "kysely";
import { RepertoireError } from "../../core/errors.ts";
import { migrate } from "../migrate.ts";
import type { Migration } from "../migrations.ts";
import { APPLICATION_ID } from "./database-file.ts";
import { fileErrorCodeOf, homeErrorOf } from "./home.ts";
import { sqliteSchemaVersion } from "./sqlite-schema-version.ts";
import type { SqliteSession } from "./sqlite-session.ts";

/** Making one takes some ms; after an hour its process is dead or will never come to the link. */
const LEFTOVER_AGE_MS = 3_600_000;

/** How a file system says that it has no hard links. */
const NO_LINK_CODES: ReadonlySet<string | undefined> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

export interface CreateDatabaseOptions {
  readonly open: (path: string) => SqliteSession;
  readonly migrations?: readonly Migration[] | undefined;
}

/** Returns when a whole database is under `path`, ours or that of a process that was faster. */
export async function createDatabase(path: string, options: CreateDatabaseOptions): Promise<void> {
  const temporary = `${path}.new-${process.pid}-${randomBytes(6).toString("hex")}`;
  try {
    removeLeftovers(path);
    closeSync(openSync(temporary, "wx", 0o600));
    chmodSync(temporary, 0o600);
    await fill(temporary, options);
    sync(temporary, "r+");
    publish(temporary, path);
  } catch (error) {
    throw homeErrorOf(error, path);
  } finally {
    rmSync(temporary, { force: true });
  }
  // A name is on disk when its folder is; Windows cannot open one.
  if (process.platform !== "win32") sync(dirname(path), "r");
}

/** A journal in memory and no syncing: no other process sees the file yet, and a half-made one is thrown away. */
async function fill(path: string, { open, migrations }: CreateDatabaseOptions): Promise<void> {
  const { db, connection } = open(path);
  try {
    await sql`pragma journal_mode = memory`.execute(db);
    await sql`pragma synchronous = off`.execute(db);
    await sql`pragma application_id = ${sql.lit(APPLICATION_ID)}`.execute(db);
    await migrate(db, { version: sqliteSchemaVersion, place: path, migrations });
  } finally {
    await connection.close();
  }
}

function publish(temporary: string, path: string): void {
  try {
    linkSync(temporary, path);
  } catch (error) {
    const code = fileErrorCodeOf(error);
    if (code === "EEXIST") return;
    if (!NO_LINK_CODES.has(code)) throw error;
    throw new RepertoireError("STORE_UNSUPPORTED", `The file system of ${path} has no hard links`, {
      hint: "Set REPERTOIRE_HOME to a folder on a local disk.",
      cause: error,
    });
  }
}

function sync(path: string, flags: string): void {
  const file = openSync(path, flags);
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function removeLeftovers(path: string): void {
  const folder = dirname(path);
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(`${basename(path)}.new-`)) continue;
    const leftover = join(folder, name);
    const madeAt = statSync(leftover, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
    if (Date.now() - madeAt > LEFTOVER_AGE_MS) rmSync(leftover, { force: true });
  }
}
