/**
 * The connection to a server: opened when it is needed, by one attempt for all who need it, and opened again after a
 * loss.
 *
 * - A caller that comes during an attempt waits for that attempt; a caller that gives up does not end it. The attempt
 *   ends by its own limit (see `start-limit.ts`), or when the connection is closed.
 * - A connection that is lost counts as a failure. The next need makes a new one, unless there were too many failures
 *   (see `breaker.ts`): then the need fails at once and says when it is tried again.
 * - What an old connection still has to say about its end never touches the one that came after it.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../../core/clock.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Log } from "../../core/log.ts";
import { escapeUnprintable, withoutColours } from "../../text/printable.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import { lastLineOf, reportStarting, startPatienceMs, stillStarting } from "../../process/starting.ts";
import type { ToolError } from "../../core/errors.ts";
import type { CallContext, Starting } from "../../core/tool.ts";
import { createBreaker, type Breaker } from "./breaker.ts";
import { connect, type OpenConnection, type ConnectDeps, type Loss } from "./connect.ts";
import type { Era } from "./handshake.ts";
import type { ServerProcess } from "../process/server-process.ts";
import type { UpstreamConfig } from "../upstream-config.ts";
import { SingleFlight } from "../../timing/single-flight.ts";
import type { FailureCause } from "../failure-cause.ts";
import { cut } from "../../text/cut.ts";

/** A call waits so long for the next attempt; beyond that it is better told to come back. */
const PATIENCE_MS = 1_000;
/** The last of them may be empty. */
const STDERR_LINES = 5;
/** Up for so long, a server has made up for its earlier failures. */
const WELL_MS = 10_000;

export interface ConnectionDeps extends Pick<
  ConnectDeps,
  "clientInfo" | "openTransport" | "redact" | "onRequest" | "onNotification"
> {
  readonly log: Log;
  readonly clock: Clock;
  readonly health: Health;
  readonly prefersModern: () => boolean;
  /** How long a caller without a deadline waits for a start. */
  readonly startWaitMs?: number | undefined;
  readonly clientCapabilities: (context: CallContext) => JsonObject;
  /** A connection is open, before anybody uses it. */
  readonly onOpen: (connection: OpenConnection) => void;
  /** It is gone, lost or given up. */
  readonly onGone: () => void;
}

/** Without secrets: it goes to clients, to the log and to people. */
export interface LastError extends Loss {
  readonly at: number;
}

/**
 * What is known of a server from all its connections: one that fails on one of them is not tried on the next at once.
 */
export interface Health {
  readonly breaker: Breaker;
  lastError: LastError | undefined;
  /** Of the newest session. */
  era: Era | undefined;
  /** Whether the server has opened a session in that era since it last failed to open one. */
  isEraSure: boolean;
}

export function createHealth(clock: Clock, random: (() => number) | undefined): Health {
  return { breaker: createBreaker(clock, random), lastError: undefined, era: undefined, isEraSure: false };
}

export class Connection {
  readonly #config: UpstreamConfig;
  readonly #deps: ConnectionDeps;
  #current: OpenConnection | undefined;
  readonly #connecting = new SingleFlight<ToolResult<OpenConnection>>();
  #connectingSince = 0;
  #starting: ServerProcess | undefined;
  /** What failed to start and has not ended yet. */
  #ending: Promise<void> = Promise.resolve();
  #wellTimer: NodeJS.Timeout | undefined;
  readonly #unwanted = new AbortController();
  #closed = false;

  constructor(config: UpstreamConfig, deps: ConnectionDeps) {
    this.#config = config;
    this.#deps = deps;
  }

  get current(): OpenConnection | undefined {
    return this.#current;
  }

  get isConnecting(): boolean {
    return this.#connecting.underWay !== undefined;
  }

