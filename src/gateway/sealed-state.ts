/**
 * The `requestState` of every answer that asks a modern client for input: made here when it leaves the gateway,
 * opened here when it comes back.
 *
 * - A state is encrypted and authenticated (AES-256-GCM) with a key of the store, so every process on the same store
 *   can open it, also after a restart, and no client can read or change it.
 * - It is bound to the principal, the profile, the method, the name and the arguments of the request that it
 *   answered, has an expiry, and counts once. What does not fit is refused before anything is done; it is never
 *   ignored.
 * - Once is one row in the store, written before the state is acted on: a process that dies in between leaves a state
 *   that is used up and an action that did not happen. A held call is in the memory of one process, which counts its
 *   rounds itself: a state that reaches another process by mistake must stay good for the right one.
 */
import { randomUUID } from "node:crypto";
import { systemClock, type Clock } from "../core/clock.ts";
import { crashPoint } from "../process/crash-point.ts";
import { hashJson, NO_LIMITS, type JsonObject } from "../core/json.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import { openText, SEALING_KEY_BYTES, sealText } from "../text/sealed-text.ts";
import type { SealStore } from "../core/store.ts";
import type { CallContext } from "../core/tool.ts";
import { HELD_MS } from "./held-call.ts";

/** What a client asks for: the same when it comes back. */
export interface BoundRequest {
  readonly method: string;
  /** The tool, the prompt or the URI. */
  readonly name: string;
  readonly args: JsonObject;
  /** The profile that it came through, where the context has no view that says so. */
  readonly profile?: string;
}

/** What a state means. */
export type StateContent =
  /** The question of a paused run; see `OpenQuestion`. */
  | { readonly kind: "approval"; readonly runId: string; readonly questionId: string }
  /** A call that is held open in one process; of several replicas, in this one. */
  | {
      readonly kind: "held";
      readonly callId: string;
      readonly round: number;
      readonly replica?: string | undefined;
    }
  /** What a modern server asks itself, with its own state; null where it gave none. */
  | { readonly kind: "server"; readonly server: string; readonly state: string | null };

export type SealState = (content: StateContent, request: BoundRequest, context: CallContext) => string;

export interface SealedStates {
  /** Loads the key where it is not known yet. */
  sealer(): Promise<SealState>;
  /** What the state of a request means; undefined where none came. A state that is not good here is refused. */
  open(request: BoundRequest, context: CallContext): Promise<ToolResult<StateContent | undefined>>;
  /**
   * The other replica that holds the call of a state, so that the request can be passed on to it before anything of it is
   * looked at. Whether the state is good for the request is decided there.
   */
  holderOf(state: string): Promise<string | undefined>;
}

export interface SealedStatesDeps {
  readonly store: SealStore;
  readonly clock?: Clock;
  /** This process among several on one store. */
  readonly replica?: string | undefined;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** How long a state is good for. */
const LIFETIME_MS: Readonly<Record<StateContent["kind"], number>> = {
  /** A question may wait over a holiday. The run waits longer than that: resuming it asks again. */
  approval: 14 * DAY_MS,
  /** No longer than the call itself is held. */
  held: HELD_MS,
  /** Time to look something up or to log in elsewhere; servers seldom remember what they asked for longer. */
  server: DAY_MS,
};

const KEY_NAME = "request-state";

/** Whom and what a state is for. */
interface Binding {
  readonly principal: string | null;
  readonly profile: string | null;
  readonly method: string;
  readonly name: string;
  readonly argsDigest: string;
}

interface SealedState {
  readonly id: string;
  readonly expiresAt: number;
  readonly binding: Binding;
  readonly content: StateContent;
}

export function createSealedStates({ store, clock = systemClock, replica }: SealedStatesDeps): SealedStates {
  const loadKey = async (): Promise<Buffer> => (await store.key(KEY_NAME)).subarray(0, SEALING_KEY_BYTES);

  return {
    async sealer() {
      const key = await loadKey();
      return (content, request, context) => {
        const expiresAt = clock.now() + LIFETIME_MS[content.kind];
        const binding = bindingOf(request, context);
        const placed = content.kind === "held" ? { ...content, replica } : content;
        const sealed: SealedState = { id: randomUUID(), expiresAt, binding, content: placed };
        return sealText(key, KEY_NAME, JSON.stringify(sealed));
      };
    },
    async open(request, context) {
      const state = context.modern?.requestState;
      if (state === undefined) return succeed(undefined);
      const text = openText(await loadKey(), KEY_NAME, state);
      if (text === undefined) return refuseState("was not made by this gateway, or was changed", CALL_AGAIN);
      const sealed = JSON.parse(text) as SealedState;
      const mismatch = findMismatch(sealed.binding, bindingOf(request, context));
      if (mismatch !== undefined) return refuseState(`was given ${mismatch}`, REPEAT_UNCHANGED);
      const { id, expiresAt, content } = sealed;
      if (expiresAt <= clock.now()) return refuseState("has expired", wayOnFrom(content));
      const isFirst = content.kind === "held" || (await store.spend(id, expiresAt));
      if (!isFirst) return refuseState("was used already", wayOnFrom(content));
      crashPoint("state.spent");
      return succeed(content);
    },
    async holderOf(state) {
      if (replica === undefined) return undefined;
      const text = openText(await loadKey(), KEY_NAME, state);
      const content = text === undefined ? undefined : (JSON.parse(text) as SealedState).content;
      return content?.kind === "held" && content.replica !== replica ? content.replica : undefined;
    },
  };
}

const REPEAT_UNCHANGED = "Repeat the call that it was given for, unchanged and with the same token.";
export const CALL_AGAIN =
  "Call again without requestState and inputResponses; look first whether the earlier call took effect.";

/** For the author of a client: over the wire it is the JSON-RPC error -32602. */
export function refuseState(what: string, hint: string): ToolResult<never> {
  return fail("TOOL_INVALID_INPUT", `The requestState ${what}.`, {
    field: "requestState",
    reason: "request_state_refused",
    hint,
  });
}

/** For requests about which nothing is ever asked: a state that comes with one is a mistake, and is told. */
export function checkNoState({ modern }: Pick<CallContext, "modern">): ToolResult<void> {
  if (modern?.requestState === undefined) return succeed(undefined);
  return refuseState("was given for another call: nothing is asked about this one", REPEAT_UNCHANGED);
}

function wayOnFrom(content: StateContent): string {
  if (content.kind !== "approval") return CALL_AGAIN;
  return `Go on with execute {resume: "${content.runId}"}: if the run still waits, it asks again.`;
}

function bindingOf({ method, name, args, profile }: BoundRequest, { principal, view }: CallContext): Binding {
  return {
    principal: principal?.id ?? null,
    profile: profile ?? view?.profile ?? null,
    method,
    name,
    argsDigest: hashJson(args, NO_LIMITS),
  };
}

function findMismatch(sealed: Binding, now: Binding): string | undefined {
  if (sealed.principal !== now.principal) return "to another principal";
  if (sealed.profile !== now.profile) return "through another profile";
  if (sealed.method !== now.method || sealed.name !== now.name) return "for another call";
  return sealed.argsDigest === now.argsDigest ? undefined : "for other arguments";
}
