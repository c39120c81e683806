/** Tokens as `--json` and the API have them. */
import { isExpired, type LastUses, type ShownToken, type TokenEntry } from "../../app/app.ts";

/** A limit that a token does not have is left out. */
function viewLimits({ profiles, effects, tools, expiresAt }: Partial<TokenEntry>) {
  return {
    ...(profiles !== undefined && { profiles: [...profiles] }),
    ...(effects !== undefined && { effects: [...effects] }),
    ...(tools !== undefined && { tools: [...tools] }),
    ...(expiresAt !== undefined && { expires_at: expiresAt }),
  };
}

/** With its text, which is told once. */
export function viewNew({ name, permissions, token, ...limits }: ShownToken) {
  return { name, scopes: [...permissions], ...viewLimits(limits), token };
}

export type TokenView = ReturnType<typeof viewEntry>;

export function viewEntry(entry: TokenEntry, uses: LastUses) {
  const usedAt = uses.get(entry.name);
  return {
    name: entry.name,
    scopes: [...entry.permissions],
    ...viewLimits(entry),
    ...(isExpired(entry) && { expired: true as const }),
    created_at: entry.createdAt,
    last_used_at: usedAt === undefined ? null : new Date(usedAt).toISOString(),
  };
}
