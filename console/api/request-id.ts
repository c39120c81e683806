/**
 * Names one attempt to start something: sent twice, it starts once. Not `crypto.randomUUID()`, which a browser has only over
 * https and on this machine.
 */
export function newRequestId(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
}
