/** Who looks: found out once for the page, with the one-time link where the address had one, or with the cookie of an earlier one. */
import { ApiError, toolErrorOf } from "../api/api-error.ts";
import { ask } from "../api/client.ts";
import type { Session } from "../api/session.ts";
import type { ToolError } from "../../src/core/errors.ts";

type SigningState =
  | { readonly kind: "asking" }
  | { readonly kind: "signed_in"; readonly session: Session }
  /** `error` says why a link was refused; `ended` that there was a session. */
  | { readonly kind: "signed_out"; readonly error?: ToolError; readonly ended?: boolean }
  | { readonly kind: "unreachable"; readonly error: ToolError };

export interface SigningIn {
  readonly state: () => SigningState;
  readonly subscribe: (listener: () => void) => () => void;
  /** The gateway no longer knows who looks. */
  readonly signOut: () => void;
  /** Asks whether it still does. */
  readonly check: () => void;
  readonly retry: () => void;
}

export function createSigningIn(link: string | undefined, forget: () => void): SigningIn {
  const listeners = new Set<() => void>();
  let state: SigningState = { kind: "asking" };

  function become(next: SigningState): void {
    state = next;
    for (const listener of listeners) listener();
  }

  async function find(): Promise<void> {
    become({ kind: "asking" });
    const refused = link === undefined ? undefined : await redeem(link);
    if (refused?.kind === "signed_in") return become(refused);
    // The link may have been used by this very browser: then its cookie is still good.
    const found = await look();
    become(found.kind === "signed_out" && refused !== undefined ? refused : found);
  }

  function signOut(): void {
    if (state.kind !== "signed_in") return;
    become({ kind: "signed_out", ended: true });
    forget();
  }

  async function check(): Promise<void> {
    const found = await look();
    if (found.kind === "signed_out") signOut();
  }

  void find();
  return {
    state: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    signOut,
    check: () => void check(),
    retry: () => void find(),
  };
}

async function redeem(link: string): Promise<SigningState> {
  try {
    return { kind: "signed_in", session: await ask("openSession", { body: { link } }) };
  } catch (failure) {
    const error = toolErrorOf(failure);
    const isUnreachable = failure instanceof ApiError && failure.isUnreachable;
    return isUnreachable ? { kind: "unreachable", error } : { kind: "signed_out", error };
  }
}

async function look(): Promise<SigningState> {
  try {
    return { kind: "signed_in", session: await ask("getSession", {}) };
  } catch (failure) {
    if (failure instanceof ApiError && failure.isSignedOut) return { kind: "signed_out" };
    return { kind: "unreachable", error: toolErrorOf(failure) };
  }
}
