/**
 * The principals of the tokens that are on record, kept in step with the file: whose token is revoked, rotated or
 * changed is told by `revoked` within a moment. The folder is watched, and since that misses changes on some file
 * systems, a slow look at the file goes with it. Nothing here keeps the process alive.
 *
 * It fails closed: while the file is gone, damaged or readable by others, there is no token. An error that says
 * nothing about the file (too many open files) changes nothing; the next look tries again.
 */
import { statSync, watch, type FSWatcher } from "node:fs";
import { basename } from "node:path";
import { RepertoireError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import type { Principal } from "../../core/principal.ts";
import { readTokens, tokenFileOf } from "./token-file.ts";
import { findEntry, type TokenEntry } from "./token.ts";

/** The longest that a revoked token is good for where the system tells nothing of changes. */
const LOOK_MS = 1_000;

export interface TokenPrincipals {
  /** Whose token this is the digest of. */
  find(digest: Buffer): Principal | undefined;
  /** Looks at the file now. */
  look(): void;
  close(): void;
}

interface Held {
  readonly digest: Buffer;
  readonly principal: Principal;
  readonly revocation: AbortController;
  /** Everything that must be the same for the principal to stay. */
  readonly text: string;
}

export function watchTokens(home: string, log: Log, lookMs: number = LOOK_MS): TokenPrincipals {
  let held = new Map<string, Held>();
  let seen: string | undefined;

  function take(entries: readonly TokenEntry[]): void {
    const next = new Map<string, Held>();
    for (const entry of entries) {
      const known = held.get(entry.name);
      next.set(entry.name, known?.text === textOf(entry) ? known : hold(entry));
    }
    const former = held;
    held = next;
    for (const [name, { revocation }] of former) {
      if (next.get(name)?.revocation !== revocation) revocation.abort(new Error("the token was revoked"));
    }
  }

  function look(): void {
    const mark = markOf(tokenFileOf(home));
    if (mark === seen) return;
    try {
      take(readTokens(home) ?? []);
      seen = mark;
    } catch (error) {
      if (isPassing(error)) return;
      seen = mark;
      log.error("auth.tokens.refused", { error, ...hintOf(error) });
      take([]);
    }
  }

  const stop = startLooking(home, look, lookMs);
  look();
  return {
    find: (digest) => findEntry(held.values(), digest)?.principal,
    look,
    close: stop,
  };
}

function hold(entry: TokenEntry): Held {
  const revocation = new AbortController();
  const { name, permissions, profiles } = entry;
  return {
    digest: Buffer.from(entry.hash, "hex"),
    principal: {
      id: `token:${name}`,
      name,
      permissions: new Set(permissions),
      profiles: profiles && new Set(profiles),
      revoked: revocation.signal,
    },
    revocation,
    text: textOf(entry),
  };
}

function textOf({ hash, permissions, profiles }: TokenEntry): string {
  return JSON.stringify([hash, permissions.toSorted(), profiles?.toSorted()]);
}

/** A rename gives another inode, an edit another time, a `chmod` another change time. */
function markOf(file: string): string {
  try {
    const stat = statSync(file, { bigint: true, throwIfNoEntry: false });
    return stat === undefined ? "none" : `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`;
  } catch {
    return "unreadable";
  }
}

/** Errors of the process, not of the file. */
const PASSING: ReadonlySet<unknown> = new Set(["EMFILE", "ENFILE", "ENOMEM", "EIO", "EINTR", "EAGAIN"]);

function isPassing(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && "code" in cause && PASSING.has(cause.code);
}

function hintOf(error: unknown): { hint?: string } {
  return error instanceof RepertoireError && error.hint !== undefined ? { hint: error.hint } : {};
}

function startLooking(home: string, look: () => void, lookMs: number): () => void {
  const name = basename(tokenFileOf(home));
  let watcher: FSWatcher | undefined;
  try {
    watcher = watch(home, { persistent: false }, (_, changed) => {
      if (changed === null || changed === name) look();
    });
    watcher.on("error", () => watcher?.close());
  } catch {
    // The system has no watches left, or the folder is not there yet: the slow look sees changes all the same.
  }
  const timer = setInterval(look, lookMs);
  timer.unref();
  return () => {
    clearInterval(timer);
    watcher?.close();
  };
}
