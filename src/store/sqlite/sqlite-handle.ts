import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { RepertoireError } from "../../core/errors.ts";

/** The part of `DatabaseSync` that is used; tests hand in one that fails where they say. */
export interface SqliteHandle {
  readonly isTransaction: boolean;
  exec(sql: string): void;
  prepare(sql: string): SqliteStatement;
  close(): void;
}

export interface SqliteStatement {
  all(...parameters: SQLInputValue[]): unknown[];
  run(...parameters: SQLInputValue[]): { changes: number | bigint };
  columns(): readonly unknown[];
}

/** Older ones can corrupt a WAL database that several processes write (the WAL-reset bug). */
const SQLITE_VERSION_MIN = "3.51.3";

export function requireSqliteVersion(version: string = process.versions["sqlite"] ?? "0"): void {
  if (versionNumberOf(version) >= versionNumberOf(SQLITE_VERSION_MIN)) return;
  throw new RepertoireError(
    "STORE_UNSUPPORTED",
    `This Node has SQLite ${version}; at least ${SQLITE_VERSION_MIN} is needed`,
    {
      hint: "Upgrade to the newest Node 24 or later: older SQLite can damage a database that two processes write.",
    },
  );
}

/** As SQLite counts: 3.51.3 is 3051003. (A numeric `localeCompare` would load a collator for 8 ms.) */
function versionNumberOf(version: string): number {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  return major * 1_000_000 + minor * 1_000 + patch;
}

/** Opens a file that exists; `mode=rw` keeps SQLite from making an empty one where there is none. */
export function openHandle(path: string): SqliteHandle {
  const url = pathToFileURL(path);
  url.searchParams.set("mode", "rw");
  return new DatabaseSync(url, {
    timeout: 0,
    enableForeignKeyConstraints: true,
    enableDoubleQuotedStringLiterals: false,
    allowExtension: false,
    defensive: true,
  });
}
