/**
 * The console over HTTP: its files, the sessions of browsers, and the API that it reads. Files and the way in need no token;
 * everything else needs a session or a token.
 */
import { systemClock } from "../../core/clock.ts";
import { isJsonObject, parseJson } from "../../core/json.ts";
import type { Log } from "../../core/log.ts";
import { ownerSeenBy } from "../../core/principal.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import type { SealStore } from "../../core/store.ts";
import { VERSION } from "../../core/version.ts";
import { createConsoleSessions } from "../auth/console-session.ts";
import type { Gate } from "../auth/gate.ts";
import { operatorRouteOf, statusOf, type ApiRoute } from "./api-routes.ts";
import { createChangeStreams, type ChangeFeed, type ChangeStreams } from "./change-stream.ts";
import { createConsoleFiles } from "./console-files.ts";
import { createConsoleGuard } from "./console-guard.ts";
import type { HttpCall } from "./http-call.ts";
import type { OperatorRoute } from "./operator-routes.ts";
import { replyJson, replyToolError } from "./reply.ts";
import { API_PATH, CONSOLE_PATH, EVENTS_PATH, isBelow } from "./security-headers.ts";

/** What the console needs of the rest; nothing of it is loaded before a browser or a program asks. */
export interface ConsoleDeps {
  /** The built files. */
  readonly folder: string;
  readonly seals: SealStore;
  readonly routes: () => Promise<readonly ApiRoute[]>;
  readonly openFeed: () => Promise<ChangeFeed>;
  /** Whether servers that are programs can be added over HTTP. */
  readonly mayAddPrograms: () => boolean;
}

interface ConsoleFrontDeps extends ConsoleDeps {
  readonly gate: Pick<Gate, "ofDigest">;
  readonly port: number;
  readonly isSecure: boolean;
  readonly log: Log;
}

export interface ConsoleFront {
  /** Answers what needs no principal, and lets a session in. False where the request goes on, perhaps with a principal. */
  answer(call: HttpCall): Promise<boolean>;
  /** The stream of changes, for a caller with a principal. */
  stream(call: HttpCall): Promise<void>;
  routes(): Promise<readonly OperatorRoute[]>;
  close(): void;
}

const SESSION_PATH = `${API_PATH}/session`;
/** A sealed link has about 300 characters. */
const LINK_BYTES_MAX = 4_096;

export function createConsoleFront(deps: ConsoleFrontDeps): ConsoleFront {
  const sessions = createConsoleSessions(deps.seals, systemClock);
  const guard = createConsoleGuard({ ...deps, sessions });
  const files = createConsoleFiles(deps.folder);
  let streams: Promise<ChangeStreams> | undefined;
  const openStreams = async (): Promise<ChangeStreams> =>
    createChangeStreams({ feed: await deps.openFeed(), sessions });

  async function answerSession(call: HttpCall): Promise<void> {
    call.route = SESSION_PATH;
    const { method } = call.request;
    const answer = await (method === "POST" ? openSession(call) : closeSession(call));
    if (answer.success) replyJson(call.response, 200, answer.data);
    else replyToolError(call.response, statusOf(answer.error), answer.error);
  }

  async function openSession(call: HttpCall): Promise<ToolResult<object>> {
    const page = guard.checkPage(call);
    if (!page.success) return page;
    const link = await readLink(call);
    if (!link.success) return link;
    const opened = await guard.openSession(call, link.data);
    return opened.success ? succeed(viewSession(call, deps)) : opened;
  }

  async function closeSession(call: HttpCall): Promise<ToolResult<object>> {
    const page = guard.checkPage(call);
    if (!page.success) return page;
    const closed = await guard.closeSession(call);
    if (call.session !== undefined) (await streams)?.endSession(call.session.id);
    return succeed({ closed });
  }

  return {
    async answer(call) {
      const { path, request, response } = call;
      if (isBelow(path, CONSOLE_PATH)) {
        call.route = CONSOLE_PATH;
        await files.answer(call);
        return true;
      }
      if (!isBelow(path, API_PATH) || request.headers.authorization !== undefined) return false;
      if (path === SESSION_PATH && (request.method === "POST" || request.method === "DELETE")) {
        await answerSession(call);
        return true;
      }
      if (!guard.hasCookie(call)) return false;
      const admitted = await guard.admit(call);
      if (admitted.success) return false;
      replyToolError(response, statusOf(admitted.error), admitted.error);
      return true;
    },
    async stream(call) {
      call.route = EVENTS_PATH;
      if (call.principal?.permissions.has("read") !== true) {
        const { error } = fail("SECURITY_ERROR", "This needs a token with the scope read.");
        return replyToolError(call.response, 403, error);
      }
      streams ??= openStreams();
      await (await streams).answer(call);
    },
    async routes() {
      const session: ApiRoute = {
        method: "GET",
        path: "/session",
        permission: "read",
        shows: "own",
        handle: async ({ principal, session: own }) =>
          succeed(viewSession({ principal, ...(own !== undefined && { session: own }) }, deps)),
      };
      return [session, ...(await deps.routes())].map((route) => operatorRouteOf(route, deps.log));
    },
    close() {
      void streams?.then((opened) => opened.close());
    },
  };
}

/** As the contract of `getSession` has it. */
function viewSession(
  { principal, session }: Pick<HttpCall, "principal" | "session">,
  { mayAddPrograms }: ConsoleDeps,
): object {
  return {
    id: principal!.id,
    name: principal!.name,
    scopes: [...principal!.permissions],
    profile: session?.profile ?? [...(principal!.profiles ?? [])][0] ?? null,
    limited: ownerSeenBy(principal) !== undefined,
    version: VERSION,
    expires_at: session === undefined ? null : new Date(session.expiresAt).toISOString(),
    may_add_programs: mayAddPrograms(),
  };
}

async function readLink({ request }: HttpCall): Promise<ToolResult<string>> {
  const isJson = /^application\/json\b/i.test(request.headers["content-type"] ?? "");
  const length = Number(request.headers["content-length"] ?? Number.NaN);
  if (!isJson || !(length <= LINK_BYTES_MAX)) return noLink();
  let text = "";
  request.setEncoding("utf8");
  for await (const chunk of request) text += chunk;
  const parsed = parseJson(text);
  const link = parsed.ok && isJsonObject(parsed.value) ? parsed.value["link"] : undefined;
  return typeof link === "string" ? succeed(link) : noLink();
}

function noLink(): ToolResult<never> {
  return fail("TOOL_INVALID_INPUT", 'The body must be JSON such as {"link": "…"}, with its length.', {
    field: "link",
    hint: "A link is made with: repertoire console",
  });
}
