/** One attempt serves everyone who asks while it is under way; the first to ask after its end starts the next. */
export class SingleFlight<T> {
  #underWay: Promise<T> | undefined;

  get underWay(): Promise<T> | undefined {
    return this.#underWay;
  }

  run(attempt: () => Promise<T>): Promise<T> {
    this.#underWay ??= attempt().finally(() => (this.#underWay = undefined));
    return this.#underWay;
  }
}
