/**
 * The principals of the tokens that are on record: whose token is revoked, rotated or changed is told by `revoked` within a
 * moment. A token that expires ends in the same way. The look goes by the wall clock, so a clock that was set and a machine
 * that slept end it a moment later too; `find` never gives one that has expired.
 *
 * With a file, the folder is watched, and since that misses changes on some file systems, a slow look at the file goes with
 * it. It fails closed: while the file is gone, damaged or readable by others, there is no token. An error that says nothing
 * about the file (too many open files) changes nothing; the next look tries again. Nothing here keeps the process alive.
 */
import { statSync, watch, type FSWatcher } from "node:fs";
import { basename } from "node:path";
import { systemClock, type Clock } from "../../core/clock.ts";
import { RepertoireError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import type { Principal } from "../../core/principal.ts";
import { readTokens, tokenFileOf } from "./token-file.ts";
import { expiresAtOf, findEntry, type TokenEntry } from "./token.ts";

/** The longest that streams and runs of an expired token go on, and of a revoked one where the system tells nothing. */
export const LOOK_MS = 1_000;

type FoundToken =
  | { readonly kind: "good"; readonly principal: Principal; readonly expiresAtMs: number }
  | { readonly kind: "expired"; readonly expiresAt: string };

export interface TokenPrincipals {
  /** Whose token this is the digest of. */
  find(digest: Buffer): FoundToken | undefined;
  close(): void;
}

interface Held {
  readonly digest: Buffer;
  readonly principal: Principal;
  readonly revocation: AbortController;
  /** Everything that must be the same for the principal to stay. */
  readonly text: string;
  readonly expiresAtMs: number;
}

export interface HeldTokens {
  readonly find: TokenPrincipals["find"];
  /** These are the tokens now; the principals of all others are revoked. */
  take(entries: readonly TokenEntry[]): void;
  /** Ends those that have expired. */
  expire(): void;
}

export interface HeldTokensOptions {
  readonly clock?: Clock;
  /** The token of the environment, which is good for as long as the process lives. */
  readonly environment?: TokenEntry | undefined;
}

export function createHeldTokens({ clock = systemClock, environment }: HeldTokensOptions = {}): HeldTokens {
  let held = new Map<string, Held>();
  const own = environment === undefined ? [] : [environment];

  /** It stays on record as expired, so that its owner can be told. */
  function isOver({ expiresAtMs, revocation }: Held): boolean {
    if (expiresAtMs > clock.now()) return revocation.signal.aborted;
    if (!revocation.signal.aborted) revocation.abort(new Error("the token has expired"));
    return true;
  }

  return {
    find(digest) {
      const found = findEntry(held.values(), digest);
      if (found === undefined) return undefined;
      const { principal, expiresAtMs } = found;
      if (!isOver(found)) return { kind: "good", principal, expiresAtMs };
      return { kind: "expired", expiresAt: new Date(expiresAtMs).toISOString() };
    },
    take(entries) {
      const next = new Map<string, Held>();
      // Last, so that no token on record can be taken for it.
      for (const entry of [...entries, ...own]) {
        const known = held.get(entry.name);
        next.set(entry.name, known?.text === textOf(entry) ? known : hold(entry));
      }
      const former = held;
      held = next;
      for (const [name, { revocation }] of former) {
        if (next.get(name)?.revocation !== revocation) revocation.abort(new Error("the token was revoked"));
      }
    },
    expire() {
      for (const each of held.values()) isOver(each);
    },
  };
}

export interface WatchOptions extends HeldTokensOptions {
  readonly lookMs?: number;
}

/** Those of the file in this home. `look` looks at the file and at the clock now. */
export function watchTokens(
  home: string,
  log: Log,
  { lookMs = LOOK_MS, ...options }: WatchOptions = {},
): TokenPrincipals & { look(): void } {
  const held = createHeldTokens(options);
  let seen: string | undefined;

  function look(): void {
    readFile();
    held.expire();
  }

  function readFile(): void {
    const mark = markOf(tokenFileOf(home));
    if (mark === seen) return;
    try {
      held.take(readTokens(home) ?? []);
      seen = mark;
    } catch (error) {
      if (isPassing(error)) return;
      seen = mark;
      log.error("auth.tokens.refused", { error, ...hintOf(error) });
      held.take([]);
    }
  }

  const stop = startLooking(home, look, lookMs);
  look();
  return { find: held.find, look, close: stop };
}

function hold(entry: TokenEntry): Held {
  const revocation = new AbortController();
  return {
    digest: Buffer.from(entry.hash, "hex"),
    principal: principalOf(entry, revocation.signal),
    revocation,
    text: textOf(entry),
    expiresAtMs: expiresAtOf(entry),
  };
}

/** Whom a token of this entry speaks for. */
export function principalOf(entry: TokenEntry, revoked: AbortSignal): Principal {
  const { name, permissions, profiles, effects, tools } = entry;
  return {
    id: `token:${name}`,
    name,
    permissions: new Set(permissions),
    ...(profiles !== undefined && { profiles: new Set(profiles) }),
    ...(effects !== undefined && { effects: new Set(effects) }),
    ...(tools !== undefined && { tools }),
    revoked,
  };
}

function textOf({ hash, permissions, profiles, effects, tools, expiresAt }: TokenEntry): string {
  const lists = [permissions, profiles, effects, tools].map((list) => list?.toSorted());
  return JSON.stringify([hash, ...lists, expiresAt]);
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
