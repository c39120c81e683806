/**
 * Who comes in. Every request shows a bearer token: one of the gateway's own, or an access token of the configured
 * issuer. A good one always comes in, however many bad ones came from the same address.
 */
import { systemClock, type Clock } from "../../core/clock.ts";
import { messageOf } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import type { Principal } from "../../core/principal.ts";
import type { TokenUses } from "../../core/trust-store.ts";
import type { Admission, AdmissionRequest, GateOAuth } from "./admission.ts";
import type { OAuthPrincipals } from "./oauth-principals.ts";
import { createRefusal, type TokenFailure } from "./refusal.ts";
import { audiencesOf } from "./resource-metadata.ts";
import type { TokenPrincipals } from "./token-principals.ts";
import { DEFAULT_TOKEN_NAME, digestOf } from "./token.ts";
import { isLoopbackHost } from "./loopback.ts";

export type { Admission, AdmissionRequest, GateOAuth } from "./admission.ts";

export interface Gate {
  /** Never throws. */
  admit(request: AdmissionRequest): Promise<Admission>;
  /** Whose token it is, if it came in before and is still good for every path; undefined means: ask `admit`. */
  known(authorization: string | undefined): Principal | undefined;
  /** The principal of one of the gateway's own tokens, by the digest in hex, while it is good. */
  ofDigest(digest: string): { readonly principal: Principal } | undefined;
  close(): Promise<void>;
}

export interface GateDeps {
  /** The gateway's own tokens; closed with the gate. */
  readonly tokens: TokenPrincipals;
  readonly log: Log;
  readonly oauth?: GateOAuth;
  readonly clock?: Clock;
  /** Where the last use of each token is kept. */
  readonly tokenUses?: Pick<TokenUses, "put">;
}

export function createGate({ tokens, log, oauth, clock = systemClock, tokenUses }: GateDeps): Gate {
  const issuer = oauth === undefined ? undefined : createIssuer(oauth, clock);
  const admitted = createAdmittedHeaders(clock);
  const refuse = createRefusal({ log, oauth, clock });
  const use = tokenUses === undefined ? undefined : createTokenUse({ uses: tokenUses, log, clock });

  /** A token that came in before. */
  function find(authorization: string | undefined): Principal | undefined {
    const principal = admitted.find(authorization);
    if (principal !== undefined) use?.note(principal);
    return principal;
  }

  async function admit(request: AdmissionRequest): Promise<Admission> {
    const { authorization } = request;
    const known = find(authorization);
    if (known !== undefined) return { kind: "admitted", principal: known };
    if (authorization === undefined || !isBearer(authorization)) return refuse(request);
    const shown = await read(authorization, request.resource, tokens, issuer);
    if (shown.kind === "bad") return refuse(request, shown);
    use?.note(shown.principal);
    // A token for one profile is asked about each time, because `known` is not told for what.
    if (shown.isForAll) admitted.add(authorization, shown.principal, shown.expiresAtMs);
    return { kind: "admitted", principal: shown.principal };
  }

  return {
    known: find,
    ofDigest(digest) {
      const found = tokens.find(Buffer.from(digest, "hex"));
      if (found?.kind !== "good") return undefined;
      use?.note(found.principal);
      return { principal: found.principal };
    },
    async admit(request) {
      try {
        return await admit(request);
      } catch (error) {
        log.error("auth.failed", { error });
        return refuse(request, { reason: messageOf(error) });
      }
    },
    async close() {
      tokens.close();
      admitted.clear();
      await use?.settle();
      await issuer?.close();
    },
  };
}

type Shown =
  | {
      readonly kind: "good";
      readonly principal: Principal;
      readonly isForAll: boolean;
      readonly expiresAtMs: number;
    }
  | ({ readonly kind: "bad" } & TokenFailure);

async function read(
  authorization: string,
  resource: string,
  tokens: TokenPrincipals,
  issuer: Issuer | undefined,
): Promise<Shown> {
  const token = /^bearer +([\w.~+/-]+=*) *$/i.exec(authorization)?.[1];
  if (token === undefined) return { kind: "bad", reason: "the header is garbled" };
  const digest = digestOf(token);
  const own = tokens.find(digest);
  if (own?.kind === "good") return { ...own, isForAll: true };
  const hex = digest.toString("hex");
  if (own !== undefined)
    return { kind: "bad", reason: "it has expired", digest: hex, expiredAt: own.expiresAt };
  if (issuer === undefined) return { kind: "bad", reason: "it is not on record", digest: hex };
  const shown = await issuer.read(token, hex, resource);
  return shown.kind === "bad" ? { ...shown, digest: hex } : shown;
}

