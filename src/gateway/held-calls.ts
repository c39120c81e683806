/**
 * Requests of modern clients that go to a server, and what the server asks before it answers. The client gets
 * `input_required` with the questions and a sealed state; it calls again with the answers and the state, until there
 * is a result.
 *
 * - A server of the legacy era asks during the call. The call is held open between the client's requests, in the
 *   memory of this process. One that waits too long, and every one when the gateway ends, is cancelled at its server.
 * - A modern server asks in its answer, with a state of its own: see `sealQuestion`. Nothing is held.
 * - What a state is good for is decided in `sealed-state.ts`, before anything is sent.
 */
import { randomUUID } from "node:crypto";
import { isAskable } from "../core/declared.ts";
import { isJsonObject, type JsonObject } from "../core/json.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import type { CallContext, ClientHandle } from "../core/tool.ts";
import { Share } from "../timing/share.ts";
import { HeldCall } from "./held-call.ts";
import {
  CALL_AGAIN,
  refuseState,
  type BoundRequest,
  type SealedStates,
  type SealState,
  type StateContent,
} from "./sealed-state.ts";

/** Each holds a call of a server, and often a process of it, for as long as its client takes. */
export const HELD_COUNT_MAX = 64;
/**
 * On top, for principals that hold none: one that lets all of its calls wait does not keep another from being asked.
 */
export const HELD_RESERVED_COUNT = 16;

/** What a client asks a server for. */
export interface HeldRequest extends BoundRequest {
  readonly method: "tools/call" | "prompts/get" | "resources/read";
  /** The id of the server that answers; asked for when it has. */
  readonly server: () => string | undefined;
  /** Goes on with a call that a rule asked about, once the client brings what the person said. */
  readonly decided?: (state: Extract<StateContent, { kind: "approval" }>) => Promise<Result>;
}

/** What of the requests that pass through can be asked back about; during the others a server asks nothing. */
export function heldRequestOf(
  method: string,
  params: JsonObject,
  findServer: (name: string) => string | undefined,
): HeldRequest | undefined {
  if (method !== "resources/read" && method !== "prompts/get") return undefined;
  const given = method === "resources/read" ? params["uri"] : params["name"];
  const name = typeof given === "string" ? given : "";
  const args = method === "prompts/get" && isJsonObject(params["arguments"]) ? params["arguments"] : {};
  return { method, name, args, server: () => findServer(name) };
}

type Result = ToolResult<JsonObject>;

export interface HeldCalls {
  /**
   * Answers a request: one that comes back with a state goes on with its call, any other is sent. Where a server may
   * ask the client, the context that it is sent with has a client to ask.
   */
  answer(
    request: HeldRequest,
    context: CallContext,
    send: (context: CallContext) => Promise<Result>,
  ): Promise<Result>;
  /**
   * Whether this is the client that a call of ours was sent with; what a server says to it is for that call's
   * requests.
   */
  isHandle(client: ClientHandle): boolean;
  /** How many wait for their client now. */
  heldCount(): number;
  /** Cancels every call, those under way too. */
  close(): void;
}

export interface HeldCallsDeps {
  readonly states: Pick<SealedStates, "sealer" | "open">;
  /** Passes what a server says unasked during a call on to the request that is under way. */
  readonly tell?: (context: CallContext, method: string, params: JsonObject) => void;
}

