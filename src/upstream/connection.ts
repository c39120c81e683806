/** One live connection to a server: a wire, a peer on it, and the session that they opened. */
import type { ToolError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import type { Log } from "../core/log.ts";
import { openSession, type Era, type Session } from "./handshake.ts";
import type { OpenedWire, OpenWire } from "./open-wire.ts";
import { Peer, type AnswerToPeer } from "./peer.ts";
import type { ServerProcess } from "./process/server-process.ts";
import type { UpstreamConfig } from "./upstream-config.ts";

export interface Connection {
  readonly peer: Peer;
  readonly session: Session;
  readonly process: ServerProcess | undefined;
  /** How long start and handshake took. */
  readonly connectMs: number;
}

export type ConnectOutcome =
  | { readonly kind: "connected"; readonly connection: Connection }
  | {
      readonly kind: "failed";
      readonly reason: string;
      readonly stderr: readonly string[];
      /** What to tell whoever called, where the wire knows: a server that needs a login, or is too busy. */
      readonly error?: ToolError;
    };

export interface ConnectParts {
  readonly clientInfo: JsonObject;
  readonly clientCapabilities: JsonObject;
  readonly lastEra: Era | undefined;
  readonly log: Log;
  readonly openWire: OpenWire;
  readonly onRequest: (method: string, params: JsonObject, signal: AbortSignal) => Promise<AnswerToPeer>;
  readonly onNotification: (method: string, params: JsonObject) => void;
  /** Called when a connection that was open has ended; never for one that did not open. */
  readonly onLost: (reason: string, stderr: readonly string[]) => void;
}

/** Never throws; a server that does not come up within the limit is stopped again, with its whole process tree. */
export async function connect(config: UpstreamConfig, parts: ConnectParts): Promise<ConnectOutcome> {
  const startedAt = performance.now();
  let isOpen = false;
  let opened: OpenedWire;
  try {
    opened = await parts.openWire(config.transport, parts.log);
  } catch (error) {
    return { kind: "failed", reason: reasonOf(error), stderr: [] };
  }
  const { wire, process } = opened;
  const peer = new Peer(wire, {
    onRequest: parts.onRequest,
    onNotification: parts.onNotification,
    onClose: () => {
      if (isOpen) void describeEnd(process).then((reason) => parts.onLost(reason, stderrOf(process)));
    },
  });
  try {
    const { connectTimeoutMs } = config;
    await within(wire.start(), connectTimeoutMs);
    const timeoutMs = Math.max(1, connectTimeoutMs - (performance.now() - startedAt));
    const outcome = await openSession(peer, { ...parts, timeoutMs });
    if (outcome.kind === "open") {
      isOpen = true;
      wire.setProtocolVersion?.(outcome.session.protocolVersion);
      const connectMs = performance.now() - startedAt;
      return { kind: "connected", connection: { peer, session: outcome.session, process, connectMs } };
    }
    return await failed(outcome.reason, opened);
  } catch (error) {
    return await failed(reasonOf(error), opened);
  } finally {
    if (!isOpen) void peer.close().catch(() => {});
  }
}

async function failed(reason: string, { process, failure }: OpenedWire): Promise<ConnectOutcome> {
  const error = failure?.();
  return {
    kind: "failed",
    reason: error?.message ?? (await describeRefusal(reason, process)),
    stderr: stderrOf(process),
    ...(error !== undefined && { error }),
  };
}

/** A process that has ended says more than the silence on its pipe. */
async function describeRefusal(reason: string, process: ServerProcess | undefined): Promise<string> {
  const end = await describeEnd(process, 50);
  return end === STILL_THERE ? reason : end;
}

const STILL_THERE = "the connection was closed";

async function describeEnd(process: ServerProcess | undefined, waitMs = 500): Promise<string> {
  if (process === undefined) return STILL_THERE;
  const exit = await within(process.exit, waitMs).catch(() => undefined);
  switch (exit?.kind) {
    case "exited":
      return `the process exited with code ${exit.code}`;
    case "signalled":
      return `the process was ended by ${exit.signal}`;
    case "not_started":
      return exit.reason;
    case undefined:
      return STILL_THERE;
  }
}

function stderrOf(process: ServerProcess | undefined): string[] {
  return process?.stderrTail(20) ?? [];
}

async function within<T>(work: Promise<T>, limitMs: number): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Error(`it did not start within ${Math.round(limitMs)} ms`)),
    limitMs,
  );
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
