/** Connects to a server: opens a transport, puts a peer on it, and opens a session. */
import type { ToolError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Log } from "../../core/log.ts";
import { causeOfToolError, type FailureCause } from "../failure-cause.ts";
import { openSession, type Era, type Session } from "./handshake.ts";
import type { OpenedTransport, OpenTransport } from "../transport/open-transport.ts";
import { Peer, type AnswerToPeer, type Reply } from "./peer.ts";
import { findCrashCause, type CrashCause } from "../process/crash-cause.ts";
import type { ServerProcess } from "../process/server-process.ts";
import { StartLimit, TooLate } from "./start-limit.ts";
import type { UpstreamConfig } from "../upstream-config.ts";
import { within } from "../../timing/deadline.ts";

/** A live connection: the peer on its transport, and the session that was opened. */
export interface OpenConnection {
  readonly peer: Peer;
  readonly session: Session;
  readonly process: ServerProcess | undefined;
  /** How long start and handshake took. */
  readonly connectMs: number;
}

export type ConnectOutcome = { readonly kind: "connected"; readonly connection: OpenConnection } | Failed;

interface Failed extends Loss {
  readonly kind: "failed";
  /** What to tell the caller, if the transport knows it: the server needs a login, or is too busy. */
  readonly error?: ToolError;
  /** Settles when what was started has ended: until then nothing may be started in its place. */
  readonly ended: Promise<void>;
}

/** Why there is no connection any more, or none at all. */
export interface Loss {
  readonly reason: string;
  readonly cause: FailureCause;
  /** What the process said last, without secrets. */
  readonly stderr: readonly string[];
  /** Why the process ended, where it said so; the line is in the reason as well. */
  readonly crash?: CrashCause;
}

export interface ConnectDeps {
  readonly clientInfo: JsonObject;
  readonly clientCapabilities: JsonObject;
  readonly lastEra: Era | undefined;
  readonly isEraSure?: boolean;
  readonly log: Log;
  readonly openTransport: OpenTransport;
  /** Takes secrets out of what a server says: one that fails may print what it was given. */
  readonly redact: (text: string) => string;
  readonly onRequest: (method: string, params: JsonObject, signal: AbortSignal) => Promise<AnswerToPeer>;
  readonly onNotification: (method: string, params: JsonObject) => void;
  /** A process runs, and has not said anything yet. */
  readonly onStarted?: (process: ServerProcess) => void;
  /** Ends a start that is not wanted any more; callers that give up do not. */
  readonly signal?: AbortSignal;
  /** Called when a connection that was open has ended; never for one that did not open. */
  readonly onLost: (loss: Loss) => void;
}

/**
 * Never throws; a server that does not come up within the limit is stopped again, with its whole process tree.
 *
 * One that ends when it is asked, instead of refusing, may not know the era: it is started once more and asked in the
 * other one alone, or in the one that it had answered. Each start has the whole limit.
 */
export async function connect(config: UpstreamConfig, deps: ConnectDeps): Promise<ConnectOutcome> {
  const first = await connectOnce(config, deps);
  if (first.kind === "connected" || !first.hasEnded) return first;
  await first.ended;
  if (deps.signal?.aborted === true) return first;
  const lastEra = first.openedIn ?? (deps.lastEra === "modern" ? "legacy" : "modern");
  const second = await connectOnce(config, { ...deps, lastEra, isEraSure: true });
  // Most servers are legacy ones: what they say of `initialize` tells more.
  return second.kind === "connected" || lastEra === "legacy" ? second : first;
}

type OnceOutcome =
  | Extract<ConnectOutcome, { kind: "connected" }>
  /** `hasEnded`: by itself, while it was asked. */
  | (Failed & { readonly hasEnded: boolean; readonly openedIn?: Era });

