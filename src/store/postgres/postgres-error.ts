/**
 * What PostgreSQL's error codes mean to us; the code decides, never the text. See the appendix "PostgreSQL Error Codes" of
 * its manual.
 *
 * An error is one of three things. `Undone`: certainly nothing has happened, so anything may be repeated. `Lost`: the
 * connection ended while a statement or a commit was under way, so only what is idempotent may be repeated. Everything else
 * is told to the caller, or is a bug.
 */
import pg from "pg";
import { messageOf, RepertoireError } from "../../core/errors.ts";

/** The database has undone the work, or never began it. */
export class Undone extends Error {
  override readonly name = "Undone";
  /** For metrics. */
  readonly kind: RetryKind;

  constructor(cause: unknown, kind: RetryKind) {
    super("The database has undone the work.", { cause });
    this.kind = kind;
  }
}

/** The connection ended before the answer came: the work may have been done. */
export class Lost extends Error {
  override readonly name = "Lost";
  readonly kind = "lost";

  constructor(cause: unknown) {
    super("The connection to the database was lost.", { cause });
  }
}

export type RetryKind = "conflict" | "away" | "statement" | "lost";

/** Serialization failure, deadlock, a lock that did not come in time, and a statement that took too long. */
const CONFLICTS = new Set(["40001", "40P01", "55P03", "57014"]);
/** Starting up or shutting down, no connection left, and read only, as a server is that lost its primary's place. */
const AWAY = new Set(["57P03", "53300", "25006"]);
/** A pooler in front has no such statement, or another client's of that name. */
const STATEMENTS = new Set(["26000", "42P05"]);
/** The server ends this connection. */
const ENDED = new Set(["57P01", "57P02", "57P05", "25P03"]);

/** What a connect can fail with while the server, or the name of its host, comes up. */
const NETWORK_CODES = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EAI_AGAIN",
  "ENOTFOUND",
  "ENOENT",
]);

export function isStatementError(error: unknown): boolean {
  return STATEMENTS.has(sqlStateOf(error) ?? "");
}

/**
 * A newer version has added a column to a table, and this connection has planned a statement that returns all of them: it
 * was refused before it ran, and a new connection plans it anew. The code says no more than "not supported", so the place
 * in the server that refused decides with it.
 */
function isPlannedForLess(error: unknown): boolean {
  return (
    error instanceof pg.DatabaseError && error.code === "0A000" && error.routine === "RevalidateCachedQuery"
  );
}

/** Whether a connect that failed so may succeed later. */
export function isAway(error: unknown): boolean {
  const state = sqlStateOf(error);
  if (state !== undefined) return AWAY.has(state) || ENDED.has(state) || state.startsWith("08");
  // Without a code: the time for connecting is over, or the socket closed during the handshake.
  const code = networkCodeOf(error);
  return code === undefined || NETWORK_CODES.has(code);
}

/** What a failed statement means. `isSettled`: it was inside a transaction whose commit was not sent. */
export function judge(error: unknown, isLost: boolean, isSettled: boolean): unknown {
  const state = sqlStateOf(error);
  if (state === undefined) {
    if (!isLost) return error;
    return isSettled ? new Undone(error, "lost") : new Lost(error);
  }
  if (CONFLICTS.has(state)) return new Undone(error, "conflict");
  if (AWAY.has(state)) return new Undone(error, "away");
  if (STATEMENTS.has(state) || isPlannedForLess(error)) return new Undone(error, "statement");
  if (ENDED.has(state) || state.startsWith("08"))
    return isSettled ? new Undone(error, "lost") : new Lost(error);
  return error;
}

/** The error that a caller sees: a `RepertoireError` for a broken world, and the error itself when it is a bug of ours. */
export function storeErrorOf(error: unknown, place: string): unknown {
  const state = sqlStateOf(error);
  if (state === undefined) return error;
  if (state === "53100") {
    return new RepertoireError("STORE_FULL", `There is no room on the disk of ${place}`, {
      hint: "Free some space on the database server and try again; what was acknowledged before is safe.",
      cause: error,
    });
  }
  if (state.startsWith("XX")) {
    return new RepertoireError("STORE_DAMAGED", `${place} is damaged: ${messageOf(error)}`, {
      hint: "Look into the log of the database server, and restore a backup.",
      cause: error,
    });
  }
  if (state.startsWith("28") || REFUSALS.has(state)) return refusedError(place, error);
  return error;
}

/** No such database, no such schema, and no right to make or change something. */
const REFUSALS = new Set(["3D000", "3F000", "42501"]);

/** No connection comes about, and waiting does not help: a password, a certificate, a database that is not there. */
export function refusedError(place: string, cause: unknown): RepertoireError {
  return new RepertoireError("STORE_REFUSED", `${place} cannot be used: ${messageOf(cause)}`, {
    hint:
      "Check user, password, database and sslmode in REPERTOIRE_DATABASE_URL (or store.url), and that the user owns the " +
      "database or may create tables in its schema public.",
    cause,
  });
}

export function awayError(place: string, waitedMs: number, cause: unknown): RepertoireError {
  const seconds = Math.round(waitedMs / 1000);
  return new RepertoireError(
    "STORE_BUSY",
    `${place} could not be reached for ${seconds} s: ${messageOf(cause)}`,
    {
      hint: "Check that the database server runs and that this machine reaches it; the gateway goes on as soon as it does.",
      cause,
    },
  );
}

export function uncertainError(place: string, cause: unknown): RepertoireError {
  return new RepertoireError(
    "STORE_UNCERTAIN",
    `The connection to ${place} was lost while something was written`,
    {
      hint: "It may have been saved. Look before you repeat it.",
      cause,
    },
  );
}

/** The five characters of an error that the server sent. */
function sqlStateOf(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}

function networkCodeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
