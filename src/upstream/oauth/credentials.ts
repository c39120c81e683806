/**
 * The login to one server, as this process uses it. A token that the server no longer takes is renewed without a word,
 * once for all who need it: for the calls of this process by one promise, and between processes by a lock under which
 * the record is read again first. So a refresh token that may be used once is used once.
 *
 * Where only the user can help, everybody gets the same error and nothing is tried again until the record changes. A
 * gateway opens no browser; only where an `AuthorizationWay` is handed in does it go on to ask the user.
 */
import {
  computeScopeUnion,
  OAuthError,
  refreshAuthorization,
  type OAuthTokens,
} from "@modelcontextprotocol/client";
import type { Log } from "../../core/log.ts";
import { fail } from "../../core/result.ts";
import type { SecretStore } from "../../core/secret-store.ts";
import { TransportFailure } from "../transport/transport-failure.ts";
import { SingleFlight } from "../../timing/single-flight.ts";
import type { Fetch } from "../../net/http-client.ts";
import { isOwnOrigin } from "../../net/address-policy.ts";
import { reasonOf } from "./authorization-failed.ts";
import { authorize, requireBearer, type AuthorizationWay } from "./authorize.ts";
import { type Challenge, challengeOf, isInsufficientScope } from "./challenge.ts";
import type { OAuthSettings } from "./client.ts";
import { hasMoved, type DiscoveryDeps } from "./discovery.ts";
import { openRecords, type LoginRecord, type LoginRecords } from "./record.ts";

export interface CredentialsDeps extends DiscoveryDeps {
  readonly server: string;
  readonly settings: OAuthSettings;
  readonly secrets: SecretStore;
  readonly log: Log;
  /** Without it, the user is not asked. */
  readonly way?: AuthorizationWay | undefined;
}

/** The authorization server is in trouble, and the login may be as good as before. */
const PASSING_ERRORS: ReadonlySet<string> = new Set(["server_error", "temporarily_unavailable"]);

export class Credentials {
  readonly #deps: CredentialsDeps;
  readonly #records: LoginRecords;
  #record: Promise<LoginRecord | undefined> | undefined;
  readonly #recovery = new SingleFlight<void>();
  /**
   * A token that was just obtained and that the server has not taken yet: refused at once, another would not be better.
   */
  #unproven: string | undefined;

  constructor(deps: CredentialsDeps) {
    this.#deps = deps;
    this.#records = openRecords(deps.secrets, deps.server, deps.serverUrl);
  }

