/** The gateway's own tokens, and what each of them can do. */
import { lastUsesOf, type App, type ShownToken, type TokenEntry } from "../../app/app.ts";
import { EFFECTS } from "../../core/rule.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import { parseMoment } from "../../text/moment.ts";
import type { Handlers, OperatorDeps, Viewer } from "../operator.ts";
import { recordChange } from "../record-change.ts";
import { viewEntry, viewNew } from "./token-view.ts";

export const tokenHandlers: Handlers<
  "listTokens" | "getToken" | "createToken" | "revokeToken" | "rotateToken"
> = {
  async listTokens(deps) {
    const uses = await lastUsesOf(deps.app.store);
    const entries = await deps.app.tokens.list();
    return succeed({ tokens: entries.map((entry) => viewEntry(entry, uses)) });
  },
  async getToken(deps, _viewer, { params: { token } }) {
    const found = await deps.app.tokens.find(token);
    return found.success ? succeed(await describeToken(deps.app, found.data)) : found;
  },
  async createToken(deps, viewer, { body }) {
    const { name, scopes, profiles, effects, tools, expires_at: expires } = body;
    if (effects?.length === 0) return NO_EFFECTS;
    const expiresAt = expires === undefined ? undefined : instantOf(expires);
    if (expires !== undefined && expiresAt === undefined) return BAD_EXPIRY;
    const made = await deps.app.tokens.create(name, scopes, { profiles, effects, tools, expiresAt });
    return tellNew(deps, viewer, "token.created", made);
  },
  async revokeToken(deps, viewer, { params: { token } }) {
    const revoked = await deps.app.tokens.revoke(token);
    if (!revoked.success) return revoked;
    await recordChange(deps, viewer, { action: "token.revoked", subject: token });
    return succeed({ revoked: token });
  },
  async rotateToken(deps, viewer, { params: { token } }) {
    return tellNew(deps, viewer, "token.rotated", await deps.app.tokens.rotate(token));
  },
};

/** `30d` from now or a date, as ISO 8601. */
function instantOf(written: string, now: number = Date.now()): string | undefined {
  const at = parseMoment(written, 1, now);
  return at === undefined || at > EXPIRES_AT_MAX ? undefined : new Date(at).toISOString();
}

/** The last year that is written with four digits. */
const EXPIRES_AT_MAX = Date.UTC(9999, 11, 31);

const BAD_EXPIRY = fail("TOOL_INVALID_INPUT", "This is no time at which a token could expire.", {
  field: "expires_at",
  hint: "Give 30d or 12h, a date such as 2027-01-31, or leave it out.",
});

export const NO_EFFECTS = fail("TOOL_INVALID_INPUT", "A token without an effect may call nothing.", {
  field: "effects",
  hint: `Give some of ${EFFECTS.join(", ")}, or leave --effects out for all.`,
});

/** A token's limits and all that it can do, by each address that it opens. */
export async function describeToken(app: Pick<App, "store" | "describeToken">, entry: TokenEntry) {
  const [uses, reach] = await Promise.all([lastUsesOf(app.store), app.describeToken(entry)]);
  return {
    ...viewEntry(entry, uses),
    reach: reach.map((one) => ({
      ...one,
      tools: one.tools.map((tool) => ({ ...tool, rule: { ...tool.rule } })),
      pending: [...one.pending],
    })),
  };
}

async function tellNew(
  deps: OperatorDeps,
  viewer: Viewer,
  action: "token.created" | "token.rotated",
  made: ToolResult<ShownToken>,
) {
  if (!made.success) return made;
  await recordChange(deps, viewer, { action, subject: made.data.name });
  return succeed(viewNew(made.data));
}
