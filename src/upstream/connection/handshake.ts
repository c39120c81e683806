/**
 * Opens a session with a server in the era that it speaks.
 *
 * Nearly every server is of the legacy era, and one that speaks both answers it as well, so `initialize` goes first and
 * costs no extra round trip. A server that refuses it, or says nothing for a moment, is asked with `server/discover` as
 * well; the first that opens counts. A server that was modern before is asked the other way round.
 *
 * A server that is known to speak an era is asked in the other one only if it refuses: it may end on a question that it
 * does not know, also when it is merely slow to start and both wait for it. A server that answers the first question
 * and ends on the second has thereby told its era: the outcome names it, and the next start asks in that one alone.
 */
import { withModernExtensions } from "../../core/declared.ts";
import type { JsonObject } from "../../core/json.ts";
import { causeOfToolError, type FailureCause } from "../failure-cause.ts";
import { backgroundAfter } from "../../timing/after.ts";
import { within } from "../../timing/deadline.ts";
import type { Peer, Reply } from "./peer.ts";

export type Era = "legacy" | "modern";

/** What a server said of itself. */
export interface Session {
  readonly era: Era;
  readonly protocolVersion: string;
  readonly serverInfo: JsonObject;
  readonly capabilities: JsonObject;
  readonly instructions?: string;
  /** What every request of a modern session carries in `_meta`; empty in a legacy one. */
  readonly envelope: JsonObject;
}

export type HandshakeOutcome =
  | { readonly kind: "open"; readonly session: Session }
  | {
      readonly kind: "refused";
      readonly reason: string;
      readonly cause: FailureCause;
      /** The era that it opened a session in, before it ended on the question of the other one. */
      readonly openedIn?: Era;
    };

export interface HandshakeOptions {
  readonly clientInfo: JsonObject;
  readonly clientCapabilities: JsonObject;
  /** The era of the last session, if there was one. */
  readonly lastEra?: Era | undefined;
  /** Whether the server is known to speak that era: silence then is a slow start. */
  readonly isEraSure?: boolean | undefined;
  readonly timeoutMs: number;
  readonly probeMs?: number;
  readonly signal?: AbortSignal | undefined;
}

const LEGACY_VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;
export const LOG_LEVEL_KEY = "io.modelcontextprotocol/logLevel";
export const CLIENT_CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities";
const MODERN_VERSION = "2026-07-28";
/** A server answers what it does not know at once, or never. */
const PROBE_MS = 1_500;
/** Of two questions that were asked, the answer to the second, or the end that it causes, follows the first so soon. */
const SECOND_ANSWER_MS = 1_000;

export async function openSession(peer: Peer, options: HandshakeOptions): Promise<HandshakeOutcome> {
  const probeMs = Math.min(options.probeMs ?? PROBE_MS, options.timeoutMs);
  const attempt = options.lastEra === "modern" ? openKnownModern : openUnknown;
  const opened = await attempt(peer, options, probeMs);
  if (opened.kind === "open") return opened;
  const { reason, cause, openedIn } = opened;
  return { kind: "refused", reason, cause, openedIn };
}

/** Here too the first question stays open: a modern server that is slow to start refuses `initialize` when it is up. */
async function openKnownModern(peer: Peer, options: HandshakeOptions, probeMs: number): Promise<Attempt> {
  const modern = discover(peer, options, options.timeoutMs);
  const first = await firstWord(modern, options, probeMs);
  if (first !== SILENCE && isDecided(first, peer, options)) return first;
  const legacy = initialize(peer, options, options.timeoutMs);
  return whicheverOpens(peer, { legacy, modern, first: "modern" });
}

/**
 * A server that is slow to start is not taken for a modern one: its answer to `initialize` counts whenever it comes.
 */
async function openUnknown(peer: Peer, options: HandshakeOptions, probeMs: number): Promise<Attempt> {
  const legacy = initialize(peer, options, options.timeoutMs);
  const first = await firstWord(legacy, options, probeMs);
  if (first !== SILENCE && isDecided(first, peer, options)) return first;
  const modern = discover(peer, options, Math.max(probeMs, options.timeoutMs - probeMs));
  if (first !== SILENCE) return preferOpen(first, await modern);
  return whicheverOpens(peer, { legacy, modern, first: "legacy" });
}

/** Both questions are under way, and a server that was slow to start reads them together. */
async function whicheverOpens(
  peer: Peer,
  asked: { readonly legacy: Promise<Attempt>; readonly modern: Promise<Attempt>; readonly first: Era },
): Promise<Attempt> {
  const { legacy, modern, first } = asked;
  const winner = await Promise.race([legacy, modern]);
  if (winner.kind !== "open") return preferOpen(await legacy, await modern);
  if (winner.session.era !== first) return winner;
  const second = first === "legacy" ? modern : legacy;
  await within(second, SECOND_ANSWER_MS, { after: backgroundAfter });
  if (!peer.isClosed) return winner;
  const reason = "it ended on a request that it does not know";
  return { kind: "refused", reason, cause: "lost", isFinal: true, openedIn: winner.session.era };
}

const SILENCE = Symbol("silence");

/** A server that is known to speak the era is waited for; any other is soon asked in the other one as well. */
function firstWord(
  asked: Promise<Attempt>,
  { isEraSure = false }: HandshakeOptions,
  probeMs: number,
): Promise<Attempt | typeof SILENCE> {
  return isEraSure ? asked : within(asked, probeMs, { late: () => SILENCE, after: backgroundAfter });
}

