/**
 * A child process as a transport.
 *
 * It ends once, in this order: the process exits, for whatever reason; the rest of its group is killed; what is still
 * in the pipes is read; `exit` settles and `onclose` is called. A process that left the group may hold a pipe open for
 * ever, so the reading ends also when nothing has come for a moment.
 */
import type { ChildProcess } from "node:child_process";
import type { Socket } from "node:net";
import type { Log } from "../../core/log.ts";
import type { JsonRpcMessage, SendOptions, Transport } from "../transport/transport.ts";
import { isIsolated, signalGroup, releaseStreams, whenDrained } from "../../process/launch.ts";
import { LineReader } from "./line-reader.ts";
import { Outbox, type OutboxLimits } from "./outbox.ts";
import { ProcessError } from "./process-error.ts";
import { describeExit, readExit, readWrappedExit, type ProcessExit } from "./process-exit.ts";
import { StderrRing } from "../../process/stderr-ring.ts";
import { within } from "../../timing/deadline.ts";

export interface ProcessLimits extends OutboxLimits {
  readonly lineBytesMax: number;
  readonly stderrBytesMax: number;
  readonly graceMs: number;
  /**
   * Between SIGTERM and SIGKILL, for a process that has not sent a message yet: it may be installing what it is to run.
   */
  readonly startGraceMs: number;
}

/** What a message about a failed server shows. */
const TAIL_LINE_COUNT = 20;

export class RunningProcess implements Transport {
  readonly pid: number | undefined;
  readonly exit: Promise<ProcessExit>;
  onmessage?: Transport["onmessage"];
  onunusable?: Transport["onunusable"];
  onclose?: Transport["onclose"];
  endReason?: string;
  onerror?: Transport["onerror"];

  readonly #child: ChildProcess;
  readonly #limits: ProcessLimits;
  readonly #log: Log;
  readonly #stdin: Socket;
  readonly #stdout: Socket;
  readonly #stderr: Socket;
  readonly #outbox: Outbox;
  readonly #lines: LineReader;
  readonly #ring: StderrRing;
  readonly #ended = Promise.withResolvers<ProcessExit>();
  #hasStarted = false;
  #hasExited = false;
  #hasSpoken = false;
  #stderrAt: number | undefined;
  #stopping: Promise<void> | undefined;

