import type { ToolError } from "../core/errors.ts";
import { RefusedUrl } from "../net/address-policy.ts";

/** Why a process never ran. */
export type NotStartedCause =
  /** The program is not there. */
  | "not_found"
  | "not_executable"
  /** The working folder cannot be entered. */
  | "bad_folder"
  /** A variable has a name that cannot be passed on. */
  | "bad_variable"
  /** The registry has other bytes under the version that the config pins. */
  | "integrity_changed"
  /** A file of its bundle is not as it was unpacked. */
  | "bundle_changed"
  /** It is to be isolated, and this machine cannot do that. */
  | "no_isolation"
  /** It is to be isolated in a way that cannot be held. */
  | "bad_isolation"
  /** The system refused, for a reason that only its words tell. */
  | "not_started";

/** Why a server cannot be used. This decides what cures it, never the text of the message. */
export type FailureCause =
  | NotStartedCause
  /** The process ended by itself. */
  | "exited"
  | "connect_timeout"
  | "name_not_found"
  /** Nothing answers at the address. */
  | "unreachable"
  /** Its certificate is not believed, or it speaks no TLS. */
  | "tls"
  /** The address policy does not allow it. */
  | "blocked_address"
  | "auth_required"
  /** The login could not be renewed just now. */
  | "auth_unavailable"
  /** It asked to be called later. */
  | "busy"
  | "http_status"
  /** What answers does not speak MCP. */
  | "not_mcp"
  /** It wrote a line without an end. */
  | "endless_line"
  | "unknown_version"
  /** It answered the handshake with an error of its own. */
  | "refused"
  /** Its OpenAPI description cannot be read. */
  | "bad_description"
  /** A connection ended for an unknown reason. */
  | "lost";

/** The cause behind an error that a transport gave its caller. */
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

const NAME_CODES: ReadonlySet<string> = new Set(["ENOTFOUND", "EAI_AGAIN", "EAI_NODATA", "EAI_NONAME"]);
/** The codes that OpenSSL and Node give to certificates and handshakes. */
const TLS_CODE =
  /^(?:ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH$|EPROTO$)/;
const MCP_TYPE = /^(?:application\/json|text\/event-stream)\b/i;

/** What the failure of a request says about a remote server. */
export function causeOfFetchError(error: unknown): FailureCause {
  if (error instanceof RefusedUrl) return "blocked_address";
  const code = codeOf(error) ?? codeOf((error as { cause?: unknown } | null)?.cause) ?? "";
  if (NAME_CODES.has(code)) return "name_not_found";
  return TLS_CODE.test(code) ? "tls" : "unreachable";
}

/** Undefined for an answer that may well be one of MCP. */
export function causeOfResponse({ ok, headers }: Response): FailureCause | undefined {
  if (!ok) return "http_status";
  const type = headers.get("content-type");
  return type === null || MCP_TYPE.test(type) ? undefined : "not_mcp";
}

function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === "string" ? code : undefined;
}
