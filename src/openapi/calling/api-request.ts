/** The request that a call means, or what is wrong with its arguments. Nothing is sent here. */
import type { Json, JsonObject } from "../../core/json.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import { quote } from "../../text/quote.ts";
import { BODY_ARGUMENT, type CallPlan, type ParameterPlace, type ParameterPlan } from "../api-description.ts";
import type { Credentials } from "./credentials.ts";
import { cookieParts, headerText, pairText, pathText, queryParts } from "./parameter-text.ts";
import { bodyOf, type RequestBody } from "./request-body.ts";

export interface ApiRequest {
  readonly url: URL;
  readonly method: string;
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body?: string | Buffer;
}

export interface RequestMaking {
  /** Where the paths of the description begin. */
  readonly base: URL;
  readonly credentials: Credentials;
  /** Of the config. */
  readonly headers: Readonly<Record<string, string>>;
  /** Our own, which every other wins over. */
  readonly own: ReadonlyMap<string, string>;
}

/** No line break, which would begin another header, and nothing beyond Latin-1. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** What ends a cookie, or a header. */
const COOKIE_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

export function requestOf(plan: CallPlan, args: JsonObject, parts: RequestMaking): ToolResult<ApiRequest> {
  const given = givenOf(plan, args);
  const url = urlOf(plan, given, parts);
  if (!url.success) return url;
  const body = readBody(plan, args);
  if (!body.success) return body;
  const headers = headersOf(plan, given, parts, body.data);
  if (!headers.success) return headers;
  const { method } = plan;
  return succeed({
    url: url.data,
    method,
    headers: headers.data,
    ...(body.data !== undefined && { body: body.data.content }),
  });
}

type Given = readonly { readonly plan: ParameterPlan; readonly value: Json }[];

/** The parameters that have a value. */
function givenOf(plan: CallPlan, args: JsonObject): Given {
  return plan.parameters.flatMap((parameter) => {
    const value = Object.hasOwn(args, parameter.argument) ? args[parameter.argument] : undefined;
    return value === undefined ? [] : [{ plan: parameter, value }];
  });
}

function inPlace(given: Given, place: ParameterPlace): Given {
  return given.filter(({ plan }) => plan.in === place);
}

function readBody({ body }: CallPlan, args: JsonObject): ToolResult<RequestBody | undefined> {
  const value = Object.hasOwn(args, BODY_ARGUMENT) ? args[BODY_ARGUMENT] : undefined;
  return body === undefined || value === undefined ? succeed(undefined) : bodyOf(body, value);
}

// ── where ───────────────────────────────────────────────────────────────────────────────────────────────────────────

const DOTS = /^(?:\.|%2e){1,2}$/i;

function urlOf(plan: CallPlan, given: Given, { base, credentials }: RequestMaking): ToolResult<URL> {
  const path = pathOf(plan, inPlace(given, "path"));
  if (!path.success) return path;
  const prefix = base.pathname.replace(/\/+$/, "");
  const url = new URL(base.href);
  url.pathname = prefix + path.data;
  // The path is as many segments below the base as the description says, whatever the values are.
  const isInside =
    url.origin === base.origin &&
    url.pathname.startsWith(`${prefix}/`) &&
    url.pathname.split("/").length === (prefix + plan.path).split("/").length;
  if (!isInside)
    return fail("SECURITY_ERROR", "The arguments lead out of the path of the operation. Nothing was sent.");
  const query = [
    ...inPlace(given, "query").flatMap((one) => queryParts(one.plan, one.value)),
    ...credentials.query.map(pairText),
  ];
  url.search = query.join("&");
  return succeed(url);
}

function pathOf({ path }: CallPlan, given: Given): ToolResult<string> {
  const texts = new Map(given.map(({ plan, value }) => [plan.name, { plan, text: pathText(plan, value) }]));
  const missing = [...path.matchAll(/\{([^{}]+)\}/g)].find(([, name]) => !texts.has(name!))?.[1];
  if (missing !== undefined) return wrong(missing, "is missing: it is part of the path");
  const empty = [...texts.values()].find(({ text }) => text === "");
  if (empty !== undefined) return wrong(empty.plan.argument, "is empty: it is part of the path");
  const filled = path.replace(/\{([^{}]+)\}/g, (_, name: string) => texts.get(name)!.text);
  if (!filled.split("/").some((part) => DOTS.test(part))) return succeed(filled);
  const dots = [...texts.values()].find(({ text }) => /^(?:\.|%2e)+$/i.test(text));
  return fail(
    "SECURITY_ERROR",
    `The argument ${dots?.plan.argument ?? "of the path"} would lead out of the path of the operation. Nothing was sent.`,
    {
      ...(dots !== undefined && { field: dots.plan.argument }),
    },
  );
}

// ── headers ─────────────────────────────────────────────────────────────────────────────────────────────────────────

function headersOf(
  plan: CallPlan,
  given: Given,
  { credentials, headers: configured, own }: RequestMaking,
  body: RequestBody | undefined,
): ToolResult<Map<string, string>> {
  const headers = new Map([...own, ["accept", plan.accept] as const]);
  if (body !== undefined) headers.set("content-type", body.contentType);
  for (const one of inPlace(given, "header")) {
    if (one.value === null) continue;
    const text = headerText(one.plan, one.value);
    if (!HEADER_VALUE.test(text)) return wrong(one.plan.argument, "has a character that no header can hold");
    headers.set(one.plan.name.toLowerCase(), text);
  }
  const cookies = cookiesOf(inPlace(given, "cookie"), credentials);
  if (!cookies.success) return cookies;
  if (cookies.data !== "") headers.set("cookie", cookies.data);
  // What the config says is not for a caller to change.
  for (const [name, value] of [...Object.entries(configured), ...credentials.headers]) {
    if (!HEADER_VALUE.test(value)) return badConfig(name);
    headers.set(name.toLowerCase(), value);
  }
  return succeed(headers);
}

function cookiesOf(given: Given, credentials: Credentials): ToolResult<string> {
  const bad = given.find(({ plan }) => !COOKIE_NAME.test(plan.name));
  if (bad !== undefined) return wrong(bad.plan.argument, "has a name that no cookie can have");
  const own = credentials.cookies.find(
    ([name, value]) => !COOKIE_NAME.test(name) || /[;,\s\p{Cc}]/u.test(value),
  );
  if (own !== undefined) return badConfig(own[0]);
  return succeed(
    [
      ...given.flatMap(({ plan, value }) => cookieParts(plan, value)),
      ...credentials.cookies.map(([name, value]) => `${name}=${value}`),
    ].join("; "),
  );
}

function badConfig(name: string): ToolResult<never> {
  return fail(
    "TOOL_UNAVAILABLE",
    `The value of ${quote(name)} in the config has a character that cannot be sent. Nothing was sent.`,
    {
      retryable: false,
      hint: "Ask the user to correct it, and then to restart the server.",
    },
  );
}

function wrong(field: string, what: string): ToolResult<never> {
  return fail("TOOL_INVALID_INPUT", `The argument ${field} ${what}.`, { field });
}
