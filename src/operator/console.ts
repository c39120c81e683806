/** The console of a gateway that listens, and the one-time links to it. */
import { createConsoleSessions, openTokens } from "../app/app.ts";
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
  readonly home: string;
  /** Of the MCP endpoint. */
  readonly endpoint: string;
  /** The token that the session speaks for. */
  readonly token: string;
  readonly profile?: string | undefined;
}

export async function makeConsoleLink(
  { seals }: Pick<Store, "seals">,
  { home, endpoint, token, profile }: LinkRequest,
): Promise<ToolResult<ConsoleLink>> {
  const tokens = openTokens(home);
  if (token === "default") tokens.showDefault();
  const entry = tokens.find(token);
  if (!entry.success) return entry;
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
