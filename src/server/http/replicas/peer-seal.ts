/**
 * How one replica hands a request to another: with a header that only a holder of the key can make, and a body that only
 * a holder of the key can read.
 *
 * - The header names the replica that it is for, the time and a random id, authenticated with HMAC-SHA256. It is good for
 *   a minute, at that replica, once.
 * - The body is all of the client's request: method, target, header lines and body, sealed with AES-256-GCM under a key
 *   that is made from the header. Every header is another, so no key seals twice.
 * - The answer carries a proof that is made from the header too, by which the sender knows who answers.
 */
import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** A request on its way between two replicas. */
export interface ForwardedRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** Names and values in turn, as the client sent them. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

/** More than a request takes on its way, and more than clocks of machines that are looked after differ by. */
export const FORWARDED_MS = 60_000;
const VERSION = "v1";
const ID_BYTES = 18;
const TAG_BYTES = 16;
const LENGTH_BYTES = 4;
/** The key is never used twice, so the nonce need not differ. */
const NONCE = Buffer.alloc(12);
const HEADER = /^(v1\.([\w-]{1,64})\.(\d{1,15})\.([\w-]{24}))\.([\w-]{43})$/;
const PROOF = /^([\w-]{1,64})\.([\w-]{43})$/;

/** What the header line says, for a replica at a time. */
export function makeForwardedHeader(key: Buffer, to: string, now: number): string {
  const said = `${VERSION}.${to}.${now}.${randomBytes(ID_BYTES).toString("base64url")}`;
  return `${said}.${macOf(key, "header", said)}`;
}

export type ReadHeader =
  | { readonly kind: "good"; readonly to: string; readonly id: string }
  | { readonly kind: "bad"; readonly reason: string };

export function readForwardedHeader(key: Buffer, header: string, now: number): ReadHeader {
  const [, said, to, at, id, mac] = HEADER.exec(header) ?? [];
  if (said === undefined || !isSame(mac!, macOf(key, "header", said)))
    return { kind: "bad", reason: "no replica of this store has made it" };
  const isFresh = Math.abs(now - Number(at)) <= FORWARDED_MS;
  return isFresh
    ? { kind: "good", to: to!, id: id! }
    : {
        kind: "bad",
        reason: `it is older than ${FORWARDED_MS / 1000} s, or the clocks of the replicas differ`,
      };
}

export function sealRequest(key: Buffer, header: string, request: ForwardedRequest): Buffer {
  const { body, ...rest } = request;
  const head = Buffer.from(JSON.stringify(rest));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(head.length);
  const cipher = createCipheriv("aes-256-gcm", keyOf(key, "body", header), NONCE);
  const parts = [length, head, body].map((part) => cipher.update(part));
  return Buffer.concat([...parts, cipher.final(), cipher.getAuthTag()]);
}

/** Undefined for whatever was not sealed with this key for this header. */
export function openRequest(key: Buffer, header: string, sealed: Buffer): ForwardedRequest | undefined {
  if (sealed.length < TAG_BYTES + LENGTH_BYTES) return undefined;
  const decipher = createDecipheriv("aes-256-gcm", keyOf(key, "body", header), NONCE, {
    authTagLength: TAG_BYTES,
  }).setAuthTag(sealed.subarray(-TAG_BYTES));
  try {
    const opened = Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()]);
    const bodyAt = LENGTH_BYTES + opened.readUInt32BE();
    const head = JSON.parse(opened.toString("utf8", LENGTH_BYTES, bodyAt)) as Omit<ForwardedRequest, "body">;
    return { ...head, body: opened.subarray(bodyAt) };
  } catch {
    return undefined;
  }
}

/** What a replica answers a forwarded request with, to prove who it is. */
export function makeProof(key: Buffer, header: string, replica: string): string {
  return `${replica}.${macOf(key, "answer", `${replica}.${header}`)}`;
}

/** Which replica has answered; undefined where it was none. */
export function readProof(key: Buffer, header: string, proof: unknown): string | undefined {
  const [, replica, mac] = PROOF.exec(typeof proof === "string" ? proof : "") ?? [];
  if (replica === undefined) return undefined;
  return isSame(mac!, macOf(key, "answer", `${replica}.${header}`)) ? replica : undefined;
}

function keyOf(key: Buffer, about: string, text: string): Buffer {
  return createHmac("sha256", key).update(`repertoire ${about}\n${text}`).digest();
}

function macOf(key: Buffer, about: string, text: string): string {
  return keyOf(key, about, text).toString("base64url");
}

function isSame(given: string, expected: string): boolean {
  return given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected));
}

/** The ids of forwarded requests that came, each for as long as its header is good: a recorded request counts once. */
export class SeenIds {
  #fresh = new Set<string>();
  #older = new Set<string>();
  #turnedAt: number;
  readonly #elapsed: () => number;

  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
    this.#turnedAt = elapsed();
  }

  /** Whether it is the first time. */
  add(id: string): boolean {
    this.#turn();
    if (this.#fresh.has(id) || this.#older.has(id)) return false;
    this.#fresh.add(id);
    return true;
  }

  /** A header may be from a clock that is ahead by as long as it is good. */
  #turn(): void {
    const sinceMs = this.#elapsed() - this.#turnedAt;
    if (sinceMs < 2 * FORWARDED_MS) return;
    this.#older = sinceMs < 4 * FORWARDED_MS ? this.#fresh : new Set();
    this.#fresh = new Set();
    this.#turnedAt = this.#elapsed();
  }
}
