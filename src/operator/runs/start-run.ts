/**
 * Starting and resuming runs, as `execute` does for a client. A run that was started goes on when the page that started
 * it is closed; the same request twice starts once, and the page finds its run by the session that it named.
 */
import { randomUUID } from "node:crypto";
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
function sessionOfRequest(requestId: string): string {
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
  // A person who continues a run wants it to go on, also one that the queue would leave.
  return execute(viewer, id, { ...args, resume: runId, background: false } as JsonObject);
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
    return readAnswer(
      await viewer.gateway.callTool("execute", withoutUndefined({ ...args, calls: true }), context),
    );
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

/** Code as `execute` checks it before it runs: every mistake and every doubt by itself, with its place. */
export async function checkCode(
  { app }: OperatorDeps,
  { context }: Viewer,
  code: string,
): Promise<ToolResult<AnswerOf<"checkCode">>> {
  const checked = await app.runs.checkCode(code, { ...context, traceId: randomUUID() });
  if (checked.ok) {
    const { tools } = checked.prepared;
    return succeed({
      ok: true,
      problems: checked.doubts.map(({ message, place }) => ({ severity: "warning", message, ...place })),
      tools: [...new Set(tools.flatMap((tool) => (tool === undefined ? [] : [tool.name])))],
    });
  }
  const problems = checked.faults.map(({ error, place, in: source }) => ({
    severity: "error" as const,
    message: source === undefined ? error.message : `In ${source}, ${error.message}`,
    ...place,
    ...(error.hint !== undefined && { hint: error.hint }),
  }));
  return succeed({ ok: false, problems, tools: [] });
}