export function createHeldCalls({ states, tell = tellClient }: HeldCallsDeps): HeldCalls {
  const calls = new Map<string, HeldCall>();
  /** With the principal that each belongs to. */
  const waiting = new Map<HeldCall, string>();
  const share = new Share({ countMax: HELD_COUNT_MAX, reservedCount: HELD_RESERVED_COUNT });
  const handles = new WeakSet<ClientHandle>();
  let isClosed = false;

  /** Whether it was waiting. */
  function giveBack(call: HeldCall): boolean {
    const owner = waiting.get(call);
    if (owner === undefined) return false;
    share.giveBack(owner);
    return waiting.delete(call);
  }

  function begin(
    request: HeldRequest,
    context: CallContext,
    send: (context: CallContext) => Promise<Result>,
  ): Promise<Result> {
    const owner = context.principal?.id ?? "";
    let seal: SealState | undefined;
    const call = new HeldCall(randomUUID(), context, {
      async prepare() {
        seal ??= await states.sealer();
      },
      hold(held) {
        if (!share.take(owner))
          return tooManyHeld(share.explain(owner, "places for calls that wait for input"));
        waiting.set(held, owner);
        return succeed(seal!({ kind: "held", callId: held.id, round: held.round }, request, context));
      },
      onEnd(held) {
        giveBack(held);
        calls.delete(held.id);
      },
      tell,
    });
    calls.set(call.id, call);
    handles.add(call.handle);
    return call.start(context, send);
  }

  async function goOn(
    { callId, round }: Extract<StateContent, { kind: "held" }>,
    context: CallContext,
  ): Promise<Result> {
    const call = calls.get(callId);
    if (call === undefined) {
      return refuseState(
        "belongs to a call that is held no longer: it has ended, the client came back too late, or the gateway was restarted",
        CALL_AGAIN,
      );
    }
    if (call.round !== round || !giveBack(call)) {
      return refuseState("was used already", "Go on with the requestState of the newest answer.");
    }
    return call.resume(context);
  }

  return {
    async answer(request, context, send) {
      const { modern } = context;
      if (modern === undefined) return send(context);
      const opened = await states.open(request, context);
      if (!opened.success) return opened;
      if (opened.data?.kind === "held") return goOn(opened.data, context);
      if (opened.data?.kind === "approval")
        return request.decided?.(opened.data) ?? refuseState("was given for another call", CALL_AGAIN);
      if (isClosed) return fail("CANCELLED", "The gateway is ending.");
      const sealed = async (next: CallContext): Promise<Result> =>
        sealQuestion(states, await send(next), request, context);
      const below = opened.data === undefined ? context : goOnAtServer(context, opened.data);
      return isAskable(modern.capabilities) ? begin(request, below, sealed) : sealed(below);
    },
    isHandle: (client) => handles.has(client),
    heldCount: () => waiting.size,
    close() {
      isClosed = true;
      for (const call of calls.values()) {
        call.end(fail("CANCELLED", "The gateway is ending.", { mayHaveHappened: true }));
      }
    },
  };
}

function tooManyHeld(whose: string): ToolResult<never> {
  return fail("RATE_LIMITED", `The server asks for input, and the call cannot wait for it. ${whose}`, {
    mayHaveHappened: true,
    hint: "The call was cancelled. Answer or cancel one of the others, then call again.",
  });
}

/** A modern client hears it with its request. */
function tellClient({ client, onNotice }: CallContext, method: string, params: JsonObject): void {
  if (onNotice === undefined) client?.notify(method, params);
  else onNotice(method, params);
}

/**
 * A modern server that needs input answers `input_required` with a state of its own, which may stand for anything: a
 * session, an account, a payment under way. The client gets it sealed and bound, so that it comes back from the same
 * client, for the same call, to the same server, once. A question without a state is bound in the same way.
 *
 * The result as the client gets it: of one that asks, the state is sealed.
 */
async function sealQuestion(
  states: Pick<SealedStates, "sealer">,
  result: ToolResult<JsonObject>,
  request: HeldRequest,
  context: CallContext,
): Promise<ToolResult<JsonObject>> {
  if (!result.success || result.data["resultType"] !== "input_required") return result;
  const server = request.server();
  if (server === undefined)
    return fail("TOOL_UNAVAILABLE", "The server that asks for input is not there any more.");
  const { requestState } = result.data;
  const state = typeof requestState === "string" ? requestState : null;
  const seal = await states.sealer();
  return succeed({ ...result.data, requestState: seal({ kind: "server", server, state }, request, context) });
}

/** The context of a request that goes on with a round of its server. */
function goOnAtServer(
  { modern, ...context }: CallContext,
  { server, state }: Extract<StateContent, { kind: "server" }>,
): CallContext {
  const serverState = state === null ? { server } : { server, state };
  return { ...context, modern: { ...modern!, serverState } };
}