async function connectOnce(config: UpstreamConfig, deps: ConnectDeps): Promise<OnceOutcome> {
  const startedAt = performance.now();
  let isOpen = false;
  let opened: OpenedTransport;
  try {
    opened = await deps.openTransport(config.transport, deps.log);
  } catch (error) {
    const reason = reasonOf(error);
    const ended = Promise.resolve();
    return { kind: "failed", reason, cause: "not_started", stderr: [], ended, hasEnded: false };
  }
  const { transport, process } = opened;
  if (process?.pid !== undefined) deps.onStarted?.(process);
  const peer = new Peer(transport, {
    onRequest: deps.onRequest,
    onNotification: deps.onNotification,
    onClose: () => {
      if (!isOpen) return;
      void describeEnd(process).then((end = CLOSED) =>
        deps.onLost(withLastWords(end, process, config, deps)),
      );
    },
  });
  /** Only a process can be in the way of the next one. */
  const close = (): Promise<void> => {
    const closed = peer.close().catch(() => {});
    return process === undefined ? Promise.resolve() : closed;
  };
  const { connectTimeoutMs: limitMs, startMsMax: longestMs = limitMs } = config;
  const lastSignAt = () => process?.stderrAt();
  const what = process === undefined ? "answer initialize" : "start";
  const limit = new StartLimit({ what, limitMs, longestMs, lastSignAt, signal: deps.signal });
  try {
    await limit.race(transport.start());
    // The limit of the start comes first.
    const timeoutMs = longestMs + QUESTION_SLACK_MS;
    const { signal: _unwanted, ...asking } = deps;
    const outcome = await limit.race(openSession(peer, { ...asking, timeoutMs }));
    if (outcome.kind === "open") {
      isOpen = true;
      transport.setProtocolVersion?.(outcome.session.protocolVersion);
      const connectMs = performance.now() - startedAt;
      return { kind: "connected", connection: { peer, session: outcome.session, process, connectMs } };
    }
    const isClosed = peer.isClosed;
    const failure = await failed(outcome, opened, config, deps);
    const isLost = isClosed && failure.cause === "lost";
    const hasEnded = failure.error === undefined && (failure.cause === "exited" || isLost);
    return { ...failure, ended: close(), hasEnded, openedIn: outcome.openedIn };
  } catch (error) {
    const cause = error instanceof TooLate ? "connect_timeout" : "lost";
    const failure = await failed({ reason: reasonOf(error), cause }, opened, config, deps);
    return { ...failure, ended: close(), hasEnded: false };
  } finally {
    limit.stop();
  }
}

const QUESTION_SLACK_MS = 1_000;

type End = Omit<Loss, "stderr" | "crash">;

/**
 * Who knows most is believed: the transport that was refused, then the process that has ended, then the last answer.
 */
async function failed(
  end: End,
  opened: OpenedTransport,
  config: UpstreamConfig,
  deps: ConnectDeps,
): Promise<Omit<Failed, "ended">> {
  const { process, failure } = opened;
  const error = failure?.();
  const known =
    error === undefined
      ? ((await describeEnd(process, 50)) ?? lookCloser(end, opened))
      : { reason: error.message, cause: causeOfToolError(error) };
  const loss = withLastWords(known, process, config, deps);
  return { kind: "failed", ...loss, error };
}

/** A call that was under way when the process ended is told how it ended, and why where the process said so. */
export async function explainClosed(
  reply: Extract<Reply, { kind: "closed" }>,
  { process }: OpenConnection,
  config: UpstreamConfig,
  deps: Pick<ConnectDeps, "redact">,
): Promise<Reply> {
  if (process === undefined) return reply;
  const end = await describeEnd(process, 50);
  return end === undefined ? reply : { ...reply, reason: withLastWords(end, process, config, deps).reason };
}

/** A process that ended by itself has mostly said why, and not in its last line. */
function withLastWords(
  { reason, cause }: End,
  process: ServerProcess | undefined,
  { id }: UpstreamConfig,
  { redact }: Pick<ConnectDeps, "redact">,
): Loss {
  const lines = process?.stderrTail(CAUSE_LINES, redact) ?? [];
  const stderr = lines.slice(-TAIL_LINES);
  const isOwnEnd = cause === "exited" || cause === "not_found" || cause === "not_executable";
  const crash = isOwnEnd ? findCrashCause(lines, id) : undefined;
  if (crash === undefined) return { reason, cause, stderr };
  return { reason: `${reason.replace(/\.$/, "")}: ${crash.line}`, cause, stderr, crash };
}

/** A long stack, and what was written before it. */
const CAUSE_LINES = 200;
/** Enough to see what is going on. */
const TAIL_LINES = 20;

/** Silence on a pipe full of other things, and a request that failed, have a cause of their own. */
function lookCloser(end: End, { process, cause: transportCause }: OpenedTransport): End {
  if (end.cause === "lost") return { ...end, cause: transportCause?.() ?? end.cause };
  const noise = process?.counts().noise ?? 0;
  if (end.cause !== "connect_timeout" || noise === 0) return end;
  return { reason: `${end.reason}, and what it wrote instead is no MCP`, cause: "not_mcp" };
}

const CLOSED: End = { reason: "the connection was closed", cause: "lost" };

/** Undefined while the process is there, or where there is none. */
async function describeEnd(process: ServerProcess | undefined, waitMs = 500): Promise<End | undefined> {
  if (process === undefined) return undefined;
  const exit = await within(process.exit, waitMs);
  switch (exit?.kind) {
    case "exited":
      return { reason: `the process exited with code ${exit.code}`, cause: "exited" };
    case "signalled":
      return { reason: `the process was ended by ${exit.signal}`, cause: "exited" };
    case "stopped":
      return { reason: exit.reason, cause: "endless_line" };
    case "not_started":
      return { reason: exit.reason, cause: exit.cause };
    case undefined:
      return undefined;
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
