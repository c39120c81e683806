/** The people behind access tokens of the issuer. One token is one principal for as long as it is good. */
import { systemClock } from "../../core/clock.ts";
import { PERMISSIONS, type Principal } from "../../core/principal.ts";
import type { GateOAuth } from "./admission.ts";
import { createAccessTokenReader, type AccessToken, type AccessTokenDeps } from "./access-token.ts";
import { scopeNameOf, type ScopeNames } from "./permission.ts";

/** Each has a timer. Past it the oldest is ended before its time: its client gets in again with the next request. */
const LIVE_MAX = 10_000;
/** Longer ones fire at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;

export interface OAuthPrincipalsDeps extends AccessTokenDeps {
  readonly scopes: ScopeNames;
  readonly later?: GateOAuth["later"];
  readonly liveMax?: number;
}

interface OAuthPrincipal {
  readonly kind: "good";
  readonly principal: Principal;
  readonly audiences: readonly string[];
  readonly expiresAtMs: number;
}

type OAuthReading = OAuthPrincipal | Extract<AccessToken, { kind: "bad" }>;

export interface OAuthPrincipals {
  /** Who the token speaks for; `digest` is its hash, by which it is known again. Never throws. */
  read(token: string, digest: string): Promise<OAuthReading>;
  close(): void;
}

interface Live extends OAuthPrincipal {
  end(): void;
  stop(): void;
}

export function createOAuthPrincipals(deps: OAuthPrincipalsDeps): OAuthPrincipals {
  const { issuer, scopes, clock = systemClock, later = runLater, liveMax = LIVE_MAX } = deps;
  const readToken = createAccessTokenReader(deps);
  /** By hash of the token, the oldest first. */
  const live = new Map<string, Live>();

  function begin(token: Extract<AccessToken, { kind: "good" }>, digest: string): Live {
    const revocation = new AbortController();
    const granted = PERMISSIONS.filter((permission) => token.scopes.has(scopeNameOf(permission, scopes)));
    const { audiences, expiresAtMs, subject } = token;
    const end = (): void => {
      stop();
      live.delete(digest);
      revocation.abort(new Error("the token is no longer good"));
    };
    let stop = (): void => {};
    const wait = (): void => {
      const leftMs = expiresAtMs - clock.now();
      if (leftMs <= 0) end();
      else stop = later(Math.min(leftMs, TIMER_MS_MAX), wait);
    };
    const principal: Principal = {
      id: `oauth:${issuer}#${subject}`,
      name: subject,
      permissions: new Set(granted),
      revoked: revocation.signal,
    };
    const begun: Live = { kind: "good", principal, audiences, expiresAtMs, end, stop: () => stop() };
    live.set(digest, begun);
    wait();
    if (live.size > liveMax) live.values().next().value!.end();
    return begun;
  }

  function knownAs(digest: string): Live | undefined {
    const known = live.get(digest);
    if (known === undefined || known.expiresAtMs > clock.now()) return known;
    // The clock was set, or the machine slept: the timer is late.
    known.end();
    return undefined;
  }

  return {
    async read(token, digest) {
      const known = knownAs(digest);
      if (known !== undefined) return known;
      const read = await readToken(token);
      if (read.kind === "bad") return read;
      return knownAs(digest) ?? begin(read, digest);
    },
    close() {
      for (const each of live.values()) each.stop();
      live.clear();
    },
  };
}

function runLater(delayMs: number, run: () => void): () => void {
  const timer = setTimeout(run, delayMs);
  timer.unref();
  return () => clearTimeout(timer);
}
