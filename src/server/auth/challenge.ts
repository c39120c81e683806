/** The text of a WWW-Authenticate header (RFC 6750, RFC 9728). */
export interface ChallengeParams {
  readonly error?: "invalid_token" | "insufficient_scope";
  readonly error_description?: string;
  readonly scope?: string;
  readonly resource_metadata?: string;
}

export function challengeOf(params: ChallengeParams): string {
  const fields = Object.entries(params).map(([name, value]: [string, string]) => `${name}=${quoted(value)}`);
  return fields.length === 0 ? "Bearer" : `Bearer ${fields.join(", ")}`;
}

/** A quoted-string of RFC 9110: nothing in it can end it, or begin another header. */
function quoted(text: string): string {
  return `"${text.replace(/[^\t\x20-\x7e]/gu, "?").replace(/[\\"]/g, "\\$&")}"`;
}