function isBearer(authorization: string): boolean {
  return /^bearer(?: |$)/i.test(authorization);
}

interface Issuer {
  read(token: string, digest: string, resource: string): Promise<Shown>;
  close(): Promise<void>;
}

/** What belongs to the issuer's tokens is loaded with the first of them. */
function createIssuer(oauth: GateOAuth, clock: Clock): Issuer {
  let loading: Promise<OAuthPrincipals> | undefined;
  const load = async (): Promise<OAuthPrincipals> => {
    const { createOAuthPrincipals } = await import("./oauth-principals.ts");
    return createOAuthPrincipals({ ...oauth, clock });
  };
  const isFor = (audiences: readonly string[], path: string): boolean =>
    audiencesOf(path, oauth.bases, oauth.audience).some((audience) => audiences.includes(audience));
  return {
    async read(token, digest, resource) {
      loading ??= load();
      const shown = await (await loading).read(token, digest);
      if (shown.kind === "bad") return shown;
      const { principal, audiences, expiresAtMs } = shown;
      if (isFor(audiences, resource))
        return { kind: "good", principal, isForAll: isFor(audiences, "/"), expiresAtMs };
      return { kind: "bad", reason: `it is meant for ${JSON.stringify(audiences)}` };
    },
    async close() {
      (await loading?.catch(() => undefined))?.close();
    },
  };
}

/** So many clients pay a look-up only; the others pay a hash, or a signature, with each request. */
const ADMITTED_MAX = 256;

/** The Authorization headers that came in before, so that the hot path hashes nothing. */
interface AdmittedHeaders {
  find(authorization: string | undefined): Principal | undefined;
  add(authorization: string, principal: Principal, expiresAtMs: number): void;
  clear(): void;
}

/**
 * By the header as it came. A look-up in a Map compares texts in a time that depends on them, but only with one whose
 * seeded hash is the same, which no outsider can aim at: it tells nothing about the tokens in it.
 */
function createAdmittedHeaders(clock: Clock = systemClock): AdmittedHeaders {
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

interface Listener {
  readonly host: string;
  readonly hasIssuer: boolean;
  /** The names of the gateway's own tokens. */
  readonly tokenNames: readonly string[];
}

type ListenerPermit =
  | { readonly kind: "allowed" }
  | { readonly kind: "refused"; readonly message: string; readonly hint: string };

/**
 * May we listen there? On this machine always, because a token is needed anyway. On other addresses only with an
 * issuer or a token that a person made: the default token can do everything and is made automatically.
 */
export function checkListener({ host, hasIssuer, tokenNames }: Listener): ListenerPermit {
  const isArranged = hasIssuer || tokenNames.some((name) => name !== DEFAULT_TOKEN_NAME);
  if (isLoopbackHost(host) || isArranged) return { kind: "allowed" };
  return {
    kind: "refused",
    message: `Other machines could reach ${host === "" ? "every interface" : host}, and nothing says who may come in.`,
    hint:
      "Make a token for those who shall, with `repertoire token create NAME --scope read,call`, or configure http.oauth.issuer; " +
      "or listen on 127.0.0.1.",
  };
}

interface TokenUseDeps {
  readonly uses: Pick<TokenUses, "put">;
  readonly log: Log;
  readonly clock: Clock;
}

/** A person asks whether a token is still used, and not in which second. */
const GAP_MS = 60_000;
/** The beginning of the ids of the gateway's own tokens; what follows is the name. */
const TOKEN_ID = /^token:(.+)$/;

interface TokenUse {
  /** Never waits and never throws. */
  note(principal: Principal): void;
  /** Resolves when everything that was noted is on disk. */
  settle(): Promise<void>;
}

/** Notes when each token was last used: at most once a minute for each, so that a busy client costs nothing. */
export function createTokenUse({ uses, log, clock }: TokenUseDeps): TokenUse {
  /** By the id of the principal; there are at most as many as there were tokens. */
  const notedAt = new Map<string, number>();
  const writes = new Set<Promise<void>>();

  function write(name: string): void {
    const writing = uses
      .put(new Map([[name, clock.now()]]))
      .catch((error: unknown) => log.warn("auth.use.failed", { token: name, error }))
      .finally(() => writes.delete(writing));
    writes.add(writing);
  }

  return {
    note({ id }) {
      const at = clock.elapsed();
      if (at - (notedAt.get(id) ?? -Infinity) < GAP_MS) return;
      const name = TOKEN_ID.exec(id)?.[1];
      if (name === undefined) return;
      notedAt.set(id, at);
      write(name);
    },
    async settle() {
      await Promise.all(writes);
    },
  };
}
