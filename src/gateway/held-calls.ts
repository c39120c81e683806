/**
 * Calls of modern clients to servers that ask back during a call. The client gets `input_required` with the questions and a sealed
 * state; it calls again with the answers and the state, and the held call goes on, until there is a result.
 *
 * - A state is good once: for the call, the round, the principal, the profile, the method, the name and the arguments that it was
 *   given for.
 *   It is sealed with a key of this process: what another process sealed is not ours, and is passed on untouched, for it may be
 *   a modern server's own.
 * - What is held is in memory. A call that waits too long, and every call when the gateway ends, is cancelled at its server.
 */
import { createHmac, randomBytes, randomUUID, timingSafeEqual } from "node:crypto";
import { isAskable } from "../core/askable.ts";
import { canonicalJson, hashText, isJsonObject, type JsonLimits, type JsonObject } from "../core/json.ts";
import { fail, type ToolResult } from "../core/result.ts";
import type { CallContext, ClientFace } from "../core/tool.ts";
import { HeldCall } from "./held-call.ts";

/** Each holds a call of a server, and often a process of it, for as long as its client takes. */
export const HELD_COUNT_MAX = 64;

/** What a client asks for: the same when it comes back. */
export interface HeldRequest {
  readonly method: "tools/call" | "prompts/get" | "resources/read";
  /** The tool, the prompt or the URI. */
  readonly name: string;
  readonly args: JsonObject;
}

/** What of the requests that pass through can be held; during the others a server asks nothing. */
export function heldRequestOf(method: string, params: JsonObject): HeldRequest | undefined {
  const { uri, name, arguments: args } = params;
  if (method === "resources/read") return { method, name: typeof uri === "string" ? uri : "", args: {} };
  if (method !== "prompts/get") return undefined;
  return { method, name: typeof name === "string" ? name : "", args: isJsonObject(args) ? args : {} };
}

type Result = ToolResult<JsonObject>;

export interface HeldCalls {
  /**
   * Answers a request: one that comes back with a state of ours goes on with its call, any other is sent. Where a server may
   * ask the client, the context that it is sent with has a client to ask.
   */
  answer(
    request: HeldRequest,
    context: CallContext,
    send: (context: CallContext) => Promise<Result>,
  ): Promise<Result>;
  /** Whether this is the client that a call of ours was sent with; what a server says to it is for that call's requests. */
  isFace(client: ClientFace): boolean;
  /** How many wait for their client now. */
  heldCount(): number;
  /** Cancels every call, those under way too. */
  close(): void;
}

export interface HeldCallsParts {
  /** Seals the states; without it, one that only this process has. */
  readonly key?: Buffer;
  /** Passes what a server says unasked during a call on to the request that is under way. */
  readonly tell?: (context: CallContext, method: string, params: JsonObject) => void;
}

export function createHeldCalls({
  key = randomBytes(32),
  tell = tellClient,
}: HeldCallsParts = {}): HeldCalls {
  const calls = new Map<string, HeldCall>();
  const waiting = new Set<HeldCall>();
  const faces = new WeakSet<ClientFace>();
  let isClosed = false;

  function begin(
    request: HeldRequest,
    context: CallContext,
    send: (context: CallContext) => Promise<Result>,
  ): Promise<Result> {
    const call = new HeldCall(randomUUID(), context, {
      hold(held) {
        if (waiting.size >= HELD_COUNT_MAX) return undefined;
        waiting.add(held);
        return seal(key, { id: held.id, round: held.round, binding: bindingOf(request, context) });
      },
      onEnd(held) {
        waiting.delete(held);
        calls.delete(held.id);
      },
      tell,
    });
    calls.set(call.id, call);
    faces.add(call.face);
    return call.start(context, send);
  }

  async function goOn(state: SealedState, request: HeldRequest, context: CallContext): Promise<Result> {
    if (state.binding !== bindingOf(request, context)) {
      return refused("was given for another call", "Repeat the call that it was given for, unchanged.");
    }
    const call = calls.get(state.id);
    if (call === undefined) {
      return refused(
        "belongs to a call that is held no longer: it has ended, or nobody came back in time",
        "Call again without requestState and inputResponses; look first whether the earlier call took effect.",
      );
    }
    if (call.round !== state.round || !waiting.delete(call)) {
      return refused("was used already", "Go on with the requestState of the newest answer.");
    }
    return call.resume(context);
  }

  return {
    async answer(request, context, send) {
      const { modern } = context;
      if (modern === undefined) return send(context);
      const state = modern.requestState === undefined ? undefined : unseal(key, modern.requestState);
      if (state !== undefined) return goOn(state, request, context);
      if (!isAskable(modern.capabilities)) return send(context);
      if (isClosed) return fail("CANCELLED", "The gateway is ending.");
      return begin(request, context, send);
    },
    isFace: (client) => faces.has(client),
    heldCount: () => waiting.size,
    close() {
      isClosed = true;
      for (const call of calls.values()) {
        call.end(fail("CANCELLED", "The gateway is ending.", { mayHaveHappened: true }));
      }
    },
  };
}

/** A modern client hears it with its request. */
function tellClient({ client, onNotice }: CallContext, method: string, params: JsonObject): void {
  if (onNotice === undefined) client?.notify(method, params);
  else onNotice(method, params);
}

interface SealedState {
  readonly id: string;
  readonly round: number;
  readonly binding: string;
}

/** What comes over a wire is bounded there; here nothing may fail. */
const UNLIMITED: JsonLimits = { depthMax: Infinity, keyCountMax: Infinity, bytesMax: Infinity };

function bindingOf({ method, name, args }: HeldRequest, { principal, view }: CallContext): string {
  const who = [principal?.id ?? null, view?.profile ?? null];
  return hashText(JSON.stringify([...who, method, name, canonicalJson(args, UNLIMITED)]));
}

function seal(key: Buffer, { id, round, binding }: SealedState): string {
  const text = `${id}.${round}.${binding}`;
  return `${text}.${createHmac("sha256", key).update(text).digest("base64url")}`;
}

function unseal(key: Buffer, state: string): SealedState | undefined {
  const [id = "", round = "", binding = ""] = state.split(".", 3);
  const parsed = { id, round: Number(round), binding };
  const [given, wanted] = [Buffer.from(state), Buffer.from(seal(key, parsed))];
  return given.length === wanted.length && timingSafeEqual(given, wanted) ? parsed : undefined;
}

/** These are for whoever wrote the client: over the wire they are the JSON-RPC error -32602. */
function refused(what: string, hint: string): ToolResult<never> {
  return fail("TOOL_INVALID_INPUT", `The requestState ${what}.`, {
    field: "requestState",
    reason: "request_state_refused",
    hint,
  });
}
