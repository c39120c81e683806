/**
 * Reads where the authorization server sent the browser back to. Nothing in it is believed before it is sure that it
 * answers this very request: the place, the state, and the issuer, in this order; then the error text or the code.
 */
import { timingSafeEqual } from "node:crypto";
import {
  validateAuthorizationResponseIssuer,
  type AuthorizationServerMetadata,
} from "@modelcontextprotocol/client";
import { AuthorizationFailed } from "./authorization-failed.ts";

export interface ExpectedCallback {
  readonly redirectUrl: string;
  readonly state: string;
  readonly metadata: AuthorizationServerMetadata | undefined;
}

export interface AuthorizationCode {
  readonly code: string;
  readonly iss: string | undefined;
}

/**
 * Whether this answers the request that was made, whatever it says: only who made it, and who was sent it, knows the
 * state.
 */
export function belongsTo(callback: URL, { state }: Pick<ExpectedCallback, "state">): boolean {
  const states = callback.searchParams.getAll("state");
  return states.length === 1 && isSame(states[0], state);
}

export function readCallback(callback: URL, expected: ExpectedCallback): AuthorizationCode {
  const place = new URL(expected.redirectUrl);
  if (callback.origin !== place.origin || callback.pathname !== place.pathname) {
    throw new AuthorizationFailed("the answer came back to another address than the one that was given");
  }
  const parameters = callback.searchParams;
  if (!isSame(only(parameters, "state"), expected.state)) {
    throw new AuthorizationFailed(
      "the answer does not belong to this login: its state is missing or another",
    );
  }
  const iss = only(parameters, "iss");
  checkIssuer(iss, expected.metadata);
  const error = only(parameters, "error");
  if (error !== undefined) {
    const description = only(parameters, "error_description");
    throw new AuthorizationFailed(
      `it was refused: ${error}${description === undefined ? "" : ` (${description})`}`,
    );
  }
  const code = only(parameters, "code");
  if (code === undefined || code === "") throw new AuthorizationFailed("the answer has no code");
  return { code, iss };
}

function checkIssuer(iss: string | undefined, metadata: AuthorizationServerMetadata | undefined): void {
  const isPromised = metadata?.["authorization_response_iss_parameter_supported"] === true;
  try {
    validateAuthorizationResponseIssuer({
      iss,
      expectedIssuer: metadata?.issuer,
      issParameterSupported: isPromised,
    });
  } catch (cause) {
    throw new AuthorizationFailed("the answer comes from another authorization server", { cause });
  }
}

/** A parameter that is there twice could be read one way by us and another way by somebody else. */
function only(parameters: URLSearchParams, name: string): string | undefined {
  const values = parameters.getAll(name);
  if (values.length > 1) throw new AuthorizationFailed(`the answer has ${name} more than once`);
  return values[0];
}

function isSame(given: string | undefined, expected: string): boolean {
  if (given === undefined) return false;
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
