/**
 * What every request passes before any route sees it: is it addressed to us, does a web page send it that may, whose
 * token does it carry? In this order, and without exception; a request that is refused here has touched nothing else.
 */
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import type { Gate } from "../auth/gate.ts";
import { checkHost, checkOrigin, type AddressPolicy } from "../auth/origin-check.ts";
import { bareHostOf } from "../auth/loopback.ts";
import { baseFor } from "../auth/resource-metadata.ts";
import type { AuthFailure } from "../../telemetry/metrics.ts";
import { fail } from "../../core/result.ts";
import { replyEmpty, replyError, replyToolError, type HttpError } from "./reply.ts";
import { API_PATH, isBelow, isForBrowser, isOriginOf } from "./security-headers.ts";
import { headerOf, type HttpCall } from "./http-call.ts";

/** The exact texts of Host headers that were found good, so that the usual request pays one look-up. */
const KNOWN_HOSTS_MAX = 32;
const PREFLIGHT_SECONDS = 600;
const METRICS_PATH = "/metrics";

export interface RequestGuardDeps {
  readonly gate: Gate;
  readonly policy: AddressPolicy;
  readonly bases: readonly string[];
  /** A request was refused. */
  readonly refused: (reason: AuthFailure) => void;
}

export interface RequestGuard {
  /**
   * Whether it is addressed to us and comes from where it may; if not, it has been answered. Metrics may be asked for by
   * any address: a scraper finds replicas by their addresses, which no config can name. Its token is checked as ever.
   */
  checkAddress(call: HttpCall): boolean;
  /** The same for what any page may read: only by which name it was sent is looked at. */
  checkName(call: HttpCall): boolean;
  /**
   * The same for a probe without a token, which may also come by an address or without a Host: probes of
   * orchestrators and load balancers do. A page that has its own name resolve to this machine is known by that name,
   * and is refused as everywhere.
   */
  checkProbe(call: HttpCall): boolean;
  /** Whether a known principal has sent it; if not, it has been answered. */
  checkToken(call: HttpCall): boolean | Promise<boolean>;
}

/** Whether there is one Host header, with an IP address. */
function isByAddress({ request }: HttpCall): boolean {
  const { host } = request.headers;
  return host !== undefined && countHeader(request, "host") === 1 && isAddress(host);
}

/** Whether a Host header is an IP address, with or without a port. */
function isAddress(host: string): boolean {
  return isIP(bareHostOf(host.replace(/:\d{1,5}$/, ""))) !== 0;
}

/** How often a header was sent. Node keeps the first of these two and says nothing of the others. */
function countHeader({ rawHeaders }: IncomingMessage, name: string): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const sent = rawHeaders[at]!;
    if (sent.length === name.length && sent.toLowerCase() === name) count++;
  }
  return count;
}

/** The console itself, under whatever name it was reached: the Host was found good before. */
function isOwnPage({ path, request: { headers } }: HttpCall): boolean {
  return isForBrowser(path) && isOriginOf(headers.origin ?? "", headers.host);
}

/** In the words of JSON-RPC, or of the API where that was asked. Always false: the request goes no further. */
function refuse({ path, response }: HttpCall, error: HttpError): false {
  if (!isBelow(path, API_PATH)) replyError(response, error);
  else {
    const code = error.status === 429 ? "RATE_LIMITED" : "SECURITY_ERROR";
    replyToolError(response, error.status, fail(code, error.message).error, error.headers);
  }
  return false;
}

export function createRequestGuard({ gate, policy, bases, refused }: RequestGuardDeps): RequestGuard {
  const knownHosts = new Set<string>();

  function checkAddress(call: HttpCall): boolean {
    if (!checkName(call)) return false;
    return call.request.headers.origin === undefined || isOwnPage(call) || checkPage(call);
  }

  function checkName(call: HttpCall): boolean {
    const { request } = call;
    const { host = "" } = request.headers;
    const isScrape = call.path === METRICS_PATH && isByAddress(call);
    if (!isScrape && (countHeader(request, "host") !== 1 || !knownHosts.has(host))) {
      const check = checkHost(request.headersDistinct["host"], policy);
      if (check.kind === "refused") {
        refused("host");
        return refuse(call, check);
      }
      if (knownHosts.size < KNOWN_HOSTS_MAX) knownHosts.add(host);
    }
    if (countHeader(request, "authorization") > 1) {
      const message = "A request has one Authorization header at most.";
      return refuse(call, { status: 400, message });
    }
    return true;
  }

  function checkPage(call: HttpCall): boolean {
    const { request, response } = call;
    const check = checkOrigin(request.headersDistinct["origin"], policy);
    if (check.kind === "refused") {
      refused("origin");
      return refuse(call, check);
    }
    response.setHeader("Access-Control-Allow-Origin", request.headers.origin!);
    response.setHeader("Access-Control-Expose-Headers", "Mcp-Session-Id, WWW-Authenticate");
    response.setHeader("Vary", "Origin");
    if (request.method !== "OPTIONS") return true;
    replyEmpty(response, 204, {
      "Access-Control-Allow-Methods": "GET, POST, DELETE",
      "Access-Control-Allow-Headers": request.headers["access-control-request-headers"] ?? "",
      "Access-Control-Max-Age": String(PREFLIGHT_SECONDS),
    });
    return false;
  }

  async function ask(call: HttpCall): Promise<boolean> {
    const { request, path } = call;
    const admission = await gate.admit({
      authorization: request.headers.authorization,
      remote: request.socket.remoteAddress ?? "",
      resource: path,
      base: baseFor(headerOf(call, "host"), bases),
    });
    if (admission.kind === "admitted") {
      call.principal = admission.principal;
      return true;
    }
    const { status, challenge, message, retryAfterS } = admission;
    const hasTried = request.headers.authorization !== undefined;
    refused(status === 429 ? "rate_limited" : hasTried ? "invalid" : "missing");
    const headers: Record<string, string> = { "WWW-Authenticate": challenge };
    if (retryAfterS !== undefined) headers["Retry-After"] = String(retryAfterS);
    return refuse(call, { status, message, headers });
  }

  return {
    checkAddress,
    checkName,
    checkProbe(call) {
      if (call.request.headers.host !== undefined && !isByAddress(call)) return checkAddress(call);
      return call.request.headers.origin === undefined || checkPage(call);
    },
    checkToken(call) {
      call.principal = gate.known(call.request.headers.authorization);
      return call.principal !== undefined || ask(call);
    },
  };
}
