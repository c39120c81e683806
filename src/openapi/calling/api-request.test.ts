import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import type { CallPlan, ParameterPlan } from "../api-description.ts";
import { requestOf } from "./api-request.ts";
import { NO_CREDENTIALS } from "./credentials.ts";

const parameter = (name: string, place: ParameterPlan["in"], more: object = {}): ParameterPlan => ({
  argument: name,
  name,
  in: place,
  style: place === "query" || place === "cookie" ? "form" : "simple",
  explode: place === "query",
  isJson: false,
  ...more,
});

const PLAN: CallPlan = {
  method: "GET",
  path: "/users/{user}/files/{file}",
  parameters: [
    parameter("user", "path"),
    parameter("file", "path"),
    parameter("q", "query"),
    parameter("X-Trace", "header"),
    parameter("seen", "cookie"),
  ],
  security: [],
  accept: "application/json",
};

const BASE = new URL("https://api.example.com/v1/");
const MAKING = { base: BASE, credentials: NO_CREDENTIALS, headers: {}, own: new Map<string, string>() };

function make(args: JsonObject, plan: CallPlan = PLAN, making: object = {}) {
  return requestOf(plan, args, { ...MAKING, ...making });
}

function urlOf(args: JsonObject, plan?: CallPlan): string | undefined {
  const made = make(args, plan);
  return made.success ? made.data.url.href : undefined;
}

describe("T034: a path parameter", () => {
  it.each([
    ["../admin", "..%2Fadmin"],
    ["a/b", "a%2Fb"],
    ["a?x=1", "a%3Fx%3D1"],
    ["a#b", "a%23b"],
    ["a\r\nHost: evil", "a%0D%0AHost%3A%20evil"],
    ["%2e%2e", "%252e%252e"],
    ["%2e%2e/", "%252e%252e%2F"],
    ["a\\b", "a%5Cb"],
    ["\ud800", "%EF%BF%BD"],
    ["ä😀", "%C3%A4%F0%9F%98%80"],
    ["@evil.example", "%40evil.example"],
    ["a\0b", "a%00b"],
  ])("%j stays in its segment", (user, segment) => {
    expect(urlOf({ user, file: "f" })).toBe(`https://api.example.com/v1/users/${segment}/files/f`);
  });

  it.each([".", "..", 0.5])(
    "that is %j is refused where it would be a step of the path, and taken where it is not",
    (user) => {
      const made = make({ user, file: "f" });
      if (typeof user === "number") expect(made.success).toBe(true);
      else expect(made).toMatchObject({ success: false, error: { code: "SECURITY_ERROR", field: "user" } });
    },
  );

  it("that comes to dots only with its neighbours, or with its style, is refused", () => {
    const two = { ...PLAN, path: "/{a}{b}/x", parameters: [parameter("a", "path"), parameter("b", "path")] };
    expect(make({ a: ".", b: "." }, two)).toMatchObject({
      success: false,
      error: { code: "SECURITY_ERROR" },
    });
    const label = { ...PLAN, path: "/{a}/x", parameters: [parameter("a", "path", { style: "label" })] };
    expect(make({ a: "." }, label)).toMatchObject({ success: false, error: { code: "SECURITY_ERROR" } });
  });

  it.each<JsonObject>([{ file: "f" }, { user: "", file: "f" }, { user: [], file: "f" }])(
    "%j has no path",
    (args) => {
      expect(make(args)).toMatchObject({
        success: false,
        error: { code: "TOOL_INVALID_INPUT", field: "user" },
      });
    },
  );
});

it("the query has the caller's values and the key of the config, and nothing of the path", () => {
  const credentials = { ...NO_CREDENTIALS, query: [["api_key", "s&cret"]] };
  const made = make({ user: "u", file: "f", q: ["a&b=c", "#"] }, PLAN, { credentials });
  expect(made.success && made.data.url.search).toBe("?q=a%26b%3Dc&q=%23&api_key=s%26cret");
});

