/**
 * What changed, as server-sent events: `{seq, topic, id, rev}` and nothing else. A page that hears of a change asks again for
 * what it shows, with its own permissions, so that an event never tells more than that something is different.
 *
 * The last events are kept for a page that comes back with the number of the last that it had. One that was away for longer,
 * or comes back to another process, is told once that everything may have changed.
 */
import type { IncomingMessage } from "node:http";
import { ownerSeenBy, type Principal } from "../../core/principal.ts";
import { fail } from "../../core/result.ts";
import type { ConsoleSessions } from "../auth/console-session.ts";
import { EventWriter } from "./event-stream.ts";
import type { HttpCall } from "./http-call.ts";
import { KEEP_ALIVE_MS } from "./limits.ts";
import { replyToolError } from "./reply.ts";

/** One thing of one topic is not as it was. */
export interface Change {
  readonly topic: string;
  readonly id: string;
  /** Differs from that of the change before. */
  readonly rev: string;
  /** Whose it is, by principal; undefined for what belongs to the gateway as a whole. */
  readonly owner?: string | null;
}

/** Tells of changes for as long as somebody listens; nothing is looked at otherwise. */
export interface ChangeFeed {
  subscribe(listener: (change: Change) => void): () => void;
}

/** As many as a busy minute brings. */
const KEPT_COUNT_MAX = 1_024;
/** Tabs of one person. */
const STREAM_COUNT_MAX = 32;
/** A page that reloads comes back within it, and misses nothing. */
const LINGER_MS = 30_000;

interface KeptChange extends Change {
  readonly seq: number;
}

export interface ChangeStreams {
  /** Writes changes until the caller leaves, or may not hear of them any more. */
  answer(call: HttpCall): Promise<void>;
  /** A session was closed here: its streams end at once. */
  endSession(sessionId: string): void;
  close(): void;
}

interface ChangeStreamsDeps {
  readonly feed: ChangeFeed;
  readonly sessions: Pick<ConsoleSessions, "isOpen">;
  readonly now?: () => number;
}

interface Listener {
  readonly principal: Principal;
  /** Of a browser. */
  readonly sessionId: string | undefined;
  hear(change: KeptChange): void;
  end(): void;
}

export function createChangeStreams({ feed, sessions, now = Date.now }: ChangeStreamsDeps): ChangeStreams {
  const kept: KeptChange[] = [];
  const listeners = new Set<Listener>();
  // A process that starts later counts from a higher number: no number of an earlier one is taken for its own.
  let seq = now() * 1_000;
  let stop: (() => void) | undefined;
  let lingering: NodeJS.Timeout | undefined;

  function hear(change: Change): void {
    const numbered = { ...change, seq: ++seq };
    kept.push(numbered);
    if (kept.length > KEPT_COUNT_MAX) kept.shift();
    for (const listener of listeners) listener.hear(numbered);
  }

  function listen(listener: Listener): void {
    clearTimeout(lingering);
    stop ??= feed.subscribe(hear);
    listeners.add(listener);
  }

  function leave(listener: Listener): void {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    lingering = setTimeout(rest, LINGER_MS);
    lingering.unref();
  }

  function rest(): void {
    stop?.();
    stop = undefined;
    kept.length = 0;
  }

  /** Whether nothing that came after this number is lost. */
  function isKept(last: number): boolean {
    return stop !== undefined && last <= seq && (last === seq || (kept[0]?.seq ?? Infinity) <= last + 1);
  }

  function open(call: HttpCall, principal: Principal): EventWriter {
    const shownOf = createFilter(call, principal);
    const last = lastSeqOf(call);
    const writer = new EventWriter(call.response);
    const write = ({ seq: number, topic, id, rev }: KeptChange): void =>
      writer.event(JSON.stringify({ seq: number, topic, id, rev }), String(number));
    const listener: Listener = {
      principal,
      sessionId: call.session?.id,
      hear(change) {
        const shown = shownOf(change);
        if (shown !== undefined) write(shown);
      },
      end: () => writer.end(),
    };
    const missed = isKept(last) ? kept.filter((change) => change.seq > last) : undefined;
    listen(listener);
    if (missed === undefined) write({ seq, topic: "*", id: "*", rev: String(seq) });
    else for (const change of missed) listener.hear(change);
    writer.onClose(() => leave(listener));
    return writer;
  }

  /** The session may be closed by another process, and the token may be revoked. */
  function guardStream(writer: EventWriter, { session }: HttpCall, { revoked }: Principal): void {
    const end = (): void => writer.end();
    const beat = setInterval(() => {
      writer.keepAlive();
      if (session === undefined) return;
      sessions.isOpen(session).then(
        (isOpen) => isOpen || end(),
        () => {},
      );
    }, KEEP_ALIVE_MS);
    beat.unref();
    revoked.addEventListener("abort", end, { once: true });
    writer.onClose(() => {
      clearInterval(beat);
      revoked.removeEventListener("abort", end);
    });
  }

  return {
    async answer(call) {
      const principal = call.principal!;
      const ownCount = [...listeners].filter((other) => other.principal.id === principal.id).length;
      if (ownCount >= STREAM_COUNT_MAX) {
        const message = `This token has ${STREAM_COUNT_MAX} streams of changes open.`;
        const { error } = fail("RATE_LIMITED", message, { hint: "Close a tab of the console." });
        return replyToolError(call.response, 429, error, { "Retry-After": "30" });
      }
      const writer = open(call, principal);
      guardStream(writer, call, principal);
      await new Promise<void>((resolve) => writer.onClose(resolve));
    },
    endSession(sessionId) {
      for (const listener of listeners) if (listener.sessionId === sessionId) listener.end();
    },
    close() {
      clearTimeout(lingering);
      for (const listener of listeners) listener.end();
      rest();
    },
  };
}

/** As the browser sends it when it comes back by itself, or as the page does. */
function lastSeqOf({ request }: HttpCall): number {
  const given = request.headers["last-event-id"] ?? queryOf(request).get("after");
  return given === null || given === "" ? Number.NaN : Number(given);
}

function queryOf({ url = "/" }: IncomingMessage): URLSearchParams {
  return new URL(url, "http://localhost").searchParams;
}

/**
 * What somebody is told of a change, by the topics of their query. A token with limits hears of what is its own; of what
 * belongs to the gateway it hears only that something is different.
 */
function createFilter(
  { request }: HttpCall,
  principal: Principal,
): (change: KeptChange) => KeptChange | undefined {
  const given = queryOf(request).get("topics");
  const topics = given === null ? undefined : new Set(given.split(","));
  const owner = ownerSeenBy(principal);
  return (change) => {
    if (topics?.has(change.topic) === false) return undefined;
    if (owner === undefined || change.owner === owner) return change;
    return change.owner === undefined ? { ...change, id: "*" } : undefined;
  };
}
