/** The console of a gateway that listens, and the one-time links to it. */
import { createConsoleSessions, type TokenEntry, type Tokens } from "../app/app.ts";
import type { ListenOptions } from "../app/contract.ts";
import { systemClock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import type { Store } from "../core/store.ts";
import type { ApiDeps } from "./api.ts";
import { mayAddPrograms } from "./servers/may-add-programs.ts";

/** What `listenHttp` needs to serve it. The API and its views are loaded with the first request for them. */
export function consoleFor(deps: ApiDeps, log: Log): NonNullable<ListenOptions["console"]> {
  return {
    routes: async () => (await import("./api.ts")).createApiRoutes(deps),
    openFeed: async () => (await import("./changes.ts")).createChanges(deps, log),
    mayAddPrograms: () => mayAddPrograms(deps.config.current(), deps.host),
  };
}

export interface ConsoleLink {
  /** The link itself is in the fragment, which no browser sends to a server. */
  readonly url: string;
  readonly expires_at: string;
  readonly token: string;
}

interface LinkRequest {
  readonly tokens: Tokens;
  /** Of the MCP endpoint. */
  readonly endpoint: string;
  /** The token that the session speaks for. */
  readonly token: string;
  readonly profile?: string | undefined;
}

export async function makeConsoleLink(
  { seals }: Pick<Store, "seals">,
  { tokens, endpoint, token: asked, profile }: LinkRequest,
): Promise<ToolResult<ConsoleLink>> {
  const entry = await findToken(tokens, asked);
  if (!entry.success) return entry;
  const token = entry.data.name;
  const { profiles, hash } = entry.data;
  const chosen = profile ?? profiles?.[0] ?? null;
  if (chosen !== null && profiles !== undefined && !profiles.includes(chosen))
    return fail("TOOL_INVALID_INPUT", `The token ${token} does not open the profile ${chosen}.`, {
      field: "profile",
      hint: `It opens ${profiles.join(", ")}.`,
    });
  const sessions = createConsoleSessions(seals, systemClock);
  const { link, expiresAt } = await sessions.makeLink({ digest: hash, profile: chosen });
  const url = new URL("/console", endpoint);
  url.hash = `link=${link}`;
  return succeed({ url: url.href, expires_at: new Date(expiresAt).toISOString(), token });
}

/** Where there is no default token, the one of the environment is meant. */
async function findToken(tokens: Tokens, name: string): Promise<ToolResult<TokenEntry>> {
  if (name !== "default") return tokens.find(name);
  const ofEnvironment = tokens.hasDefault ? undefined : await tokens.find("environment");
  if (ofEnvironment?.success === true) return ofEnvironment;
  await tokens.showDefault();
  return tokens.find(name);
}
