/** Code as `execute` checks it before it runs: every mistake and every doubt by itself, with its place. */
import { randomUUID } from "node:crypto";
import { succeed, type ToolResult } from "../../core/result.ts";
import type { AnswerOf } from "../contract/contract.ts";
import type { OperatorDeps, Viewer } from "../operator.ts";

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