  constructor(child: ChildProcess, limits: ProcessLimits, log: Log) {
    this.#child = child;
    this.#limits = limits;
    this.#log = log;
    this.#stdin = child.stdin as Socket;
    this.#stdout = child.stdout as Socket;
    this.#stderr = child.stderr as Socket;
    this.pid = child.pid;
    this.exit = this.#ended.promise;
    this.#outbox = new Outbox(this.#stdin, limits);
    this.#ring = new StderrRing(limits.stderrBytesMax);
    this.#lines = new LineReader(limits.lineBytesMax, {
      onmessage: (message) => this.#receive(message),
      onoversize: (id) => this.#reportOversize(id),
      onendless: () => this.#stopEndlessLine(),
    });
    this.#watch();
  }

  /** Begins to read. What came before waits in the pipe; a second call changes nothing. */
  async start(): Promise<void> {
    if (this.#hasExited) throw new ProcessError("PROCESS_CLOSED", describeExit(await this.exit));
    if (this.#hasStarted) return;
    this.#hasStarted = true;
    this.#stdout.on("data", (chunk: Buffer) => this.#lines.push(chunk));
  }

  send(message: JsonRpcMessage, options?: SendOptions): Promise<void> {
    return this.#outbox.send(message, options?.requestSignal, options?.together);
  }

  close(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  stderrTail(lineCount: number = TAIL_LINE_COUNT, redact?: (text: string) => string): string[] {
    return this.#ring.tail(lineCount, redact);
  }

  stderrAt(): number | undefined {
    return this.#stderrAt;
  }

  counts(): { noise: number; oversize: number } {
    return { noise: this.#lines.noiseCount, oversize: this.#lines.oversizeCount };
  }

  #watch(): void {
    this.#child.once("exit", (code, signal) => void this.#end(code, signal));
    // A kill that the system refuses arrives here; there is nothing left to do about it.
    this.#child.on("error", (error) => this.onerror?.(error));
    this.#stderr.on("data", (chunk: Buffer) => {
      this.#stderrAt = performance.now();
      this.#ring.push(chunk);
    });
    this.#stdin.on("error", (error) => this.#loseInput(error));
    for (const output of [this.#stdout, this.#stderr]) output.on("error", (error) => this.onerror?.(error));
  }

  #receive(message: JsonRpcMessage): void {
    this.#hasSpoken = true;
    try {
      this.onmessage?.(message);
    } catch (error) {
      // Thrown on, it would take the gateway down for the sake of one message.
      this.#report(new ProcessError("PROCESS_RECEIVER_FAILED", "A message could not be handled.", error));
    }
  }

  #reportOversize(id: string | number | undefined): void {
    const { lineBytesMax } = this.#limits;
    const problem = `it is longer than ${lineBytesMax} bytes, which is the limit`;
    if (id !== undefined) this.onunusable?.(id, { reason: "answer_too_large", problem });
    const text = `The server wrote a line longer than ${lineBytesMax} bytes, which is the limit; it was skipped.`;
    this.#report(new ProcessError("PROCESS_LINE_TOO_LONG", text));
  }

  /** It does not listen while it writes, so it is not asked to end. */
  #stopEndlessLine(): void {
    const { lineBytesMax } = this.#limits;
    this.endReason = `it wrote a line far longer than ${lineBytesMax} bytes, which is the limit, and was stopped`;
    this.#report(new ProcessError("PROCESS_LINE_TOO_LONG", `The server was stopped: ${this.endReason}.`));
    this.#stdout.pause();
    signalGroup(this.#child, "SIGKILL");
  }

  #report(error: ProcessError): void {
    this.#log.warn("process.odd", { pid: this.pid, code: error.code, message: error.message });
    this.onerror?.(error);
  }

  /** The server closed its stdin or is about to end; answers to earlier messages may still come. */
  #loseInput(cause: Error): void {
    this.#outbox.close(new ProcessError("PROCESS_CLOSED", "The server has closed its stdin.", cause));
  }

  async #end(code: number | null, signal: NodeJS.Signals | null): Promise<void> {
    this.#hasExited = true;
    signalGroup(this.#child, "SIGKILL");
    this.#outbox.close(new ProcessError("PROCESS_CLOSED", describeExit(readExit(code, signal, false))));
    await whenDrained(this.#child, [this.#stdout, this.#stderr]);
    releaseStreams(this.#child);
    const read = readExit(code, signal, this.#stdout.bytesRead === 0);
    const own = isIsolated(this.#child) ? readWrappedExit(read) : read;
    const exit: ProcessExit =
      this.endReason === undefined ? own : { kind: "stopped", reason: this.endReason };
    this.#log.debug("process.ended", { pid: this.pid, ...exit, ...this.counts() });
    this.#ended.resolve(exit);
    this.#tellClosed();
  }

  #tellClosed(): void {
    try {
      this.onclose?.();
    } catch (error) {
      this.#report(
        new ProcessError("PROCESS_RECEIVER_FAILED", "The end of the process could not be handled.", error),
      );
    }
  }

  /**
   * Asks first by the end of stdin, then by SIGTERM, and at last does not ask. What has not said a word yet may be an
   * installer, which does not read stdin: it is asked by SIGTERM at once, and has longer to clean up.
   */
  async #stop(): Promise<void> {
    if (!this.#hasExited) {
      const { graceMs, startGraceMs } = this.#limits;
      this.#outbox.close(new ProcessError("PROCESS_CLOSED", "The server is being stopped."));
      this.#stdin.end();
      if (!this.#hasSpoken || !(await this.#exitsWithin(graceMs))) signalGroup(this.#child, "SIGTERM");
      const isGone = await this.#exitsWithin(this.#hasSpoken ? graceMs : startGraceMs);
      if (!isGone) signalGroup(this.#child, "SIGKILL");
    }
    await this.exit;
  }

  async #exitsWithin(ms: number): Promise<boolean> {
    await within(this.exit, ms);
    return this.#hasExited;
  }
}
