import { randomUUID } from "node:crypto";
import type { JsonObject } from "../core/json.ts";
import type { CallContext, ToolAnswer } from "../core/tool.ts";
import type { Redactor } from "../text/redaction.ts";
import { errorAnswer, toAnswer, unexpected, withTrace } from "./answer.ts";
import type { GatewayDeps } from "./gateway-deps.ts";
import { maskAnswer, maskContext, type Mask } from "./masked-gateway.ts";
import { createMetaTools } from "./meta-tools/meta-tools.ts";

/** `execute` for a workflow that is neither a draft nor saved: its text, and the other arguments of `execute`. */
export type ExecuteWorkflow = (
  text: string,
  args: JsonObject,
  context?: Partial<CallContext>,
) => Promise<ToolAnswer>;

/** The answer has no secret of the config in it, as every answer to a client. */
export function createWorkflowExecution(
  deps: GatewayDeps,
  redactor: () => Pick<Redactor, "mask">,
): ExecuteWorkflow {
  const { execute } = createMetaTools(deps);
  const mask: Mask = (value) => redactor().mask(value);
  return async (text, args, partial) => {
    const given = { traceId: randomUUID(), signal: new AbortController().signal, ...partial };
    const context = maskContext(given, mask);
    const result = await execute
      .runWorkflow(text, args, context)
      .catch((error: unknown) => unexpected(error, execute.name, context, deps.log));
    const answer = toAnswer(result);
    const told = answer.success ? answer.data : errorAnswer(answer.error, true);
    return maskAnswer(withTrace(told, context), mask);
  };
}
