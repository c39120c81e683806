/**
 * A lock between processes, for work that must not be done twice at once. It is a lock of the operating system on a
 * file (taken by SQLite, which knows how on every system), so it ends with its process, however that ends, and never
 * has to be broken.
 */
import { createHash } from "node:crypto";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { messageOf, RepertoireError } from "../core/errors.ts";

/** Longer than any work that is done under a lock may take. */
const WAIT_MAX_MS = 120_000;
const POLL_MS = 20;
const SQLITE_BUSY = 5;

/** Waits for the lock with a timer: the event loop goes on. */
export async function holdLock<T>(home: string, name: string, work: () => Promise<T>): Promise<T> {
  const lock = openLock(home, name);
  try {
    await take(lock, name);
    return await work();
  } finally {
    lock.close();
  }
}

/**
 * Takes a lock for work that is done in one turn, and holds up the event loop until it has it; what is returned gives
 * it back. Throws as `fs` and SQLite do, also where the wait is over.
 */
export function takeLock(file: string, waitMs: number): () => void {
  const lock = openFile(file, waitMs);
  try {
    lock.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    lock.close();
    throw error;
  }
  return () => lock.close();
}

function openLock(home: string, name: string): DatabaseSync {
  // A name may hold anything; a file name may not.
  const hash = createHash("sha256").update(name).digest("hex").slice(0, 32);
  const file = join(home, "locks", `${hash}.lock`);
  try {
    return openFile(file, 0);
  } catch (error) {
    throw new RepertoireError("HOME_UNSAFE", `Cannot use ${file}: ${messageOf(error)}`, {
      hint: "Check that the home folder is a folder that you may write to, or choose another with --home.",
      cause: error,
    });
  }
}

function openFile(file: string, timeout: number): DatabaseSync {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  closeSync(openSync(file, "a", 0o600));
  // Loaded when it is needed: few commands take a lock.
  const { DatabaseSync: Database } = process.getBuiltinModule("node:sqlite");
  return new Database(file, { timeout });
}

async function take(lock: DatabaseSync, name: string): Promise<void> {
  const end = performance.now() + WAIT_MAX_MS;
  for (;;) {
    try {
      lock.exec("BEGIN EXCLUSIVE");
      return;
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
    }
    if (performance.now() > end) {
      throw new RepertoireError("STORE_BUSY", `another process has held the lock "${name}" for too long`, {
        hint: "End the other repertoire process, then try again.",
      });
    }
    await sleep(POLL_MS * (1 + Math.random()));
  }
}
