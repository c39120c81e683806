/** A person pressed Ctrl-C at a question. The command ends there; the message says what was not done. */
export class Interrupted extends Error {
  constructor(message: string) {
    super(message);
    this.name = "Interrupted";
  }
}
