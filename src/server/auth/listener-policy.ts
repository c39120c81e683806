import { DEFAULT_TOKEN_NAME } from "./token.ts";
import { isLoopbackHost } from "./loopback.ts";

export interface Listener {
  readonly host: string;
  readonly hasIssuer: boolean;
  /** The names of the gateway's own tokens. */
  readonly tokenNames: readonly string[];
}

export type ListenerPermit =
  | { readonly kind: "allowed" }
  | { readonly kind: "refused"; readonly message: string; readonly hint: string };

/**
 * May we listen there? On this machine always: a token is needed anyway. Beyond it only where somebody has thought of
 * who may come in; the default token, which can do everything and was made by nobody, is not that.
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