  /** Of a process that runs and has not finished its handshake. */
  starting(): Starting | undefined {
    if (this.#starting === undefined) return undefined;
    const forMs = performance.now() - this.#connectingSince;
    const said = lastLineOf(this.#starting.stderrTail(STDERR_LINES, this.#deps.redact));
    return said === undefined ? { forMs } : { forMs, said };
  }

  /** The last lines that its process wrote to stderr, without secrets; none where no process runs. */
  stderrTail(lineCount: number): readonly string[] {
    const process = this.#current?.process ?? this.#starting;
    return process?.stderrTail(lineCount, this.#deps.redact) ?? [];
  }

  async open(context: CallContext): Promise<ToolResult<OpenConnection>> {
    if (this.#closed) return this.#removed();
    const connecting = this.#connecting.run(() =>
      this.#connect(context).finally(() => (this.#starting = undefined)),
    );
    const { promise, resolve } = Promise.withResolvers<ToolResult<OpenConnection>>();
    const giveUp = (): void => resolve(fail("CANCELLED", "The call was cancelled."));
    const timer = setTimeout(() => resolve(this.#stillStarting()), this.#patienceMs(context));
    const stopReports = reportStarting(context, () => this.starting());
    context.signal.addEventListener("abort", giveUp, { once: true });
    try {
      return await Promise.race([connecting, promise]);
    } finally {
      clearTimeout(timer);
      stopReports();
      context.signal.removeEventListener("abort", giveUp);
    }
  }

  /** This connection has failed; another one is not touched. */
  lose(connection: OpenConnection | undefined, loss: Loss, isBroken = true): void {
    if (connection === undefined || this.#current !== connection) return;
    this.#drop();
    this.#fail(loss, isBroken);
  }

  /** Gives the connection up, which is no failure. */
  async disconnect(): Promise<void> {
    const connection = this.#current;
    this.#drop();
    await connection?.peer.close();
  }

  /**
   * For good. A start that is under way ends, unless it is to be let finish: a caller that goes must not break off a
   * download.
   */
  async close({ finishStart = false } = {}): Promise<void> {
    this.#closed = true;
    if (!finishStart) this.#unwanted.abort();
    await this.#connecting.underWay;
    await this.disconnect();
    await this.#ending;
  }

  #patienceMs(context: CallContext): number {
    const { clock, startWaitMs } = this.#deps;
    const { callTimeoutMs } = this.#config;
    return startPatienceMs(context, { elapsedMs: clock.elapsed(), startWaitMs, callTimeoutMs });
  }

  #stillStarting(): ToolResult<never> {
    const forMs = performance.now() - this.#connectingSince;
    return stillStarting(this.#config.id, this.starting() ?? { forMs });
  }

  #drop(): void {
    this.#current = undefined;
    clearTimeout(this.#wellTimer);
    this.#deps.onGone();
  }

  async #connect(context: CallContext): Promise<ToolResult<OpenConnection>> {
    this.#connectingSince = performance.now();
    const waitMs = this.#deps.health.breaker.waitMs();
    if (waitMs > PATIENCE_MS) return this.#unavailable();
    if (waitMs > 0) await sleep(waitMs);
    await this.#ending;
    if (this.#closed) return this.#removed();
    const { health, prefersModern } = this.#deps;
    let opened: OpenConnection | undefined;
    const outcome = await connect(this.#config, {
      ...this.#deps,
      clientCapabilities: this.#deps.clientCapabilities(context),
      lastEra: health.era ?? (prefersModern() ? "modern" : undefined),
      isEraSure: health.isEraSure,
      signal: this.#unwanted.signal,
      onStarted: (process) => (this.#starting = process),
      onLost: (loss) => this.lose(opened, loss),
    });
    if (outcome.kind === "failed") {
      const { error, ended } = outcome;
      this.#ending = ended;
      if (this.#closed) return this.#removed();
      health.isEraSure = false;
      this.#fail(outcome, error === undefined);
      return error === undefined ? this.#unavailable() : { success: false, error: this.#redacted(error) };
    }
    opened = outcome.connection;
    return this.#adopt(opened);
  }

  #adopt(connection: OpenConnection): ToolResult<OpenConnection> {
    if (this.#closed) {
      void connection.peer.close().catch(() => {});
      return this.#removed();
    }
    const { era, protocolVersion } = connection.session;
    this.#current = connection;
    this.#deps.health.era = era;
    this.#deps.health.isEraSure = true;
    this.#wellTimer = setTimeout(() => this.#deps.health.breaker.reset(), WELL_MS);
    this.#wellTimer.unref();
    this.#deps.onOpen(connection);
    const { process, connectMs } = connection;
    this.#deps.log.info("upstream.connected", {
      server: this.#config.id,
      era,
      protocolVersion,
      ...(process?.pid !== undefined && { pid: process.pid }),
      connectMs: Math.round(connectMs),
    });
    return succeed(connection);
  }

  /**
   * A server that said why it refuses (it needs a login, it is too busy) is not broken: the next call asks it again.
   */
  #fail({ reason: said, cause, stderr, crash }: Loss, isBroken = true): void {
    const { health } = this.#deps;
    if (isBroken) health.breaker.recordFailure();
    const reason = this.#deps.redact(said);
    health.lastError = {
      reason: reason.replace(/\.$/, ""),
      cause,
      stderr,
      crash,
      at: this.#deps.clock.now(),
    };
    this.#deps.log.warn("upstream.failed", {
      server: this.#config.id,
      reason,
      cause,
      stderr: stderr.slice(-5),
    });
  }

  /** A server's own words may be in it. */
  #redacted({ message, ...error }: ToolError): ToolError {
    return { ...error, message: this.#deps.redact(message) };
  }

  #removed(): ToolResult<never> {
    return fail("TOOL_UNAVAILABLE", `The server ${this.#config.id} was removed.`, { retryable: false });
  }

  #unavailable(): ToolResult<never> {
    const { lastError, breaker } = this.#deps.health;
    const { reason = "it is not connected", stderr = [], crash, cause } = lastError ?? {};
    const seconds = Math.ceil(breaker.waitMs() / 1000);
    const said =
      stderr.length === 0 || crash !== undefined
        ? ""
        : ` It said: ${cut(
            stderr
              .slice(-3)
              .map((line) => escapeUnprintable(withoutColours(line)).trim())
              .join(" | "),
            500,
          )}`;
    const again = `The gateway tries again ${seconds === 0 ? "with the next call" : `in ${seconds} s`}; the other servers are not affected.`;
    return fail("TOOL_UNAVAILABLE", `The server ${this.#config.id} is not available: ${reason}.${said}`, {
      ...(crash !== undefined && { reason: "crashed" }),
      ...(cause !== undefined && PERSONS_CAUSES.has(cause) && { reason: cause }),
      hint: hintForPerson(cause, this.#config.id) ?? crash?.hint ?? again,
    });
  }
}

/** What no caller cures by trying again. */
const PERSONS_CAUSES: ReadonlySet<FailureCause> = new Set([
  "integrity_changed",
  "bundle_changed",
  "no_isolation",
  "bad_isolation",
]);

function hintForPerson(cause: FailureCause | undefined, id: string): string | undefined {
  switch (cause) {
    case "integrity_changed":
      return `Its package may have been replaced: a person looks at it, and then runs: repertoire pin ${id}`;
    case "bundle_changed":
      return `Its files may have been replaced: a person looks at it, and adds it again with: repertoire add FILE --as ${id} --force`;
    case "no_isolation":
      return `It is never started without its sandbox. A person finds what is missing with: repertoire doctor`;
    case "bad_isolation":
      return `A person corrects "sandbox" of ${id} in the config, and asks: repertoire doctor --servers ${id}`;
    default:
      return undefined;
  }
}
