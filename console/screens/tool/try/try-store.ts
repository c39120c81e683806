/**
 * The tries of this session, by tool: in memory only, for arguments and answers may be private. A try goes on when its screen is
 * left, and its answer is here when somebody comes back.
 */
import type { Answer } from "../../../api/client.ts";
import { ApiError, toolErrorOf } from "../../../api/api-error.ts";
import { newRequestId } from "../../../api/request-id.ts";
import type { JsonObject } from "../written-call.ts";

export type CallAnswer = Answer<"callTool">;

export interface Try {
  /** Names the attempt: sent twice, the call is made once. */
  readonly requestId: string;
  readonly at: string;
  readonly args: JsonObject;
  readonly state: "under_way" | "answered" | "failed";
  readonly answer?: CallAnswer;
  readonly error?: ReturnType<typeof toolErrorOf>;
  /** No answer came, so it is not known whether the call was made. */
  readonly isLost?: boolean;
}

/** The state whose icon and word a try has. */
export function stateOf({ state, answer, error, isLost }: Try): string {
  if (state === "under_way") return "under_way";
  if (error?.code === "APPROVAL_REQUIRED") return "waiting";
  if (isLost === true) return "uncertain";
  return state === "failed" ? "failed" : answer?.isError === true ? "tool_error" : "ok";
}

/** Answers can be large. */
const TRIES_MAX = 20;
const NONE: readonly Try[] = [];

const tries = new Map<string, readonly Try[]>();
const listeners = new Set<() => void>();

export function watchTries(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Newest first. */
export function triesOf(tool: string): readonly Try[] {
  return tries.get(tool) ?? NONE;
}

export type SendCall = (args: JsonObject, requestId: string) => Promise<CallAnswer>;

/** Sends a call, unless one is under way. After a lost answer the same arguments are the same attempt. */
export async function sendTry(tool: string, args: JsonObject, send: SendCall): Promise<void> {
  const [last] = triesOf(tool);
  if (last?.state === "under_way") return;
  const isAgain = last?.isLost === true && JSON.stringify(last.args) === JSON.stringify(args);
  const requestId = isAgain ? last.requestId : newRequestId();
  put(tool, { requestId, at: new Date().toISOString(), args, state: "under_way" });
  put(tool, { ...triesOf(tool)[0]!, ...(await outcomeOf(send(args, requestId))) });
}

async function outcomeOf(sent: Promise<CallAnswer>): Promise<Partial<Try> & Pick<Try, "state">> {
  try {
    return { state: "answered", answer: await sent };
  } catch (failure) {
    const isLost = failure instanceof ApiError && failure.isUnreachable;
    return { state: "failed", error: toolErrorOf(failure), isLost };
  }
}

/** One with the same request takes the place of the other. */
function put(tool: string, one: Try): void {
  const others = triesOf(tool).filter(({ requestId }) => requestId !== one.requestId);
  tries.set(tool, [one, ...others].slice(0, TRIES_MAX));
  for (const listener of listeners) listener();
}
