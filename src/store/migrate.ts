/**
 * Brings a schema up to date, all or nothing. One transaction takes the write lock, reads the version again (another
 * process may have been faster), applies what is missing and writes the new version. A process that dies anywhere in it
 * leaves the old schema with the old version.
 *
 * Kysely's own migrator is not used: on SQLite its lock does nothing, so two processes would migrate at once.
 */
import type { Kysely } from "kysely";
import { MIGRATIONS, type Migration } from "./migrations.ts";
import { requireKnownVersion, type SchemaVersion } from "./schema-version.ts";

export interface MigrateOptions {
  readonly version: SchemaVersion;
  /** Where the database is, for messages. */
  readonly place: string;
  readonly migrations?: readonly Migration[] | undefined;
}

export async function migrate<Tables>(db: Kysely<Tables>, options: MigrateOptions): Promise<void> {
  const { version, place, migrations = MIGRATIONS } = options;
  await db.transaction().execute(async (typed) => {
    // A migration must not lean on today's tables: it runs on those of its own time.
    const trx = typed as unknown as Kysely<unknown>;
    await version.lock(trx);
    const current = await version.read(trx);
    if (current > migrations.length)
      return requireKnownVersion(await version.readUsableFrom(trx), migrations.length, place);
    for (const migration of migrations.slice(current)) await migration.up(trx);
    if (current < migrations.length) await version.write(trx, migrations.length, usableFromOf(migrations));
  });
}

/** A migration that says nothing is for its own version and later ones. */
function usableFromOf(migrations: readonly Migration[]): number {
  return Math.max(...migrations.map(({ usableFrom }, at) => usableFrom ?? at + 1));
}
