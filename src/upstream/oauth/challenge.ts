import { extractWWWAuthenticateParams } from "@modelcontextprotocol/client";

/** What a server said when it refused a request. */
export interface Challenge {
  readonly resourceMetadataUrl?: URL;
  readonly scope?: string;
}

export function challengeOf(response: Response): Challenge {
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
  return { resourceMetadataUrl, scope };
}

/** The token is good, and is not for this. */
export function isInsufficientScope(response: Response): boolean {
  return response.status === 403 && extractWWWAuthenticateParams(response).error === "insufficient_scope";
}
