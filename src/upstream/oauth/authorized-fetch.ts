/** Puts the token of a login on requests to the server that it is for, and on no others. */
import type { Fetch } from "../../net/http-client.ts";
import { isOwnOrigin } from "../../net/address-policy.ts";
import { challengeOf, isInsufficientScope } from "./challenge.ts";
import type { Credentials } from "./credentials.ts";

/** A renewed token that the server does not take either means a new login, which is asked for once. */
const RENEWALS_MAX = 2;

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
