import type { ToolError } from "../core/errors.ts";
import { INVALID_PARAMS } from "../core/rpc-codes.ts";

/**
 * What is refused in the words of JSON-RPC: by the server, or because a state was given that this gateway has not
 * sealed.
 */
export function refusalOf(error: ToolError): ToolError["upstream"] {
  if (error.reason !== "request_state_refused") return error.upstream;
  const { message, hint } = error;
  return { code: INVALID_PARAMS, message: hint === undefined ? message : `${message} ${hint}` };
}
