/** Who looks: the person at this machine, or a token over HTTP. */
import type { App } from "../app/app.ts";
import { ownerSeenBy, type Principal } from "../core/principal.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import type { Viewer } from "./operator.ts";

/** What the call log and runs name as the client of calls that were made here. */
export const CONSOLE_CLIENT = "Repertoire console";

/** The person at this machine sees everything. */
export function localViewer(app: App, context: Viewer["context"]): Viewer {
  return { principal: undefined, owner: undefined, view: undefined, gateway: app.gateway, context };
}

export interface Looker {
  readonly principal: Principal;
  /** The profile through which they look, where their session or the listener names one. */
  readonly profile?: string | undefined;
  readonly provedAt?: number | undefined;
  readonly signal: AbortSignal;
}

/** A token that opens profiles only looks through one of them: the one that it names, or its first. */
export function viewerOf(app: App, { principal, profile, provedAt, signal }: Looker): ToolResult<Viewer> {
  const [first] = principal.profiles ?? [];
  const chosen = profile ?? first;
  const found = app.gatewayFor(chosen);
  const view = chosen === undefined ? undefined : app.viewFor(chosen);
  if (found === undefined || (chosen !== undefined && view === undefined)) return noProfile(chosen ?? "");
  return succeed({
    principal,
    owner: ownerSeenBy(principal),
    view,
    gateway: found.gateway,
    ...(provedAt !== undefined && { provedAt }),
    context: {
      principal,
      caller: principal.id,
      clientName: CONSOLE_CLIENT,
      signal,
      ...(view !== undefined && { view }),
    },
  });
}

function noProfile(profile: string): ToolResult<never> {
  return fail("TOOL_NOT_FOUND", `The config has no profile ${JSON.stringify(profile)} any more.`, {
    field: "profile",
    hint: "Open the console again with: repertoire console",
  });
}
