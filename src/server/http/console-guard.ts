/**
 * Lets a browser in by its session. The cookie alone proves nothing about the page that asks, so a request that brings one
 * must come from our own page: the same origin as the Host that was checked before, and for a write also a header that no
 * page of another origin can send.
 */
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import type { Gate } from "../auth/gate.ts";
import type { ConsoleSession, ConsoleSessions } from "../auth/console-session.ts";
import { headerOf, type HttpCall } from "./http-call.ts";
import { API_PATH, isOriginOf } from "./security-headers.ts";

const CONSOLE_HEADER = "x-repertoire-console";

export interface ConsoleGuardDeps {
  readonly gate: Pick<Gate, "ofDigest">;
  readonly sessions: ConsoleSessions;
  /** Cookies do not know ports: two gateways on one machine must not overwrite each other's. */
  readonly port: number;
  /** Whether browsers reach the gateway by https. */
  readonly isSecure: boolean;
}

export interface ConsoleGuard {
  /** Whether a request brings a cookie of ours. */
  hasCookie(call: HttpCall): boolean;
  /** Puts the principal of the session into the call, or says why not. */
  admit(call: HttpCall): Promise<ToolResult<void>>;
  /** Whether the request comes from our own page; for what needs no session yet. */
  checkPage(call: HttpCall): ToolResult<void>;
  openSession(call: HttpCall, link: string): Promise<ToolResult<ConsoleSession>>;
  closeSession(call: HttpCall): Promise<boolean>;
}

export function createConsoleGuard({ gate, sessions, port, isSecure }: ConsoleGuardDeps): ConsoleGuard {
  const name = `repertoire_console_${port}`;

  function setCookie({ response }: HttpCall, value: string, maxAgeS: number): void {
    const secure = isSecure ? "; Secure" : "";
    response.setHeader(
      "Set-Cookie",
      `${name}=${value}; Path=${API_PATH}; Max-Age=${maxAgeS}; HttpOnly; SameSite=Strict${secure}`,
    );
  }

  async function keep(call: HttpCall, session: ConsoleSession): Promise<void> {
    const leftS = Math.max(0, Math.floor((session.expiresAt - session.seenAt) / 1000));
    setCookie(call, await sessions.seal(session), leftS);
  }

  /** The session, and the principal of its token while that is good. */
  async function find(call: HttpCall): Promise<ConsoleSession | undefined> {
    const cookie = cookieOf(call, name);
    const session = cookie === undefined ? undefined : await sessions.read(cookie);
    const owner = session && gate.ofDigest(session.digest);
    if (session === undefined || owner === undefined) return undefined;
    call.principal = owner.principal;
    call.session = session;
    return session;
  }

  return {
    hasCookie: (call) => cookieOf(call, name) !== undefined,
    checkPage: (call) => checkPage(call),
    async admit(call) {
      const page = checkPage(call);
      if (!page.success) return page;
      const session = await find(call);
      if (session === undefined) {
        setCookie(call, "", 0);
        return ENDED;
      }
      const renewed = sessions.renewed(session);
      if (renewed !== undefined) await keep(call, renewed);
      return succeed(undefined);
    },
    async openSession(call, link) {
      const opened = await sessions.redeem(link);
      if (!opened.success) return opened;
      const owner = gate.ofDigest(opened.data.digest);
      if (owner === undefined) return ENDED;
      call.principal = owner.principal;
      call.session = opened.data;
      await keep(call, opened.data);
      return opened;
    },
    async closeSession(call) {
      const session = await find(call);
      if (session !== undefined) await sessions.close(session);
      setCookie(call, "", 0);
      return session !== undefined;
    },
  };
}

const ENDED = fail("SECURITY_ERROR", "The session has ended, or its token is not good any more.", {
  reason: "session_ended",
  hint: "Open the console again with: repertoire console",
});

/** A write brings our header and an Origin; any request that names an Origin or a fetch site names ours. */
function checkPage(call: HttpCall): ToolResult<void> {
  const { request } = call;
  const origin = headerOf(call, "origin");
  const isRead = request.method === "GET" || request.method === "HEAD";
  const site = headerOf(call, "sec-fetch-site");
  const isForeignSite = site !== undefined && site !== "same-origin" && site !== "none";
  if (isForeignSite || (origin !== undefined && !isOriginOf(origin, headerOf(call, "host"))))
    return foreign("a page of another origin sent it");
  if (isRead) return succeed(undefined);
  if (headerOf(call, CONSOLE_HEADER) === undefined) return foreign(`the header ${CONSOLE_HEADER} is missing`);
  return origin === undefined ? foreign("the header Origin is missing") : succeed(undefined);
}

function foreign(why: string): ToolResult<never> {
  return fail("SECURITY_ERROR", `The request is refused: ${why}.`, {
    reason: "foreign_page",
    hint: "Programs use a token instead: Authorization: Bearer TOKEN. `repertoire token` shows one.",
  });
}

/** A cookie that came twice is none: the sender hopes that we read the wrong one. */
function cookieOf({ request }: HttpCall, name: string): string | undefined {
  const found = (request.headers.cookie ?? "")
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  return found.length === 1 && found[0] !== "" ? found[0] : undefined;
}
