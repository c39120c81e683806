/**
 * Logs in to a remote server from a browser on this machine. The page of the authorization server is told to the caller;
 * where the browser comes back to is heard by a listener on loopback, for five minutes, while the caller does something
 * else. Where the gateway serves other machines, their browsers cannot come back to it: only the command is told.
 */
import { isLoopbackHost, type App, type AuthorizationWay } from "../../app/app.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import { commandAt } from "../command-line.ts";
import { listenForCallback, type CallbackListener } from "./login-callback.ts";
import { isReachedHereOnly } from "./may-add-programs.ts";
import type { Handlers } from "../operator.ts";
import { findServer } from "./server-list.ts";

/** A server and its authorization server answer within it, or not at all. */
const PAGE_WAIT_MS = 30_000;
/** More logins at once are a mistake; each holds a port. */
const OPEN_MAX = 8;

/** The listeners of logins under way, by the gateway and the server. */
const open = new WeakMap<App, Map<string, CallbackListener>>();

interface StartedLogin {
  readonly server: string;
  /** Where the user logs in; absent where nothing is needed, or where it has to be done at the machine. */
  readonly url?: string;
  readonly command: string;
}

export const loginHandlers: Handlers<"loginServer"> = {
  async loginServer(deps, viewer, { params }) {
    const found = findServer(deps, viewer, params.server);
    if (!found.success) return found;
    const server = found.data;
    const command = commandAt(deps.place, ["login", server]);
    if (!isReachedHereOnly(deps.config.current(), deps.host)) return succeed({ server, command });
    return startLogin(deps.app, server, command);
  },
};

async function startLogin(app: App, server: string, command: string): Promise<ToolResult<StartedLogin>> {
  const listeners = open.get(app) ?? new Map<string, CallbackListener>();
  open.set(app, listeners);
  // A page that was opened again takes the place of the one before.
  listeners.get(server)?.close();
  listeners.delete(server);
  if (listeners.size >= OPEN_MAX) return tooMany(command);
  const page = Promise.withResolvers<URL>();
  let listener: CallbackListener | undefined;
  const ended = app.logins.login(server, async (last) => {
    listener = await listenForCallback(portOf(last));
    listeners.set(server, listener);
    return wayOf(listener, page.resolve);
  });
  const finished = ended.finally(() => {
    listener?.close();
    if (listeners.get(server) === listener) listeners.delete(server);
  });
  const first = await Promise.race([page.promise, finished, tooLate()]);
  if (first === undefined) return unreachable(server, command);
  if (!(first instanceof URL)) return first.success ? succeed({ server, command }) : first;
  return isSafe(first) ? succeed({ server, url: first.href, command }) : succeed({ server, command });
}

function wayOf(listener: CallbackListener, showPage: (url: URL) => void): AuthorizationWay {
  return {
    redirectUrl: listener.redirectUrl,
    authorize(url, isAnswer) {
      showPage(url);
      return listener.waitFor(isAnswer);
    },
  };
}

function tooLate(): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(undefined), PAGE_WAIT_MS).unref();
  });
}

/** What a browser may be sent to. */
function isSafe({ protocol, hostname }: URL): boolean {
  return protocol === "https:" || (protocol === "http:" && isLoopbackHost(hostname));
}

function portOf(redirectUrl: string | undefined): number | undefined {
  const port = redirectUrl === undefined ? "" : new URL(redirectUrl).port;
  return port === "" ? undefined : Number(port);
}

function tooMany(command: string): ToolResult<never> {
  return fail("RATE_LIMITED", `${OPEN_MAX} logins are under way; finish one of them first.`, {
    hint: `Or log in at the machine: ${command}`,
  });
}

function unreachable(server: string, command: string): ToolResult<never> {
  return fail("TOOL_TIMEOUT", `${server} named no login page within ${PAGE_WAIT_MS / 1000} s.`, {
    hint: `Try it at the machine: ${command}`,
  });
}
