/**
 * The legacy clients of one gateway, by session id. An id is random and belongs to the principal that opened it: for
 * any other it does not exist. Sessions live in memory. After a restart an id is unknown, which tells a client to open
 * a new one; with a shared store, another replica goes on with it from its row.
 */
import type { Log } from "../../core/log.ts";
import type { Principal } from "../../core/principal.ts";
import { Share } from "../../timing/share.ts";
import { KEEP_ALIVE_MS, SESSION_COUNT_MAX, SESSION_IDLE_MS, SESSION_RESERVED_COUNT } from "./limits.ts";
import { newSecret, type KeptSessions } from "./kept-sessions.ts";
import { HttpSession } from "./session.ts";

export class Sessions {
  readonly #byId = new Map<string, HttpSession>();
  readonly #share = new Share({ countMax: SESSION_COUNT_MAX, reservedCount: SESSION_RESERVED_COUNT });
  readonly #log: Log;
  readonly #now: () => number;
  readonly #kept: KeptSessions | undefined;
  readonly #timer: NodeJS.Timeout;

  constructor(log: Log, now: () => number = () => performance.now(), kept?: KeptSessions) {
    this.#log = log;
    this.#now = now;
    this.#kept = kept;
    this.#timer = setInterval(() => this.tick(), KEEP_ALIVE_MS);
    this.#timer.unref();
  }

  get count(): number {
    return this.#byId.size;
  }

  /** Undefined when all that the principal may have are in use. With the id of another replica's, it goes on as that. */
  open(principal: Principal | undefined, adoptedId?: string): HttpSession | undefined {
    const owner = ownerOf(principal);
    if (!this.#share.mayTake(owner)) this.#endIdlest(owner);
    if (!this.#share.take(owner)) return undefined;
    const session = new HttpSession({
      id: adoptedId ?? this.#kept?.newId() ?? newSecret(),
      principal,
      isAdopted: adoptedId !== undefined,
      log: this.#log,
      now: this.#now,
    });
    this.#byId.set(session.sessionId, session);
    const end = (): void => void session.close();
    principal?.revoked.addEventListener("abort", end, { once: true });
    session.gone.addEventListener("abort", () => {
      principal?.revoked.removeEventListener("abort", end);
      this.#byId.delete(session.sessionId);
      this.#share.giveBack(owner);
      void this.#kept?.end(session);
    });
    return session;
  }

  /** Why `open` gave none. */
  explain(principal: Principal | undefined): string {
    return this.#share.explain(ownerOf(principal), "sessions");
  }

  find(id: string, principal: Principal | undefined): HttpSession | undefined {
    const session = this.#byId.get(id);
    return session?.principal?.id === principal?.id ? session : undefined;
  }

  /** Whether there is one, whoever's it is. */
  has(id: string): boolean {
    return this.#byId.has(id);
  }

  /** Ends what was idle too long, and keeps the streams of the others alive. */
  tick(): void {
    for (const session of this.#byId.values()) {
      if (session.idleMs > SESSION_IDLE_MS) void session.close();
      else session.keepAlive();
    }
    if (this.#kept !== undefined) void this.#leaveAdopted(this.#kept);
  }

  /** With `isHandedOver`, other replicas go on with the sessions; without it they end for good. */
  async close({ isHandedOver = false } = {}): Promise<void> {
    clearInterval(this.#timer);
    if (isHandedOver) await this.#kept?.handOver();
    await Promise.all([...this.#byId.values()].map((session) => session.close()));
  }

  /** This replica was taken for dead, and another goes on with what it had. */
  async #leaveAdopted(kept: KeptSessions): Promise<void> {
    for (const session of await kept.tick()) await session.close();
  }

  /** A principal with sessions makes room among its own; for one without, another gives up its idlest. */
  #endIdlest(owner: string): void {
    const isOwn = this.#share.heldBy(owner) > 0;
    const idle = [...this.#byId.values()].filter(
      ({ idleMs, principal }) => idleMs > 0 && (!isOwn || ownerOf(principal) === owner),
    );
    const idlest = idle.reduce<HttpSession | undefined>(
      (most, session) => (most === undefined || session.idleMs > most.idleMs ? session : most),
      undefined,
    );
    void idlest?.close();
  }
}

function ownerOf(principal: Principal | undefined): string {
  return principal?.id ?? "";
}
