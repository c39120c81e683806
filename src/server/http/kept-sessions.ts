/**
 * The rows of this replica's sessions: written when a session begins and when its client changes a setting, touched by the
 * tick, removed when it ends. No request waits for any of it. A row that could not be written is written with a later
 * tick; until then a session ends with its replica, as it does without a shared store.
 */
import { createHash, randomBytes } from "node:crypto";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import type { JsonObject } from "../../core/json.ts";
import type { Log } from "../../core/log.ts";
import type { Principal } from "../../core/principal.ts";
import type { SessionStore, StoredSession } from "../../core/replica-store.ts";
import { KEEP_ALIVE_MS, SESSION_IDLE_MS } from "./limits.ts";
import type { HttpSession } from "./session.ts";

/** Clients say who they are in a few hundred bytes. A session that was begun with more ends with its replica. */
const INITIALIZE_BYTES_MAX = 64 * 1024;
/** Subscriptions that are restored; more of them, and longer ones, the client makes again when it notices. */
const URI_COUNT_MAX = 256;
const URI_LENGTH_MAX = 2_048;
/** Rows of sessions that no replica has had for so long: their clients have gone. */
const ROW_IDLE_MS = 2 * SESSION_IDLE_MS;
const TICKS_BETWEEN_SWEEPS = Math.round(SESSION_IDLE_MS / KEEP_ALIVE_MS);
const ID = /^([\w-]{1,64})\.[\w-]{32}$/;

/** What a client has set since it began. */
export interface SessionSettings {
  readonly level?: string;
  readonly uris: readonly string[];
}

export interface KeptSessionsDeps {
  readonly store: SessionStore;
  readonly ownId: string;
  readonly profile: string | null;
  readonly log: Log;
}

interface Kept {
  readonly row: Omit<StoredSession, "settings">;
  level: string | undefined;
  readonly uris: Set<string>;
  isWritten: boolean;
  isDirty: boolean;
  writing: Promise<void> | undefined;
}

export class KeptSessions {
  readonly #deps: KeptSessionsDeps;
  readonly #kept = new Map<HttpSession, Kept>();
  #tickCount = 0;

  constructor(deps: KeptSessionsDeps) {
    this.#deps = deps;
  }

  newId(): string {
    return `${this.#deps.ownId}.${newSecret()}`;
  }

  /** From now on other replicas can go on with it. */
  keep(session: HttpSession, name: string, initialize: JsonObject): void {
    if (JSON.stringify(initialize).length > INITIALIZE_BYTES_MAX) return;
    const { ownId: replica, profile } = this.#deps;
    const principal = session.principal?.id ?? null;
    const idHash = hashOf(session.sessionId);
    const row = { idHash, replica, principal, profile, initialize, session: name };
    this.#save(this.#add(session, row, { uris: [] }));
  }

  /** The row of another replica's session, if this principal may go on with it here. */
  async find(id: string, principal: Principal | undefined): Promise<StoredSession | undefined> {
    const row = await this.#deps.store.find(hashOf(id));
    const isOwn = row?.principal === (principal?.id ?? null) && row.profile === this.#deps.profile;
    return isOwn ? row : undefined;
  }

  /** Whether the session is this replica's now; false where another was faster. */
  adopt({ idHash, replica }: StoredSession): Promise<boolean> {
    return this.#deps.store.adopt(idHash, replica, this.#deps.ownId);
  }

  /** Goes on with the row of a session that was adopted; says what is to be restored. */
  resume(session: HttpSession, { settings, ...row }: StoredSession): SessionSettings {
    const restored = settingsOf(settings);
    this.#add(session, { ...row, replica: this.#deps.ownId }, restored).isWritten = true;
    return restored;
  }

  /** Sees each message of a client, and keeps what it sets. */
  note(session: HttpSession, message: JSONRPCMessage): void {
    if (!("method" in message) || !SETTINGS.has(message.method)) return;
    const kept = this.#kept.get(session);
    if (kept !== undefined && applies(kept, message.method, message.params ?? {})) this.#save(kept);
  }

