/** Lets one through at a time, in the order in which they came. */
export class Turnstile {
  #last: Promise<void> = Promise.resolve();

  /** Resolves when everybody before has left; call what it gives to leave. */
  async enter(): Promise<() => void> {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    await before;
    return resolve;
  }
}
