import { expect, it } from "vitest";
import { fail, succeed } from "../core/result.ts";
import {
  endSpan,
  NO_SPAN,
  NO_TELEMETRY,
  outcomeOf,
  requestAttributes,
  requestSpanName,
  startRequestSpan,
  type Span,
} from "./telemetry.ts";

it("names a span by method and by tool or prompt, and never by a URI", () => {
  expect(requestSpanName("tools/call", "get_weather")).toBe("tools/call get_weather");
  expect(requestSpanName("prompts/get", "analyze")).toBe("prompts/get analyze");
  expect(requestSpanName("resources/read", "file:///etc/passwd")).toBe("resources/read");
  expect(requestSpanName("tools/list")).toBe("tools/list");
});

it("has the attributes of the semantic conventions for MCP", () => {
  const facts = { method: "tools/call", target: "get_weather", requestId: 7, protocolVersion: "2026-07-28" };
  expect(requestAttributes({ ...facts, transport: "http" })).toEqual({
    "mcp.method.name": "tools/call",
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "get_weather",
    "jsonrpc.request.id": "7",
    "mcp.protocol.version": "2026-07-28",
    "network.transport": "tcp",
    "network.protocol.name": "http",
  });
  expect(
    requestAttributes({ method: "prompts/get", target: "p", transport: "stdio", server: "git" }),
  ).toEqual({
    "mcp.method.name": "prompts/get",
    "gen_ai.prompt.name": "p",
    "network.transport": "pipe",
    "repertoire.server": "git",
  });
});

it("a session is told apart in spans, and its id is not in them", () => {
  const sessionId = "s".repeat(36);
  const mark = requestAttributes({ method: "ping", sessionId })["mcp.session.id"];
  expect(mark).toMatch(/^[0-9a-f]{16}$/);
  expect(requestAttributes({ method: "ping", sessionId })["mcp.session.id"]).toBe(mark);
  expect(requestAttributes({ method: "ping", sessionId: "t".repeat(36) })["mcp.session.id"]).not.toBe(mark);
});

it("T156: names from clients are cut and cannot break a line", () => {
  const name = `a\nb\u001b[31m${"x".repeat(10_000)}`;
  const spanName = requestSpanName("tools/call", name);
  expect(spanName).toMatch(/^tools\/call a\\u\{a\}b\\u\{1b\}\[31mx+$/);
  expect(spanName.length).toBeLessThan(200);
});

it("tells how a call ended", () => {
  expect(outcomeOf(succeed({ content: [] }))).toBe("ok");
  expect(outcomeOf(succeed({ content: [], isError: true }))).toBe("tool_error");
  expect(outcomeOf(fail("TOOL_TIMEOUT", ""))).toBe("timeout");
  expect(outcomeOf(fail("CANCELLED", ""))).toBe("cancelled");
  expect(outcomeOf(fail("SECURITY_ERROR", ""))).toBe("refused");
  expect(outcomeOf(fail("TOOL_NOT_FOUND", ""))).toBe("error");
});

it("a span that failed says which class of failure, in codes", () => {
  const told: unknown[] = [];
  const span: Span = {
    context: undefined,
    set: (key, value) => told.push([key, value]),
    fail: (type) => told.push(type),
    end: () => told.push("end"),
  };
  endSpan(span, succeed({ content: [] }));
  endSpan(span, succeed({ isError: true }));
  endSpan(span, fail("TOOL_UNAVAILABLE", "secret text"));
  const upstream = { code: -32602, message: "secret text" };
  endSpan(span, fail("TOOL_EXECUTION_FAILED", "secret text", { upstream }));
  expect(told).toEqual([
    "end",
    "tool_error",
    "end",
    "TOOL_UNAVAILABLE",
    "end",
    ["rpc.response.status_code", "-32602"],
    "-32602",
    "end",
  ]);
});

it("without telemetry every span is the same one", () => {
  const span = startRequestSpan(NO_TELEMETRY, "server", { method: "tools/list" }, undefined);
  expect(span).toBe(NO_SPAN);
  expect(NO_TELEMETRY.startSpan("x", { kind: "internal" })).toBe(NO_SPAN);
  expect(span.context).toBeUndefined();
});
