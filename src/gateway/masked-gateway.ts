/**
 * The edge where answers leave. Whatever a client is told by any gateway (the whole one, a profile, a server fronted
 * alone) passes here once, and has no secret of the config in it: not in the results and errors of servers, not in
 * the answers of meta-tools, not in resources, prompts, progress and log messages.
 *
 * An answer is data, so only the exact values of known secrets are taken out, in all their encodings; an answer
 * without one is passed on as it is, uncopied. Inside, between one tool and the next, data is whole: code that reads
 * a file and writes it back does not write marks into it.
 */
import { isJsonObject, type JsonObject } from "../core/json.ts";
import { succeed } from "../core/result.ts";
import type { Redactor } from "../text/redaction.ts";
import { RPC_ERROR, type CallContext, type ToolAnswer } from "../core/tool.ts";
import type { Gateway } from "./gateway.ts";

export type Mask = Redactor["mask"];

/** `redactor` is the one for the secrets of the config as it is now. */
export function maskGateway(gateway: Gateway, redactor: () => Pick<Redactor, "mask">): Gateway {
  const mask: Mask = (value) => redactor().mask(value);
  const maskAsync = async <T>(answer: Promise<T>): Promise<T> => mask(await answer);
  const maskOne = (answer: ToolAnswer): ToolAnswer => maskAnswer(answer, mask);
  return {
    describe: (context) => maskAsync(gateway.describe(context)),
    async list(method, params, context) {
      const listed = await gateway.list(method, params, context);
      if (!listed.success) return mask(listed);
      const { data } = listed;
      return succeed({
        get page() {
          return mask(data.page);
        },
        version: data.version,
        // Made of lists that were masked when they were read (upstream-server.ts).
        bytes: data.bytes,
      });
    },
    find(name) {
      const found = gateway.find(name);
      return (
        found && {
          definition: found.definition,
          call: (args, context) => found.call(args, maskContext(context, mask)).then(maskOne),
        }
      );
    },
    callTool: (name, args, context) => gateway.callTool(name, args, maskContext(context, mask)).then(maskOne),
    async forward(method, params, context) {
      const answer = await gateway.forward(method, params, maskContext(context, mask));
      return answer.success ? succeed(maskTask(answer.data, mask)) : mask(answer);
    },
    watch: (listener) => gateway.watch(listener),
  };
}

/** What the client hears on the way to its answer. */
export function maskContext<T extends Partial<CallContext> | undefined>(context: T, mask: Mask): T {
  if (context?.onProgress === undefined && context?.onNotice === undefined) return context;
  const { onProgress, onNotice } = context;
  return {
    ...context,
    ...(onProgress !== undefined && { onProgress: (progress: JsonObject) => onProgress(mask(progress)) }),
    ...(onNotice !== undefined && {
      onNotice: (method: string, params: JsonObject) => onNotice(method, mask(params)),
    }),
  };
}

/** What a task came to is an answer of a tool. */
function maskTask(answer: JsonObject, mask: Mask): JsonObject {
  const { taskId, result } = answer;
  if (taskId === undefined || !isJsonObject(result) || !Array.isArray(result["content"])) return mask(answer);
  return { ...mask(answer), result: maskAnswer(result as unknown as ToolAnswer, mask) as JsonObject };
}

export function maskAnswer(answer: ToolAnswer, mask: Mask): ToolAnswer {
  const refusal = answer[RPC_ERROR];
  if (refusal !== undefined) return { ...answer, [RPC_ERROR]: mask(refusal) };
  const masked = mask(answer);
  if (masked.structuredContent === answer.structuredContent) return masked;
  // A text that repeats the structure is written again: in there a secret may be escaped more often than the search
  // allows for.
  const repeated = JSON.stringify(answer.structuredContent);
  const content = answer.content.map((item, at) =>
    item["text"] === repeated
      ? { ...item, text: JSON.stringify(masked.structuredContent) }
      : masked.content[at]!,
  );
  return { ...masked, content };
}
