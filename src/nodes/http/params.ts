/** The parameters of the http node, as the request that they mean, or what is wrong with them. */
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import { isJsonObject } from "../../core/json.ts";
import type { HttpRequest } from "../../net/http-outcome.ts";
import { parseTarget } from "../../net/redirects.ts";
import { readParam, readText, readTexts } from "../param.ts";
import { showName } from "../shown.ts";

export const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** No line break, which would begin another header, and nothing beyond Latin-1. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** These say where a request ends and whom it is for; two opinions on that are how requests are smuggled. */
const OWN_HEADERS: ReadonlySet<string> = new Set(
  (
    "host connection content-length transfer-encoding te trailer upgrade expect keep-alive proxy-connection " +
    "accept-encoding"
  ).split(" "),
);

export function parseRequest(params: JsonObject, own: ReadonlyMap<string, string>): ToolResult<HttpRequest> {
  const method = methodOf(params);
  if (!METHODS.some((known) => known === method)) {
    return wrong("method", `There is no method ${showName(method)} here. Use one of ${METHODS.join(", ")}.`);
  }
  const target = parseTarget(readText(params, "url") ?? "");
  if (!target.ok) return wrong("url", `The url ${target.message}.`);
  const headers = parseHeaders(params);
  if (!headers.success) return headers;
  const body = parseBody(params);
  if (!body.success) return body;
  addQuery(target.url, readParam(params, "query"));
  const all = new Map([...own, ...body.data.headers, ...headers.data]);
  return succeed({ url: target.url, method, headers: all, body: body.data.bytes });
}

export function methodOf(params: JsonObject): string {
  return readText(params, "method") ?? "GET";
}

export function isHeaderValue(value: string): boolean {
  return HEADER_VALUE.test(value);
}

function parseHeaders(params: JsonObject): ToolResult<Map<string, string>> {
  const headers = new Map<string, string>();
  for (const [written, value] of readTexts(params, "headers")) {
    const name = written.toLowerCase();
    const field = `headers.${showName(written)}`;
    if (!HEADER_NAME.test(written)) return wrong(field, `${showName(written)} is not a valid header name.`);
    if (OWN_HEADERS.has(name)) return wrong(field, `The header ${name} is set by the gateway. Leave it out.`);
    if (!isHeaderValue(value)) {
      return wrong(
        field,
        `The header ${name} has a line break or another character that a header cannot carry.`,
      );
    }
    headers.set(name, value);
  }
  return succeed(headers);
}

interface Body {
  readonly bytes?: Buffer;
  readonly headers: readonly (readonly [string, string])[];
}

function parseBody(params: JsonObject): ToolResult<Body> {
  const json = readParam(params, "json");
  const text = readText(params, "body");
  if (json !== undefined && text !== undefined) return wrong("body", "Give json or body, not both.");
  if (json !== undefined) return succeed(bodyOf(JSON.stringify(json), "application/json"));
  if (text !== undefined) return succeed(bodyOf(text, "text/plain; charset=utf-8"));
  return succeed({ headers: [] });
}

function bodyOf(text: string, type: string): Body {
  return { bytes: Buffer.from(text), headers: [["content-type", type]] };
}

/** A list gives its name once for each value; null gives nothing. */
function addQuery(url: URL, query: Json | undefined): void {
  if (!isJsonObject(query)) return;
  for (const [name, value] of Object.entries(query)) {
    const values: readonly Json[] = Array.isArray(value) ? value : [value];
    for (const one of values) {
      if (one !== null)
        url.searchParams.append(name, typeof one === "object" ? JSON.stringify(one) : String(one));
    }
  }
}

function wrong(field: string, message: string): ReturnType<typeof fail> {
  return fail("TOOL_INVALID_INPUT", message, { field });
}
