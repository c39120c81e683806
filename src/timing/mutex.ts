/** Lets one holder in at a time, in the order of asking. */
export class Mutex {
  #last: Promise<void> = Promise.resolve();

  /** Resolves when everything before has released it; call what it gives to release it. */
  async acquire(): Promise<() => void> {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    await before;
    return resolve;
  }

  /** Does the work when everything before it has ended, well or not. The result, or the failure, is the work's own. */
  run<T>(work: () => T | Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.then(ignore, ignore);
    return result;
  }

  /** Resolves when everything that was asked for until now has ended. */
  async settle(): Promise<void> {
    await this.#last;
  }
}

function ignore(): void {}