  /** It has ended, or is another replica's, which removes nothing. */
  async end(session: HttpSession): Promise<void> {
    const kept = this.#forget(session);
    if (kept === undefined) return;
    kept.isDirty = false;
    await kept.writing;
    if (!kept.isWritten) return;
    const { store, ownId, log } = this.#deps;
    await store
      .remove(kept.row.idHash, ownId)
      .catch((error: unknown) => log.warn("session.row.failed", { error }));
  }

  /** Another replica goes on with it: its row stays. */
  release(session: HttpSession): void {
    this.#forget(session);
  }

  /** The gateway ends and its sessions do not: their rows stay for other replicas. */
  async handOver(): Promise<void> {
    const writing = [...this.#kept.values()].flatMap((kept) => kept.writing ?? []);
    this.#kept.clear();
    await Promise.all(writing);
  }

  /** Says that the sessions are in use; returns those that another replica has adopted meanwhile, and forgets them. */
  async tick(): Promise<HttpSession[]> {
    const { store, ownId, log } = this.#deps;
    const written = new Map<string, HttpSession>();
    for (const [session, kept] of this.#kept) {
      if (kept.isDirty) this.#save(kept);
      else if (kept.isWritten) written.set(kept.row.idHash, session);
    }
    try {
      if (++this.#tickCount % TICKS_BETWEEN_SWEEPS === 0) await store.removeIdle(ROW_IDLE_MS);
      if (written.size === 0) return [];
      const lost = (await store.touch(ownId, [...written.keys()])).map((idHash) => written.get(idHash)!);
      return lost.filter((session) => this.#forget(session) !== undefined);
    } catch (error) {
      log.warn("session.touch.failed", { error });
      return [];
    }
  }

  #add(session: HttpSession, row: Kept["row"], { level, uris }: SessionSettings): Kept {
    const kept = { row, level, uris: new Set(uris), isWritten: false, isDirty: false, writing: undefined };
    this.#kept.set(session, kept);
    return kept;
  }

  #forget(session: HttpSession): Kept | undefined {
    const kept = this.#kept.get(session);
    this.#kept.delete(session);
    return kept;
  }

  #save(kept: Kept): void {
    kept.isDirty = true;
    kept.writing ??= this.#write(kept).finally(() => (kept.writing = undefined));
  }

  async #write(kept: Kept): Promise<void> {
    const { store, log } = this.#deps;
    while (kept.isDirty) {
      kept.isDirty = false;
      const { row, level, uris } = kept;
      const settings = { ...(level !== undefined && { level }), uris: [...uris] };
      try {
        // One that another replica has adopted is found out by the next touch.
        await store.put({ ...row, settings });
        kept.isWritten = true;
      } catch (error) {
        log.warn("session.row.failed", { error });
        kept.isDirty = true;
        return;
      }
    }
  }
}

/** The replica that has made an id; undefined where none has. */
export function replicaOf(id: string): string | undefined {
  return ID.exec(id)?.[1];
}

/** Nobody guesses it. */
export function newSecret(): string {
  return randomBytes(24).toString("base64url");
}

function hashOf(id: string): string {
  return createHash("sha256").update(id).digest("hex");
}

const SETTINGS: ReadonlySet<string> = new Set([
  "logging/setLevel",
  "resources/subscribe",
  "resources/unsubscribe",
]);

/** Whether the row has to be written again. Also what a server refuses is kept: it is refused again when it is restored. */
function applies(kept: Kept, method: string, params: Readonly<Record<string, unknown>>): boolean {
  const { level, uri } = params;
  if (method === "logging/setLevel") {
    if (typeof level !== "string" || level === kept.level || level.length > URI_LENGTH_MAX) return false;
    kept.level = level;
    return true;
  }
  if (typeof uri !== "string" || uri.length > URI_LENGTH_MAX) return false;
  if (method === "resources/unsubscribe") return kept.uris.delete(uri);
  if (kept.uris.has(uri) || kept.uris.size >= URI_COUNT_MAX) return false;
  kept.uris.add(uri);
  return true;
}

function settingsOf({ level, uris }: JsonObject): SessionSettings {
  const texts = Array.isArray(uris) ? uris.filter((uri) => typeof uri === "string") : [];
  return { uris: texts, ...(typeof level === "string" && { level }) };
}
