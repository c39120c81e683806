import type { ToolError } from "../core/errors.ts";

/** Why a process never ran. */
export type NotStartedCause =
  /** The program is not there. */
  | "not_found"
  | "not_executable"
  /** The working folder cannot be entered. */
  | "bad_folder"
  /** A variable has a name that cannot be passed on. */
  | "bad_variable"
  /** The system refused, for a reason that only its words tell. */
  | "not_started";

/** Why a server is not to be had. What cures it is decided by this, never by the words that stand beside it. */
export type FailureCause =
  | NotStartedCause
  /** The process ended by itself. */
  | "exited"
  | "connect_timeout"
  | "name_not_found"
  /** Nobody answers at the address. */
  | "unreachable"
  /** Its certificate is not believed, or it speaks no TLS. */
  | "tls"
  /** The address policy lets nobody go there. */
  | "blocked_address"
  | "auth_required"
  /** The login could not be renewed just now. */
  | "auth_unavailable"
  /** It asked for patience. */
  | "busy"
  | "http_status"
  /** What answers does not speak MCP. */
  | "not_mcp"
  /** It wrote on and on without the end of a line. */
  | "endless_line"
  | "unknown_version"
  /** It answered the handshake with an error of its own. */
  | "refused"
  /** A connection ended, and nobody knows why. */
  | "lost";

/** What a transport said for whoever called. */
export function causeOfToolError({ reason }: ToolError): FailureCause {
  switch (reason) {
    case "auth_required":
    case "auth_unavailable":
    case "busy":
      return reason;
    default:
      return "refused";
  }
}
