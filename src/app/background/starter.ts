/**
 * Who a background run acts for, looked up when it is taken up: with the limits that the token has now, and in the profile
 * as the config has it now. A token that was revoked or has expired since may do nothing, and neither may its runs.
 */
import type { Config } from "../../config/config.ts";
import type { Principal } from "../../core/principal.ts";
import { succeed, type ToolResult } from "../../core/result.ts";
import type { ToolView } from "../../core/tool.ts";
import type { ListedTools } from "../../registry/catalogue.ts";
import { starterGone, type FindStarter, type Starter } from "../../runs/background/starter.ts";
import { isExpired, type TokenEntry } from "../../server/auth/token.ts";
import { principalOf } from "../../server/auth/token-principals.ts";
import { starterPrincipal } from "./start-kept.ts";
import { viewOf } from "../token-inquiry.ts";

export interface StarterDeps {
  readonly config: () => Config;
  readonly tools: () => ListedTools;
  readonly findToken: (name: string) => Promise<TokenEntry | undefined>;
}

/** How often the token of a run under way is looked at. */
const LOOK_MS = 1_000;

const TOKEN = "token:";
const OAUTH = "oauth:";

export function createStarterFinder(deps: StarterDeps): FindStarter {
  return async ({ principal: id, profile }) => {
    const found: ToolResult<Starter> = id === null ? succeed({}) : await findPrincipal(deps, id);
    if (!found.success) return found;
    const { principal } = found.data;
    const isOutside = profile === null || principal?.profiles?.has(profile) === false;
    if (principal?.profiles !== undefined && isOutside) return outside(found.data, principal, profile);
    if (principal?.permissions.has("call") === false)
      return refuse(found.data, principal.id, "may not call tools any more");
    if (profile === null) return found;
    const view = viewFor(deps, profile);
    return view === undefined
      ? refuse(found.data, `the profile ${profile}`, "is not in the config any more")
      : succeed({ ...found.data, view });
  };
}

function outside(starter: Starter, { id }: Principal, profile: string | null): ToolResult<never> {
  const place = profile === null ? "the gateway without a profile" : `the profile ${profile}`;
  return refuse(starter, id, `may not use ${place} any more`);
}

function refuse({ release }: Starter, who: string, why: string): ToolResult<never> {
  release?.();
  return starterGone(who, why);
}

function viewFor({ config, tools }: StarterDeps, profile: string): ToolView | undefined {
  const rules = config().profiles[profile];
  return rules && viewOf(profile, rules, tools());
}

async function findPrincipal(deps: StarterDeps, id: string): Promise<ToolResult<Starter>> {
  if (id.startsWith(TOKEN)) return findToken(deps, id);
  if (id.startsWith(OAUTH)) return findOAuth(deps, id);
  const [kind = "", name = ""] = id.split(":", 2);
  const { schedules, hooks } = deps.config();
  if (kind === "schedule" && schedules[name]?.enabled === true)
    return succeed({ principal: starterPrincipal(kind, name) });
  if (kind === "hook" && hooks[name]?.enabled === true)
    return succeed({ principal: starterPrincipal(kind, name) });
  return starterGone(id);
}

async function findToken({ findToken: find }: StarterDeps, id: string): Promise<ToolResult<Starter>> {
  const name = id.slice(TOKEN.length);
  const entry = await find(name);
  if (entry === undefined) return starterGone(id, "was revoked");
  if (isExpired(entry)) return starterGone(id, "has expired");
  const revocation = new AbortController();
  const look = async (): Promise<void> => {
    const now = await find(name);
    if (now !== undefined && now.hash === entry.hash && !isExpired(now)) return;
    clearInterval(timer);
    revocation.abort(new Error("the token was revoked or has expired"));
  };
  // A list that cannot be read now says nothing about the token; the next look may.
  const timer = setInterval(() => void look().catch(() => {}), LOOK_MS).unref();
  return succeed({
    principal: principalOf(entry, revocation.signal),
    release: () => clearInterval(timer),
  });
}

/** An access token is good for minutes and is not kept: whom the issuer of the config vouched for may go on. */
function findOAuth({ config }: StarterDeps, id: string): ToolResult<Starter> {
  const issuer = config().http.oauth?.issuer;
  if (issuer === undefined || !id.startsWith(`${OAUTH}${issuer}#`))
    return starterGone(id, "came by an issuer that is not in the config any more");
  return succeed({
    principal: {
      id,
      name: id.slice(`${OAUTH}${issuer}#`.length),
      permissions: new Set(["read", "call"] as const),
      revoked: new AbortController().signal,
    },
  });
}
