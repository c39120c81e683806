/**
 * `POST /hooks/<id>`: another system starts a kept tool. It has no token: it signs the body with the secret of the hook.
 * A hook that does not exist, one that is off and a wrong signature are answered alike, after the same work. Sockets of
 * senders count as those of strangers.
 *
 * - `X-Hub-Signature-256: sha256=HEX`, as GitHub sends it: the body alone is signed.
 * - `Repertoire-Signature: t=SECONDS,v1=HEX`: `t.body` is signed, with an `Idempotency-Key` `t.key.body`; `t` is good for
 *   five minutes.
 *
 * A delivery starts one run: its id, or the hash of its signature, is the start key.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Clock } from "../../core/clock.ts";
import type { ToolResult } from "../../core/result.ts";
import { headerOf, type HttpCall } from "./http-call.ts";
import { readBytes } from "./read-bytes.ts";
import { refuseAndClose, replyError, replyJson, replyToolError } from "./reply.ts";

export const HOOK_PATH = /^\/hooks\/([a-z0-9][a-z0-9_-]{0,63})$/;

/** Senders such as GitHub stay far below; what is larger is fetched by the run. */
const BODY_BYTES_MAX = 1024 * 1024;
/** How far the clock of a sender may be off, and how long a request can be repeated. */
const WINDOW_MS = 5 * 60_000;
const DELIVERY_LENGTH_MAX = 200;
/** After so many wrong signatures from one address in a minute, it waits: a secret is not guessed here. */
const FAILURES_MAX = 20;
const FAILURES_MS = 60_000;
const ADDRESS_COUNT_MAX = 10_000;

/** A request whose signature was good. */
export interface HookDelivery {
  readonly id: string;
  readonly deliveryId: string;
  readonly body: Buffer;
}

export interface HookDeps {
  /** The secret of a hook; undefined where there is none of this id. */
  readonly secretOf: (id: string) => string | undefined;
  readonly start: (delivery: HookDelivery) => Promise<ToolResult<{ readonly runId: string }>>;
  readonly clock: Clock;
  readonly isDraining: () => boolean;
  /** A request was refused. */
  readonly refused: () => void;
}

/** In the place of a secret, so that an unknown hook takes as long. */
const NO_SECRET = randomBytes(32).toString("hex");

export function createHookEndpoint(deps: HookDeps): (call: HttpCall, id: string) => Promise<void> {
  const failures = createFailures(deps.clock);
  return async (call, id) => {
    const { request, response } = call;
    call.route = "/hooks/:id";
    if (request.method !== "POST")
      return replyError(response, { status: 405, message: "A hook takes POST.", headers: { Allow: "POST" } });
    if (deps.isDraining()) {
      const headers = { "Retry-After": "5" };
      return replyError(response, { status: 503, message: "The gateway is ending. Send it again.", headers });
    }
    const from = request.socket.remoteAddress ?? "";
    if (failures.isOver(from)) {
      deps.refused();
      const headers = { "Retry-After": String(FAILURES_MS / 1_000) };
      return replyError(response, { status: 429, message: "Too many requests were not signed.", headers });
    }
    const body = await readBytes(request, BODY_BYTES_MAX);
    if (body === "gone") return;
    if (body === "too_large") {
      const message = `The body is larger than ${BODY_BYTES_MAX} bytes.`;
      return refuseAndClose(request, response, { status: 413, message });
    }
    call.bodyBytes = body.length;
    const secret = deps.secretOf(id);
    const deliveryId = checkSignature(call, body, secret ?? NO_SECRET, deps.clock.now());
    if (secret === undefined || deliveryId === undefined) {
      failures.add(from);
      deps.refused();
      return replyError(response, { status: 401, message: REFUSAL });
    }
    const started = await deps.start({ id, deliveryId, body });
    if (started.success) replyJson(response, 202, { run_id: started.data.runId });
    else replyToolError(response, 422, started.error);
  };
}

const REFUSAL =
  "There is no such hook, or the request is not signed with its secret. Sign the raw body with HMAC-SHA256 and send " +
  "X-Hub-Signature-256: sha256=HEX, or Repertoire-Signature: t=SECONDS,v1=HEX over t.body.";

/** The id of the delivery, if the request is signed with the secret. */
function checkSignature(call: HttpCall, body: Buffer, secret: string, now: number): string | undefined {
  const own = headerOf(call, "repertoire-signature");
  const key = headerOf(call, "idempotency-key")?.slice(0, DELIVERY_LENGTH_MAX);
  if (own !== undefined) {
    const [, seconds = "", signature = ""] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(own) ?? [];
    const signed = key === undefined ? `${seconds}.` : `${seconds}.${key}.`;
    const isGood = isSigned([signed, body], signature, secret);
    const isInTime = Math.abs(now - Number(seconds) * 1_000) <= WINDOW_MS;
    return isGood && isInTime ? (key ?? hashOf(signature)) : undefined;
  }
  const [, signature = ""] =
    /^sha256=([0-9a-f]{64})$/.exec(headerOf(call, "x-hub-signature-256") ?? "") ?? [];
  if (!isSigned([body], signature, secret)) return undefined;
  const delivery = headerOf(call, "x-github-delivery")?.slice(0, DELIVERY_LENGTH_MAX);
  return delivery ?? key ?? hashOf(signature);
}

/** Compared in constant time, and also where there is no signature at all. */
function isSigned(parts: readonly (string | Buffer)[], signature: string, secret: string): boolean {
  const hmac = createHmac("sha256", secret);
  for (const part of parts) hmac.update(part);
  const given = Buffer.alloc(32);
  given.write(signature, "hex");
  return timingSafeEqual(hmac.digest(), given) && signature !== "";
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** How often an address has failed of late; the oldest is forgotten where there are too many. */
function createFailures(clock: Clock) {
  const byAddress = new Map<string, { count: number; readonly until: number }>();
  return {
    isOver(address: string): boolean {
      const known = byAddress.get(address);
      return known !== undefined && known.until > clock.elapsed() && known.count >= FAILURES_MAX;
    },
    add(address: string): void {
      const known = byAddress.get(address);
      if (known !== undefined && known.until > clock.elapsed()) known.count++;
      else {
        byAddress.delete(address);
        byAddress.set(address, { count: 1, until: clock.elapsed() + FAILURES_MS });
      }
      if (byAddress.size > ADDRESS_COUNT_MAX) byAddress.delete(byAddress.keys().next().value!);
    },
  };
}
