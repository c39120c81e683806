import type { Json, JsonObject } from "../../core/json.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import type { CallContext, NodeType } from "../../core/tool.ts";
import { createAddressRule, RefusedUrl, type AddressPolicy, type Resolve } from "../../net/address-policy.ts";
import { isPrivateAddress } from "../../net/addresses.ts";
import { followRedirects, parseTarget, REDIRECT_COUNT_MAX } from "../../net/redirects.ts";
import { HTTP_LIMITS, httpDefinition } from "./definition.ts";
import { isHeaderValue, methodOf, parseRequest } from "./params.ts";
import { answerOf, PRIVATE_ADDRESS_HINT, resultOf, statusFailure } from "./http-result.ts";
import { readCount, readFlag, readText } from "../param.ts";
import type { NodePolicy } from "../policy.ts";
import { limitTime } from "../time-limit.ts";

/** Those that mean the same when they arrive twice. */
const REPEATABLE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "PUT", "DELETE"]);

export interface HttpDeps {
  readonly policy: () => NodePolicy;
  readonly version: string;
  readonly resolve?: Resolve;
}

export function createHttp(deps: HttpDeps): NodeType {
  return {
    definition: httpDefinition,
    rawParams: [],
    isRepeatable: (params) => REPEATABLE_METHODS.has(methodOf(params)),
    precheck: (params) => precheckHttp(params, addressPolicyOf(deps)),
    call: (params, context) => callHttp(params, context, deps),
  };
}

/** A name may lead anywhere when the node runs; an address that is written out does not change. */
async function precheckHttp(params: JsonObject, addresses: AddressPolicy): Promise<ToolResult<unknown>> {
  const text = readText(params, "url");
  if (text === undefined) return succeed(undefined);
  const target = parseTarget(text);
  if (!target.ok) return fail("TOOL_INVALID_INPUT", `The url ${target.message}.`, { field: "url" });
  try {
    await addresses.checkUrl(target.url);
    return succeed(undefined);
  } catch (error) {
    if (!(error instanceof RefusedUrl)) throw error;
    const message = "The host of the url is a private address.";
    return fail("SECURITY_ERROR", message, { field: "url", hint: PRIVATE_ADDRESS_HINT });
  }
}

async function callHttp(params: JsonObject, context: CallContext, deps: HttpDeps): Promise<ToolResult<Json>> {
  const request = parseRequest(params, ownHeaders(context, deps.version));
  if (!request.success) return request;
  const timeoutMs = readCount(params, "timeout_ms", HTTP_LIMITS.timeoutMs, HTTP_LIMITS.timeoutMsMax);
  const limit = limitTime(context, timeoutMs, "timeout_ms");
  const journey = await followRedirects(request.data, {
    policy: addressPolicyOf(deps),
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

function addressPolicyOf({ policy, resolve }: HttpDeps): AddressPolicy {
  return createAddressRule(policy().allowPrivateHttp ? () => false : isPrivateAddress, resolve);
}

/**
 * What is sent unless the caller says otherwise. The key makes a step that is sent twice one effect where the service
 * knows it.
 */
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
