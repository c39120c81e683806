/** What the failure of a request, or an answer that is none, says about a remote server. */
import type { FailureCause } from "../failure-cause.ts";
import { RefusedUrl } from "../../net/address-policy.ts";

const NAME_CODES: ReadonlySet<string> = new Set(["ENOTFOUND", "EAI_AGAIN", "EAI_NODATA", "EAI_NONAME"]);
/** The codes that OpenSSL and Node give to certificates and handshakes. */
const TLS_CODE =
  /^(?:ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH$|EPROTO$)/;
const MCP_TYPE = /^(?:application\/json|text\/event-stream)\b/i;

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