  async token(): Promise<string | undefined> {
    this.#record ??= this.#records.read();
    return (await this.#record)?.tokens?.access_token;
  }

  /** The server took this token. */
  prove(token: string | undefined): void {
    if (token === this.#unproven) this.#unproven = undefined;
  }

  /**
   * The server did not take this token, or asked for one: there is another after this, or it throws a
   * `TransportFailure`.
   */
  async renew(used: string | undefined, challenge: Challenge): Promise<void> {
    if ((await this.token()) !== used) return;
    await this.#recover(() => this.#renewAlone(used, challenge));
  }

  /** The token is good, and the server wants one that allows more: only the user can give that. */
  async widen(used: string | undefined, challenge: Challenge): Promise<void> {
    if ((await this.token()) !== used) return;
    await this.#recover(() => this.#records.exclusive(() => this.#widenAlone(used, challenge)));
  }

  /** The one error for everything that only the user can help with. */
  required(why: string): TransportFailure {
    const { server } = this.#deps;
    return new TransportFailure(
      fail("TOOL_UNAVAILABLE", `The server ${server} needs a login: ${why}.`, {
        reason: "auth_required",
        retryable: false,
        hint: `Ask the user to run: repertoire login ${server}`,
      }).error,
    );
  }

  #recover(work: () => Promise<void>): Promise<void> {
    return this.#recovery.run(work);
  }

  #renewAlone(used: string | undefined, challenge: Challenge): Promise<void> {
    return this.#records.exclusive(async () => {
      const record = await this.#records.read();
      this.#record = Promise.resolve(record);
      const current = record?.tokens?.access_token;
      // Another process was faster, or the user has logged in.
      if (current !== undefined && current !== used) return;
      const why = await this.#refresh(record, used, challenge);
      if (why !== undefined) await this.#ask(record, challenge, why);
    });
  }

  /** Renews the token, or says why only the user can help. */
  async #refresh(
    record: LoginRecord | undefined,
    used: string | undefined,
    challenge: Challenge,
  ): Promise<string | undefined> {
    const refreshToken = record?.tokens?.refresh_token;
    if (record?.tokens === undefined)
      return used === undefined ? "there is no login yet" : "the login has ended";
    if (used === this.#unproven) return "the server does not take the token that the login gave";
    if (refreshToken === undefined) return "the login has expired";
    if (await hasMoved(this.#deps, record, challenge)) return "it has turned to another authorization server";
    const outcome = await refresh(record, refreshToken, this.#deps);
    if (outcome.kind === "renewed") {
      await this.#adopt({ ...record, tokens: outcome.tokens });
      this.#deps.log.info("oauth.renewed", { server: this.#deps.server });
      return undefined;
    }
    this.#deps.log.warn("oauth.refused", { server: this.#deps.server, reason: outcome.reason });
    if (outcome.kind === "passing") throw this.#unreachable(outcome.reason);
    const { tokens: _, ...rest } = record;
    await this.#adopt(rest);
    return "the login has ended";
  }

  async #widenAlone(used: string | undefined, challenge: Challenge): Promise<void> {
    const record = await this.#records.read();
    this.#record = Promise.resolve(record);
    if (record?.tokens === undefined || record.tokens.access_token !== used) return;
    const wantedScope = computeScopeUnion(record.wantedScope, record.tokens.scope, challenge.scope);
    const wanting = wantedScope === undefined ? record : { ...record, wantedScope };
    if (wantedScope !== record.wantedScope) await this.#adopt(wanting, false);
    const scope = challenge.scope === undefined ? "more than it allows" : `the scope ${challenge.scope}`;
    await this.#ask(wanting, challenge, `it asks for ${scope}`);
  }

  /** Asks the user where there is a way to; else throws. */
  async #ask(record: LoginRecord | undefined, challenge: Challenge, why: string): Promise<void> {
    const { way } = this.#deps;
    if (way === undefined) throw this.required(why);
    try {
      await this.#adopt(await authorize({ ...this.#deps, way, challenge, previous: record }));
    } catch (error) {
      throw this.required(`${why}, and it failed: ${reasonOf(error)}`);
    }
  }

  async #adopt(record: LoginRecord, isNew = true): Promise<void> {
    await this.#records.write(record);
    this.#record = Promise.resolve(record);
    if (isNew) this.#unproven = record.tokens?.access_token;
  }

  #unreachable(reason: string): TransportFailure {
    const { server } = this.#deps;
    return new TransportFailure(
      fail("TOOL_UNAVAILABLE", `The login to the server ${server} could not be renewed: ${reason}.`, {
        reason: "auth_unavailable",
        hint: "The authorization server may be in trouble. Call again later; nothing was sent.",
      }).error,
    );
  }
}

type Refreshed =
  | { readonly kind: "renewed"; readonly tokens: OAuthTokens }
  | { readonly kind: "passing" | "ended"; readonly reason: string };

/** Goes to the issuer of the record, and to no other. */
async function refresh(
  record: LoginRecord,
  refreshToken: string,
  { fetch }: DiscoveryDeps,
): Promise<Refreshed> {
  const { authorizationServerUrl, metadata, client, resource, tokens } = record;
  try {
    const renewed = await refreshAuthorization(authorizationServerUrl, {
      metadata,
      resource,
      clientInformation: client,
      refreshToken,
      fetchFn: fetch,
    });
    requireBearer(renewed);
    return {
      kind: "renewed",
      tokens: { ...(tokens?.scope !== undefined && { scope: tokens.scope }), ...renewed },
    };
  } catch (error) {
    const isEnd = error instanceof OAuthError && !PASSING_ERRORS.has(error.code);
    return { kind: isEnd ? "ended" : "passing", reason: reasonOf(error) };
  }
}

/** A renewed token that the server does not take either means a new login, which is asked for once. */
const RENEWALS_MAX = 2;

/** Puts the token of a login on requests to the server that it is for, and on no others. */
export function createAuthorizedFetch(fetch: Fetch, serverUrl: URL, credentials: Credentials): Fetch {
  return async (input, init) => {
    if (!isOwnOrigin(serverUrl, new URL(input))) return fetch(input, init);
    let isWidened = false;
    for (let renewals = 0; ;) {
      const token = await credentials.token();
      const response = await fetch(input, withToken(init, token));
      const isDenied = response.status === 401;
      if (!isDenied) credentials.prove(token);
      if (!isDenied && !isInsufficientScope(response)) return response;
      await response.body?.cancel();
      if (isWidened) throw credentials.required("it asks for more than the login gave");
      if (isDenied && renewals++ === RENEWALS_MAX) {
        throw credentials.required("the server does not take the token that the login gave");
      }
      if (isDenied) await credentials.renew(token, challengeOf(response));
      else await credentials.widen(token, challengeOf(response));
      isWidened ||= !isDenied;
    }
  };
}

function withToken(init: RequestInit | undefined, token: string | undefined): RequestInit | undefined {
  if (token === undefined) return init;
  const headers = new Headers(init?.headers ?? undefined);
  headers.set("authorization", `Bearer ${token}`);
  return { ...init, headers };
}
