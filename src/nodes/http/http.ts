import { isPrivateAddress } from "../../net/addresses.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import type { CallContext, NodeType } from "../../core/tool.ts";
import { isRefusedLiteral, type AddressGuard, type Resolve } from "./address-guard.ts";
import { httpDefinition } from "./definition.ts";
import { HTTP_LIMITS } from "./limits.ts";
import { isHeaderValue, methodOf, parseRequest } from "./params.ts";
import { followRedirects, REDIRECT_COUNT_MAX } from "./redirect.ts";
import { answerOf, PRIVATE_ADDRESS_HINT, resultOf, statusFailure } from "./http-result.ts";
import { parseTarget } from "./target.ts";
import { readCount, readFlag, readText } from "../param.ts";
import type { NodePolicy } from "../policy.ts";
import { limitTime } from "../time-limit.ts";

/** Those that mean the same when they arrive twice. */
const REPEATABLE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "PUT", "DELETE"]);

export interface HttpDeps {
  readonly policy: () => NodePolicy;
  readonly version: string;
  readonly resolve: Resolve;
}

export function createHttp(deps: HttpDeps): NodeType {
  return {
    definition: httpDefinition,
    rawParams: [],
    isRepeatable: (params) => REPEATABLE_METHODS.has(methodOf(params)),
    precheck: async (params) => precheckHttp(params, guardFor(deps.policy(), deps.resolve)),
    call: (params, context) => callHttp(params, context, deps),
  };
}

/** A name may lead anywhere when the node runs; an address that is written out does not change. */
function precheckHttp(params: JsonObject, guard: AddressGuard): ToolResult<unknown> {
  const text = readText(params, "url");
  if (text === undefined) return succeed(undefined);
  const target = parseTarget(text);
  if (!target.ok) return fail("TOOL_INVALID_INPUT", `The url ${target.message}.`, { field: "url" });
  if (!isRefusedLiteral(target.url, guard)) return succeed(undefined);
  return fail("SECURITY_ERROR", "The host of the url is a private address.", {
    field: "url",
    hint: PRIVATE_ADDRESS_HINT,
  });
}

async function callHttp(params: JsonObject, context: CallContext, deps: HttpDeps): Promise<ToolResult<Json>> {
  const request = parseRequest(params, ownHeaders(context, deps.version));
  if (!request.success) return request;
  const timeoutMs = readCount(params, "timeout_ms", HTTP_LIMITS.timeoutMs, HTTP_LIMITS.timeoutMsMax);
  const limit = limitTime(context, timeoutMs, "timeout_ms");
  const journey = await followRedirects(request.data, {
    guard: guardFor(deps.policy(), deps.resolve),
    signal: limit.signal,
    bytesMax: readCount(params, "max_bytes", HTTP_LIMITS.bytesMax, HTTP_LIMITS.bytesMax),
    redirectCountMax: readFlag(params, "follow_redirects", true) ? REDIRECT_COUNT_MAX : 0,
  });
  const answer = answerOf(journey, limit);
  if (!answer.success) return answer;
  if (answer.data.status >= 400 && readFlag(params, "fail_on_status", true)) {
    return statusFailure(journey.request, answer.data);
  }
  return resultOf(journey.request, answer.data);
}

function guardFor(policy: NodePolicy, resolve: Resolve): AddressGuard {
  return { resolve, refuses: policy.allowPrivateHttp ? () => false : isPrivateAddress };
}

/** What is sent unless the caller says otherwise. The key makes a step that is sent twice one effect where the service knows it. */
function ownHeaders(context: CallContext, version: string): Map<string, string> {
  const headers = new Map([
    ["user-agent", `repertoire/${version}`],
    ["accept", "*/*"],
    ["accept-encoding", "identity"],
  ]);
  const key = context.meta?.["repertoire/idempotencyKey"];
  if (typeof key === "string" && key !== "" && isHeaderValue(key)) headers.set("idempotency-key", key);
  return headers;
}
