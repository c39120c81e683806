/**
 * What waits for a person, over HTTP: the list of `repertoire inbox`, and the answer to a question. A model cannot come
 * here by calling a tool; whoever decides needs a token with the scope write.
 */
import type { JsonObject } from "../../core/json.ts";
import { isJsonObject, parseJson } from "../../core/json.ts";
import type { Principal } from "../../core/principal.ts";
import { fail, type ToolResult } from "../../core/result.ts";
import type { ToolErrorCode } from "../../core/errors.ts";
import { principalOf } from "./http-call.ts";
import type { OperatorRoute, RouteContext } from "./operator-routes.ts";

export interface InboxDeps {
  readonly inbox: () => Promise<readonly object[]>;
  readonly decide: (
    question: { readonly runId: string; readonly questionId: string },
    answer: { readonly isApproved: boolean; readonly principal: Principal | undefined },
  ) => Promise<ToolResult<unknown>>;
}

/** A decision is two short fields. */
const BODY_BYTES_MAX = 4_096;

export function inboxRoutes({ inbox, decide }: InboxDeps): OperatorRoute[] {
  return [
    {
      path: "/api/v1/inbox",
      permission: "write",
      shows: "whole",
      answer: async (context) => context.json({ items: await inbox() }),
    },
    {
      path: "/api/v1/runs/:run/decision",
      method: "POST",
      permission: "write",
      shows: "whole",
      async answer(context) {
        const given = await readDecision(context);
        if (!given.success) return refuse(context, given);
        const runId = context.req.param("run") ?? "";
        const { questionId, isApproved } = given.data;
        const principal = principalOf(context.env.incoming);
        const decided = await decide({ runId, questionId }, { isApproved, principal });
        if (!decided.success) return refuse(context, decided);
        return context.json({ run_id: runId, question: questionId, approved: isApproved });
      },
    },
  ];
}

interface GivenDecision {
  readonly questionId: string;
  readonly isApproved: boolean;
}

/** `{"question": id, "approve": true}`. Nothing is decided by what was left out. */
async function readDecision(context: RouteContext): Promise<ToolResult<GivenDecision>> {
  const type = context.req.header("content-type") ?? "";
  if (!/^application\/json\b/i.test(type)) return wrongBody("The body must be application/json.");
  const length = Number(context.req.header("content-length") ?? Number.NaN);
  if (!(length <= BODY_BYTES_MAX))
    return wrongBody(`The body may have ${BODY_BYTES_MAX} bytes, with their length.`);
  const parsed = parseJson(await context.req.text());
  const body: JsonObject = parsed.ok && isJsonObject(parsed.value) ? parsed.value : {};
  const { question, approve, ...rest } = body;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) return wrongBody(`There is no field ${JSON.stringify(unknown)}.`);
  if (typeof question !== "string" || typeof approve !== "boolean")
    return wrongBody("question must be a string and approve true or false.");
  return { success: true, data: { questionId: question, isApproved: approve } };
}

function wrongBody(message: string): ToolResult<never> {
  return fail("TOOL_INVALID_INPUT", message, {
    hint: 'Send {"question": "…", "approve": true}; GET /api/v1/inbox lists the questions.',
  });
}

const STATUS: Partial<Record<ToolErrorCode, 403 | 404 | 409>> = {
  SECURITY_ERROR: 403,
  TOOL_NOT_FOUND: 404,
};
/** Reasons for which the same request is right and comes too late. */
const TOO_LATE: ReadonlySet<string | undefined> = new Set(["already_answered", "expired"]);

function refuse(context: RouteContext, { error }: Extract<ToolResult<never>, { success: false }>): Response {
  const status = TOO_LATE.has(error.reason) ? 409 : (STATUS[error.code] ?? 400);
  return context.json({ error }, status);
}
