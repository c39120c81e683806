/** An operation that cannot be a tool; the message says why, as the end of "left out: …". */
export class Unusable extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "Unusable";
  }
}
