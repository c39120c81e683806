/**
 * Something scarce, shared between principals: places in the sandbox, held calls, sessions, connections, sockets. The last places
 * are kept for principals that hold none, so whatever one of them takes, each other one can begin something. Where there is one
 * principal alone, as over stdio, the reserve is never touched and the limit is the limit.
 */
export interface ShareLimits {
  /** How many may be held by those who hold one already. */
  readonly countMax: number;
  /** On top of that, for those who hold none. */
  readonly reservedCount: number;
}

export class Share {
  readonly #limits: ShareLimits;
  /** By principal; who holds none is not here. */
  readonly #held = new Map<string, number>();
  #count = 0;

  constructor(limits: ShareLimits) {
    this.#limits = limits;
  }

  /** Held by all together. */
  get count(): number {
    return this.#count;
  }

  heldBy(owner: string): number {
    return this.#held.get(owner) ?? 0;
  }

  mayTake(owner: string): boolean {
    const { countMax, reservedCount } = this.#limits;
    return this.#count < (this.#held.has(owner) ? countMax : countMax + reservedCount);
  }

  /** Whether there was one left for this owner, which gives it back when it is done. */
  take(owner: string): boolean {
    if (!this.mayTake(owner)) return false;
    this.#held.set(owner, this.heldBy(owner) + 1);
    this.#count++;
    return true;
  }

  giveBack(owner: string): void {
    const held = this.heldBy(owner);
    if (held === 0) return;
    if (held === 1) this.#held.delete(owner);
    else this.#held.set(owner, held - 1);
    this.#count--;
  }

  /** Why this owner gets no more of `what`, in a sentence for its client. */
  explain(owner: string, what: string): string {
    const { countMax, reservedCount } = this.#limits;
    const total = countMax + reservedCount;
    const own = this.heldBy(owner);
    if (own === 0) return `All ${total} ${what} are in use by other clients.`;
    return `This client has used up its share of the ${total} ${what}: it holds ${own}, other clients hold ${this.#count - own}, and the last ${reservedCount} are kept for clients that hold none.`;
  }
}
