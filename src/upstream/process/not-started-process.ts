import type { Transport } from "../transport/transport.ts";
import { ProcessError } from "./process-error.ts";
import { describeExit, type NotStarted, type ProcessExit } from "./process-exit.ts";

/** Takes the place of a process that could not be started: it is closed from the beginning, and says why. */
export class NotStartedProcess implements Transport {
  readonly pid = undefined;
  readonly exit: Promise<ProcessExit>;
  onmessage?: Transport["onmessage"];
  onclose?: Transport["onclose"];
  onerror?: Transport["onerror"];
  #wasClosed = false;

  constructor(why: Promise<NotStarted>) {
    this.exit = why.then(({ cause, reason }) => ({ kind: "not_started", cause, reason }));
  }

  async start(): Promise<void> {
    await this.close();
    await this.#refuse();
  }

  async send(): Promise<void> {
    await this.#refuse();
  }

  async close(): Promise<void> {
    await this.exit;
    if (this.#wasClosed) return;
    this.#wasClosed = true;
    this.onclose?.();
  }

  stderrTail(): string[] {
    return [];
  }

  stderrAt(): undefined {
    return undefined;
  }

  counts(): { noise: number; oversize: number } {
    return { noise: 0, oversize: 0 };
  }

  async #refuse(): Promise<never> {
    throw new ProcessError("PROCESS_NOT_STARTED", describeExit(await this.exit));
  }
}
