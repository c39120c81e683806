/**
 * W3C Trace Context and Baggage as they come from a client: in `_meta` of a request, or in headers of the HTTP request around it.
 *
 * It is the client's word and no more. Nothing is decided by it, least of all who the client is. What is passed on was read member
 * by member, has a bounded length and cannot break out of a header or a log line; whatever else came is left out in silence, as the
 * standard asks. Reading takes time that is linear in a bounded input.
 */

export interface TraceContext {
  /** `00-<trace id>-<span id>-<flags>`. */
  readonly traceparent: string;
  readonly tracestate?: string;
  readonly baggage?: string;
}

/** The names of the three fields: `_meta` and Node's lower-case headers have the same names for them. */
interface TraceCarrier {
  readonly traceparent?: unknown;
  readonly tracestate?: unknown;
  readonly baggage?: unknown;
}

/** The names of the fields, in `_meta` and as headers. */
export const TRACE_FIELDS: ReadonlySet<string> = new Set(["traceparent", "tracestate", "baggage"]);

/** Later versions may say more after the flags; what they say is not passed on. */
const TRACEPARENT =
  /^(?!ff)([0-9a-f]{2})-((?!0{32})[0-9a-f]{32})-((?!0{16})[0-9a-f]{16})-([0-9a-f]{2})(-[\x20-\x7e]{0,100})?$/;
/** Sampled and random: the flags that the standard knows. */
const KNOWN_FLAGS = 0b11;

interface MemberRule {
  readonly member: RegExp;
  readonly countMax: number;
  /** Members that end beyond this are left out, each as a whole. */
  readonly lengthMax: number;
}

/** The standard's own least limits, which are enough for every tracing system in use. */
const TRACESTATE: MemberRule = {
  member:
    /^(?:[a-z][a-z0-9_*/-]{0,255}|[a-z0-9][a-z0-9_*/-]{0,240}@[a-z][a-z0-9_*/-]{0,13})=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/,
  countMax: 32,
  lengthMax: 512,
};
/** The same: the standard's 64 members in 8192 bytes. All of it is ASCII, so characters are bytes. */
const BAGGAGE: MemberRule = {
  member: /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}[ \t]*=[\t\x20\x21\x23-\x2b\x2d-\x5b\x5d-\x7e]*$/,
  countMax: 64,
  lengthMax: 8192,
};

/** The trace that a request belongs to; undefined when it names none. What `_meta` says comes before the headers. */
export function parseTraceContext(
  meta: TraceCarrier | undefined,
  headers?: TraceCarrier,
): TraceContext | undefined {
  return readCarrier(meta) ?? readCarrier(headers);
}

/** The 32 digits that all spans of a trace share. */
export function traceIdOf({ traceparent }: TraceContext): string {
  return traceparent.slice(3, 35);
}

function readCarrier(carrier: TraceCarrier | undefined): TraceContext | undefined {
  if (typeof carrier?.traceparent !== "string") return undefined;
  const traceparent = readTraceparent(carrier.traceparent);
  if (traceparent === undefined) return undefined;
  const tracestate = readMembers(carrier.tracestate, TRACESTATE);
  const baggage = readMembers(carrier.baggage, BAGGAGE);
  return {
    traceparent,
    ...(tracestate !== undefined && { tracestate }),
    ...(baggage !== undefined && { baggage }),
  };
}

function readTraceparent(text: string): string | undefined {
  const match = TRACEPARENT.exec(text);
  if (match === null) return undefined;
  const [, version, traceId, spanId, flags, more] = match;
  if (version === "00" && more !== undefined) return undefined;
  const known = Number.parseInt(flags!, 16) & KNOWN_FLAGS;
  return `00-${traceId}-${spanId}-0${known}`;
}

/** The members that are well formed and fit, in their order; undefined for none. */
function readMembers(text: unknown, { member, countMax, lengthMax }: MemberRule): string | undefined {
  if (typeof text !== "string") return undefined;
  const kept = wholeMembers(text, lengthMax)
    .split(",", countMax)
    .map((each) => each.trim())
    .filter((each) => member.test(each));
  return kept.length === 0 ? undefined : kept.join(",");
}

/** Cut between two members: half a member would say something else. */
function wholeMembers(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text;
  return text.slice(0, Math.max(0, text.lastIndexOf(",", lengthMax)));
}
