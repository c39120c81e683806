/**
 * UUID v7 (RFC 9562): 48 bits of time, a 12-bit counter, 62 random bits. Ids of one maker grow strictly, also within a
 * millisecond and when the clock goes back, so "by id" is "in the order made"; they begin after `after`, an id of
 * another maker. Node's own `randomUUID` is v4.
 */
import { randomBytes } from "node:crypto";

/** Starts in the lower half, which leaves at least 2,048 ids for a millisecond before its time must be borrowed. */
const COUNTER_START_MAX = 0x7ff;
const COUNTER_MAX = 0xfff;

/** Asking the system for a few bytes takes as long as asking for many. */
const POOL_BYTES = 4096;
let pool = Buffer.alloc(0);

function takeRandom(size: number): Uint8Array {
  if (pool.length < size) pool = randomBytes(Math.max(size, POOL_BYTES));
  const taken = pool.subarray(0, size);
  pool = pool.subarray(size);
  return taken;
}

export function createUuidV7(
  now: () => number = Date.now,
  random: (size: number) => Uint8Array = takeRandom,
  after?: string,
): () => string {
  let time = after === undefined ? -1 : timeOf(after);
  // Of the other maker's counter nothing is known: its millisecond is over.
  let counter = after === undefined ? 0 : COUNTER_MAX;
  return () => {
    const bytes = Buffer.alloc(16);
    bytes.set(random(10), 6);
    const at = Math.floor(now());
    if (at > time || counter === COUNTER_MAX) {
      time = Math.max(at, time + 1);
      counter = bytes.readUInt16BE(6) & COUNTER_START_MAX;
    } else counter++;
    bytes.writeUIntBE(time, 0, 6);
    bytes.writeUInt16BE(0x7000 | counter, 6);
    bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8);
    return format(bytes.toString("hex"));
  };
}

/** No id that was made at this time or later comes before it. */
export function firstIdAt(at: number): string {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(Math.floor(at), 0, 6);
  return format(bytes.toString("hex"));
}

function timeOf(id: string): number {
  return Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16);
}

function format(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
