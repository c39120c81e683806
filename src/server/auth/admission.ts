import type { Principal } from "../../core/principal.ts";
import type { Fetch } from "./issuer-fetch.ts";
import type { ScopeNames } from "./permission.ts";

export type Admission =
  | { readonly kind: "admitted"; readonly principal: Principal }
  | {
      readonly kind: "refused";
      readonly status: 401 | 429;
      /** For WWW-Authenticate. */
      readonly challenge: string;
      readonly message: string;
      readonly retryAfterS?: number;
    };

export interface AdmissionRequest {
  readonly authorization: string | undefined;
  /** The peer's address. */
  readonly remote: string;
  /** The path, which decides whom a token must be meant for. */
  readonly resource: string;
  /** The address that the client used, one of `bases`; without it, the first of them. */
  readonly base?: string;
}

/** The issuer whose access tokens are taken beside the gateway's own. */
export interface GateOAuth {
  readonly issuer: string;
  /** Without it, the addresses of the endpoint. */
  readonly audience?: string;
  /** Without it, the one that the issuer's metadata name. */
  readonly jwksUrl?: string;
  readonly scopes: ScopeNames;
  /** What clients know the gateway by, as `basesOf` makes it. */
  readonly bases: readonly string[];
  /** For the issuer's documents. */
  readonly fetch: Fetch;
  /** Runs something later and returns how to call it off; a timer unless given. */
  readonly later?: (delayMs: number, run: () => void) => () => void;
}
