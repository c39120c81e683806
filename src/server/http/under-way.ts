import type { HttpCall } from "./http-call.ts";

/** The requests that have no answer yet, so that the end of the gateway can wait for them. */
export class UnderWay {
  readonly #calls = new Set<HttpCall>();
  #settle: (() => void) | undefined;

  add(call: HttpCall): void {
    this.#calls.add(call);
  }

  delete(call: HttpCall): void {
    this.#calls.delete(call);
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
    return [...this.#calls].some(
      ({ requestId, method }) => requestId !== undefined && method !== "subscriptions/listen",
    );
  }
}
