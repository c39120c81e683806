/**
 * Starting and resuming runs, as `execute` does for a client. A run that was started goes on when the page that started
 * it is closed; the same request twice starts once, and the page finds its run by the session that it named.
 */
import { toolErrorIn } from "../../core/errors.ts";
import { isJsonObject, type JsonObject } from "../../core/json.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import type { AnswerOf, Asked } from "../contract/contract.ts";
import { createOnceById } from "../once-by-id.ts";
import type { OperatorDeps, Viewer } from "../operator.ts";
import { findRun } from "./run-access.ts";

type Executed = AnswerOf<"startRun">;

/** Of this process. */
const started = createOnceById();

/** How a page finds the run of a request that is still under way. */
export function sessionOfRequest(requestId: string): string {
  return `console:${requestId}`;
}

export function startRun(viewer: Viewer, body: Asked<"startRun">["body"]): Promise<ToolResult<Executed>> {
  const { request_id: id, ...args } = body;
  return execute(viewer, id, args as JsonObject);
}

export async function resumeRun(
  deps: OperatorDeps,
  viewer: Viewer,
  runId: string,
  body: Asked<"resumeRun">["body"],
): Promise<ToolResult<Executed>> {
  const found = await findRun(deps, viewer, runId);
  if (!found.success) return found;
  const { request_id: id, ...args } = body;
  return execute(viewer, id, { ...args, resume: runId } as JsonObject);
}

function execute(
  viewer: Viewer,
  requestId: string | undefined,
  args: JsonObject,
): Promise<ToolResult<Executed>> {
  const who = viewer.principal?.id ?? "";
  return started.run(who, requestId, async () => {
    const context = {
      ...viewer.context,
      // Not that of the request: closing a page ends no run.
      signal: viewer.principal?.revoked ?? new AbortController().signal,
      ...(requestId !== undefined && { session: sessionOfRequest(requestId) }),
    };
    return readAnswer(await viewer.gateway.callTool("execute", withoutUndefined(args), context));
  });
}

function withoutUndefined(args: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined));
}

/** A run that failed is an answer; a request that started none is a failure. */
function readAnswer(answer: Awaited<ReturnType<Viewer["gateway"]["callTool"]>>): ToolResult<Executed> {
  const { structuredContent: content } = answer;
  if (isJsonObject(content) && typeof content["run_id"] === "string")
    return succeed(content as unknown as Executed);
  const error = toolErrorIn(answer);
  return error === undefined
    ? fail("TOOL_EXECUTION_FAILED", "The gateway did not say what became of it.")
    : { success: false, error };
}
