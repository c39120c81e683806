import { systemClock, type Clock } from "../../core/clock.ts";
import type { Principal } from "../../core/principal.ts";

/** So many clients pay a look-up only; the others pay a hash, or a signature, with each request. */
const ADMITTED_MAX = 256;

/** The Authorization headers that came in before, so that the hot path hashes nothing. */
export interface AdmittedHeaders {
  find(authorization: string | undefined): Principal | undefined;
  add(authorization: string, principal: Principal, expiresAtMs: number): void;
  clear(): void;
}

/**
 * By the header as it came. A look-up in a Map compares texts in a time that depends on them, but only with one whose
 * seeded hash is the same, which no outsider can aim at: it tells nothing about the tokens in it.
 */
export function createAdmittedHeaders(clock: Clock = systemClock): AdmittedHeaders {
  const admitted = new Map<string, { readonly principal: Principal; readonly expiresAtMs: number }>();
  return {
    find(authorization) {
      const entry = authorization === undefined ? undefined : admitted.get(authorization);
      if (entry === undefined) return undefined;
      if (!entry.principal.revoked.aborted && entry.expiresAtMs > clock.now()) return entry.principal;
      admitted.delete(authorization!);
      return undefined;
    },
    add(authorization, principal, expiresAtMs) {
      admitted.set(authorization, { principal, expiresAtMs });
      if (admitted.size > ADMITTED_MAX) admitted.delete(admitted.keys().next().value!);
    },
    clear: () => admitted.clear(),
  };
}