/** Over HTTP a request can be refused with its status alone, and the next one may still be heard. */
function isDecided(attempt: Attempt, peer: Peer, { isEraSure = false }: HandshakeOptions): boolean {
  if (attempt.kind === "open") return true;
  if (isEraSure && attempt.cause === "connect_timeout") return true;
  return attempt.isFinal && (attempt.isSure === true || peer.isClosed);
}

/** Where neither opened, what the server says of `initialize` tells more. */
function preferOpen(legacy: Attempt, modern: Attempt): Attempt {
  return modern.kind === "open" ? modern : legacy;
}

/** `isSure`: the transport knows that the server cannot be used in any era, because it needs a login or is too busy. */
type Attempt =
  | { kind: "open"; session: Session }
  | {
      kind: "refused";
      reason: string;
      cause: FailureCause;
      isFinal: boolean;
      isSure?: true;
      openedIn?: Era;
    };

async function initialize(peer: Peer, options: HandshakeOptions, timeoutMs: number): Promise<Attempt> {
  const params = {
    protocolVersion: LEGACY_VERSIONS[0],
    capabilities: options.clientCapabilities,
    clientInfo: options.clientInfo,
  };
  const reply = await peer.request("initialize", params, { timeoutMs, signal: options.signal });
  if (reply.kind !== "result") return refused("initialize", reply);
  const { protocolVersion, serverInfo, capabilities, instructions } = reply.result;
  const known = LEGACY_VERSIONS.find((version) => version === protocolVersion);
  if (known === undefined) {
    const reason = `it speaks protocol version ${JSON.stringify(protocolVersion)}, which is not known`;
    return { kind: "refused", reason, cause: "unknown_version", isFinal: false };
  }
  peer.notify("notifications/initialized", {});
  return {
    kind: "open",
    session: {
      era: "legacy",
      protocolVersion: known,
      serverInfo: objectOf(serverInfo),
      capabilities: objectOf(capabilities),
      ...(typeof instructions === "string" ? { instructions } : {}),
      envelope: {},
    },
  };
}

async function discover(peer: Peer, options: HandshakeOptions, timeoutMs: number): Promise<Attempt> {
  const envelope = envelopeOf(options);
  const ask = () => {
    const { signal } = options;
    return peer.request("server/discover", { _meta: envelope }, { timeoutMs, signal });
  };
  const first = await ask();
  // Refused with our own version among those that it speaks: the client is to try again with that.
  const reply = isOurVersionOffered(first) ? await ask() : first;
  if (reply.kind !== "result") return refused("server/discover", reply);
  const { supportedVersions, capabilities, instructions, _meta: meta } = reply.result;
  if (!Array.isArray(supportedVersions) || !supportedVersions.includes(MODERN_VERSION)) {
    const reason = `it speaks protocol versions ${JSON.stringify(supportedVersions)}; ${MODERN_VERSION} is needed`;
    return { kind: "refused", reason, cause: "unknown_version", isFinal: false };
  }
  const serverInfo = reply.result["serverInfo"] ?? objectOf(meta)["io.modelcontextprotocol/serverInfo"];
  return {
    kind: "open",
    session: {
      era: "modern",
      protocolVersion: MODERN_VERSION,
      serverInfo: objectOf(serverInfo),
      capabilities: objectOf(capabilities),
      ...(typeof instructions === "string" ? { instructions } : {}),
      envelope,
    },
  };
}

const UNSUPPORTED_VERSION = -32_022;

function isOurVersionOffered(reply: Reply): boolean {
  if (reply.kind !== "error" || reply.error.code !== UNSUPPORTED_VERSION) return false;
  const { supported } = objectOf(reply.error.data);
  return Array.isArray(supported) && supported.includes(MODERN_VERSION);
}

function envelopeOf(options: HandshakeOptions): JsonObject {
  return {
    "io.modelcontextprotocol/protocolVersion": MODERN_VERSION,
    "io.modelcontextprotocol/clientInfo": options.clientInfo,
    [CLIENT_CAPABILITIES_KEY]: withModernExtensions(options.clientCapabilities),
  };
}

/** An error of the server may mean the wrong era; silence and a closed connection do not get better by asking again. */
function refused(method: string, reply: Exclude<Reply, { kind: "result" }>): Attempt {
  switch (reply.kind) {
    case "error":
      return {
        kind: "refused",
        reason: `it refused ${method}: ${reply.error.message}`,
        cause: "refused",
        isFinal: false,
      };
    case "timeout":
      return {
        kind: "refused",
        reason: `it did not answer ${method} within ${reply.timeoutMs} ms`,
        cause: "connect_timeout",
        isFinal: false,
      };
    case "unusable":
      return {
        kind: "refused",
        reason: `its answer to ${method} cannot be used: ${reply.problem}`,
        // Where nothing came that is an answer of MCP, the transport knows more: a status, a page.
        cause: reply.reason === "no_answer" ? "lost" : "not_mcp",
        isFinal: false,
      };
    case "cancelled":
      return { kind: "refused", reason: "the connection was given up", cause: "lost", isFinal: true };
    case "refused":
      return {
        kind: "refused",
        reason: reply.error.message,
        cause: causeOfToolError(reply.error),
        isFinal: true,
        isSure: true,
      };
    case "closed":
      return { kind: "refused", reason: reply.reason, cause: "lost", isFinal: true };
  }
}

function objectOf(value: unknown): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}
