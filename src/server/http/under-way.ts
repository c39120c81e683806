import type { Visit } from "./visit.ts";

/** The requests that have no answer yet, for whoever ends the gateway and lets them have one. */
export class UnderWay {
  readonly #visits = new Set<Visit>();
  #settle: (() => void) | undefined;

  add(visit: Visit): void {
    this.#visits.add(visit);
  }

  delete(visit: Visit): void {
    this.#visits.delete(visit);
    if (this.#settle !== undefined && !this.#isAwaited()) this.#settle();
  }

  /** Resolves when all are answered, at the latest after so long. */
  async answered(limitMs: number): Promise<void> {
    if (!this.#isAwaited()) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#settle = resolve;
    const timer = setTimeout(resolve, limitMs);
    await promise;
    clearTimeout(timer);
  }

  /** Streams that only listen end with the gateway and have no answer. */
  #isAwaited(): boolean {
    return [...this.#visits].some(
      ({ requestId, method }) => requestId !== undefined && method !== "subscriptions/listen",
    );
  }
}
