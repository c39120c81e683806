/**
 * A lock between processes, for work that must not be done twice at once. It is a lock of the operating system on a file (taken
 * by SQLite, which knows how on every system), so it ends with its process, however that ends, and never has to be broken. The
 * wait is a timer: the event loop does not stand still.
 */
import { createHash } from "node:crypto";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { messageOf, RepertoireError } from "../core/errors.ts";

/** Longer than any work that is done under a lock may take. */
const WAIT_MAX_MS = 120_000;
const POLL_MS = 20;
const SQLITE_BUSY = 5;

export async function holdLock<T>(home: string, name: string, work: () => Promise<T>): Promise<T> {
  const lock = await openLock(home, name);
  try {
    await take(lock, name);
    return await work();
  } finally {
    lock.close();
  }
}

async function openLock(home: string, name: string): Promise<DatabaseSync> {
  const folder = join(home, "locks");
  // A name may hold anything; a file name may not.
  const file = join(folder, `${createHash("sha256").update(name).digest("hex").slice(0, 32)}.lock`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    closeSync(openSync(file, "a", 0o600));
    const sqlite = await import("node:sqlite");
    return new sqlite.DatabaseSync(file, { timeout: 0 });
  } catch (error) {
    throw new RepertoireError("HOME_UNSAFE", `Cannot use ${file}: ${messageOf(error)}`, {
      hint: "Check that the home folder is a folder that you may write to, or choose another with --home.",
      cause: error,
    });
  }
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
