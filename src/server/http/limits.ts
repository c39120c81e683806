/** What one client may take of the gateway's memory, sockets and time. */
const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;

/** As in the SDK; arguments larger than that belong into a resource. */
export const BODY_BYTES_MAX = 4 * 1024 * 1024;
/** All header lines of a request together. */
export const HEADER_BYTES_MAX = 16 * 1024;
/**
 * Two for each of a thousand clients: one that listens and one that asks. All of them came with a token that is good.
 */
export const SOCKET_COUNT_MAX = 2_048;
/** On top, for principals that have none. */
export const SOCKET_RESERVED_COUNT = 128;
/**
 * Sockets over which no good token has come yet: as many as a thousand clients open when they all come back at once.
 * Beyond that the oldest of them gives way, so that a client with a token gets in.
 */
export const STRANGER_COUNT_MAX = 1_024;
/**
 * Header lines that trickle in hold a socket; a client that means it sends them at once. A socket over which no good
 * token has come by then is closed.
 */
export const HEADERS_MS = 10 * SECOND_MS;
/** A whole body of 4 MiB comes in so long at 140 KB/s. */
export const REQUEST_MS = 30 * SECOND_MS;
/** A socket that nothing comes over is closed; clients open a new one without noticing. */
export const SOCKET_IDLE_MS = MINUTE_MS;
/** What a client has not read yet. Beyond that it does not read any more, and its stream is closed. */
export const UNREAD_BYTES_MAX = 8 * 1024 * 1024;
/** A client that takes nothing of its answer for so long does not want it. */
export const UNREAD_MS = MINUTE_MS;
/** Proxies close what is silent for 30 s or more. */
export const KEEP_ALIVE_MS = 15 * SECOND_MS;
/**
 * An answer that takes longer comes as a stream of events from then on: the client sees that something is under way,
 * and can pick the stream up again where it was cut.
 */
export const STREAM_AFTER_MS = SECOND_MS;
/** A legacy client that was silent for so long, without an open stream or call, has gone; it may open a new session. */
export const SESSION_IDLE_MS = 30 * MINUTE_MS;
/** Beyond that the session of the same principal that was idle for longest ends. */
export const SESSION_COUNT_MAX = 1_000;
/**
 * On top, for principals that have none: one that opens more and more leaves room for others, and ends only its own.
 */
export const SESSION_RESERVED_COUNT = 100;
/** Events that a session keeps for a client whose stream was cut. */
export const KEPT_EVENT_COUNT_MAX = 256;
export const KEPT_EVENT_BYTES_MAX = 1024 * 1024;
/** Requests of one session under way at once. */
export const SESSION_REQUEST_COUNT_MAX = 256;
/** Open `subscriptions/listen` streams of all modern clients together. */
export const SUBSCRIPTION_COUNT_MAX = 1_024;
/** Of these, those that came with one token: a token that opens more and more leaves room for others. */
export const OWN_SUBSCRIPTION_COUNT_MAX = 256;