describe("headers", () => {
  it.each(["a\r\nX-Evil: 1", "a\nb", "\0", "☃"])("T034: %j is no value of one", (value) => {
    const made = make({ user: "u", file: "f", "X-Trace": value });
    expect(made).toMatchObject({ success: false, error: { code: "TOOL_INVALID_INPUT", field: "X-Trace" } });
  });

  it("of the config and its login win over those of a caller", () => {
    const plan = { ...PLAN, parameters: [...PLAN.parameters, parameter("Authorization-Like", "header")] };
    const making = {
      headers: { "x-TRACE": "configured" },
      credentials: { ...NO_CREDENTIALS, headers: [["authorization", "Bearer t"]] },
    };
    const made = make({ user: "u", file: "f", "X-Trace": "mine" }, plan, making);
    expect(made.success && [...made.data.headers]).toEqual([
      ["accept", "application/json"],
      ["x-trace", "configured"],
      ["authorization", "Bearer t"],
    ]);
  });

  it("of the config that cannot be sent stop the call before it is made", () => {
    const made = make({ user: "u", file: "f" }, PLAN, { headers: { "X-Key": "a\nb" } });
    expect(made).toMatchObject({ success: false, error: { code: "TOOL_UNAVAILABLE" } });
    expect(JSON.stringify(made)).not.toContain("a\\nb");
  });

  it("cookies of the caller are encoded, and cannot add others", () => {
    const credentials = { ...NO_CREDENTIALS, cookies: [["sid", "abc=="]] };
    const made = make({ user: "u", file: "f", seen: "1; sid=evil" }, PLAN, { credentials });
    expect(made.success && made.data.headers.get("cookie")).toBe("seen=1%3B%20sid%3Devil; sid=abc==");
  });
});

describe("a body", () => {
  const bodied = (kind: string, mediaType: string, files: string[] = []) =>
    ({ ...PLAN, method: "POST", path: "/up", parameters: [], body: { kind, mediaType, files } }) as CallPlan;
  const sent = (plan: CallPlan, body: JsonObject[string]) => {
    const made = make({ body }, plan);
    return made.success
      ? { type: made.data.headers.get("content-type"), text: String(made.data.body) }
      : made.error.message;
  };

  it("is JSON, a form or text", () => {
    expect(sent(bodied("json", "application/merge-patch+json"), [1, null])).toEqual({
      type: "application/merge-patch+json",
      text: "[1,null]",
    });
    const form = bodied("form", "application/x-www-form-urlencoded");
    expect(sent(form, { a: "x&y=1", list: [1, 2], none: null, deep: { b: 1 } })).toEqual({
      type: "application/x-www-form-urlencoded",
      text: "a=x%26y%3D1&list=1&list=2&deep=%7B%22b%22%3A1%7D",
    });
    expect(sent(form, "text")).toBe(
      "The argument body must be an object: it is sent as application/x-www-form-urlencoded.",
    );
    expect(sent(bodied("text", "text/plain"), "a\nb")).toEqual({ type: "text/plain", text: "a\nb" });
  });

  it("of several parts has files as bytes, and no name or value ends a part", () => {
    const plan = bodied("multipart", "multipart/form-data", ["file"]);
    const whole = sent(plan, { 'na"me\r\nX: 1': "--x\r\n", file: Buffer.from([0, 255]).toString("base64") });
    const { type, text } = whole as { type: string; text: string };
    const boundary = /boundary=(.+)$/.exec(type)![1]!;
    expect(text.split(`--${boundary}`)).toHaveLength(4);
    expect(text).toContain('name="na%22me%0D%0AX: 1"\r\n\r\n--x\r\n');
    expect(text).toContain('name="file"; filename="file"\r\nContent-Type: application/octet-stream');
    expect(sent(plan, { file: "no base64!" })).toContain("must be bytes as base64");
  });

  it("of bytes is decoded", () => {
    const made = make({ body: "AP8=" }, bodied("bytes", "image/png"));
    expect(made.success && made.data.body).toEqual(Buffer.from([0, 255]));
    expect(make({ body: 5 }, bodied("bytes", "image/png"))).toMatchObject({ error: { field: "body" } });
  });
});
