import type { QueryExecutorProvider } from "kysely";
import { RepertoireError } from "../core/errors.ts";

/** The version that this code reads and writes; the length of `MIGRATIONS`, known without loading them. */
export const SCHEMA_VERSION = 8;

/** Where a database keeps its version, and how a migrator keeps others out. */
export interface SchemaVersion {
  /** Taken first, inside the transaction; the next holder sees what the one before has done. */
  lock(trx: QueryExecutorProvider): Promise<void>;
  read(trx: QueryExecutorProvider): Promise<number>;
  /** The oldest version whose code can still use the schema: where replicas are upgraded one by one, two versions work on it. */
  readUsableFrom(trx: QueryExecutorProvider): Promise<number>;
  /** Part of the transaction: a rollback takes it back. */
  write(trx: QueryExecutorProvider, version: number, usableFrom: number): Promise<void>;
}

/** The same while the database is open: a newer process has migrated it, and this one must stop writing. */
export function requireUnchangedVersion(version: number, latest: number, place: string): void {
  if (version <= latest) return;
  throw new RepertoireError(
    "STORE_NEWER",
    `A newer Repertoire has changed ${place} to schema version ${version}; this process knows ${latest}`,
    { hint: "Nothing more is written. Restart the gateway with the newer version." },
  );
}

/** A newer Repertoire has written columns that this one does not know: reading on would lose them. */
export function requireKnownVersion(version: number, latest: number, place: string): void {
  if (version <= latest) return;
  throw new RepertoireError(
    "STORE_NEWER",
    `${place} has schema version ${version}; this Repertoire knows ${latest}`,
    {
      hint: "Upgrade repertoire to the version that wrote it, or set REPERTOIRE_HOME to another folder.",
    },
  );
}
