/**
 * The edge where answers leave. Whatever a client is told by any gateway (the whole one, a profile, a server fronted alone) passes
 * here once, and has no secret of the config in it: not in the results and errors of servers, not in the answers of meta-tools, not
 * in resources, prompts, progress and log messages.
 *
 * An answer is data, so only the exact values of known secrets are taken out, in all their encodings; an answer without one is
 * passed on as it is, uncopied. Inside, between one tool and the next, data is whole: code that reads a file and writes it back
 * does not write marks into it.
 */
import type { JsonObject } from "../core/json.ts";
import type { Redactor } from "../text/redaction.ts";
import { RPC_ERROR, type CallContext, type ToolAnswer } from "../core/tool.ts";
import type { Gateway } from "./gateway.ts";

type Mask = Redactor["mask"];

/** `redactor` is the one for the secrets of the config as it is now. */
export function maskGateway(gateway: Gateway, redactor: () => Pick<Redactor, "mask">): Gateway {
  const mask: Mask = (value) => redactor().mask(value);
  const maskAsync = async <T>(answer: Promise<T>): Promise<T> => mask(await answer);
  const answerOf = async (answer: Promise<ToolAnswer>): Promise<ToolAnswer> => maskAnswer(await answer, mask);
  return {
    // With the bytes of the list of tools: they are made of lists that were masked when they were read (upstream-server.ts).
    ...gateway,
    describe: (context) => maskAsync(gateway.describe(context)),
    listPage: (method, params, context) => maskAsync(gateway.listPage(method, params, context)),
    listTools: (context) => maskAsync(gateway.listTools(context)),
    listOffers: (context) => maskAsync(gateway.listOffers(context)),
    callTool: (name, args, context) => answerOf(gateway.callTool(name, args, maskContext(context, mask))),
    callUpstream(name, args, context) {
      const answer = gateway.callUpstream(name, args, maskContext(context, mask));
      return answer && answerOf(answer);
    },
    executeWorkflow: (text, args, context) =>
      answerOf(gateway.executeWorkflow(text, args, maskContext(context, mask))),
    forward: (method, params, context) =>
      maskAsync(gateway.forward(method, params, maskContext(context, mask))),
  };
}

/** What the client hears on the way to its answer. */
function maskContext<T extends Partial<CallContext> | undefined>(context: T, mask: Mask): T {
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

function maskAnswer(answer: ToolAnswer, mask: Mask): ToolAnswer {
  const refusal = answer[RPC_ERROR];
  if (refusal !== undefined) return { ...answer, [RPC_ERROR]: mask(refusal) };
  const masked = mask(answer);
  if (masked.structuredContent === answer.structuredContent) return masked;
  // A text that repeats the structure is written again: in there a secret may be escaped more often than anybody looks for.
  const repeated = JSON.stringify(answer.structuredContent);
  const content = answer.content.map((item, at) =>
    item["text"] === repeated
      ? { ...item, text: JSON.stringify(masked.structuredContent) }
      : masked.content[at]!,
  );
  return { ...masked, content };
}
