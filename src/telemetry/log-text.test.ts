import { expect, it } from "vitest";
import { textLineOf } from "./log-text.ts";

function lineOf(level: string, event: string, fields: object = {}): string {
  return textLineOf(JSON.stringify({ level, time: "2026-01-02T03:04:05.678Z", ...fields, event }));
}

it.each([
  [
    "info",
    "upstream.connected",
    { server: "github", pid: 1234, connectMs: 812 },
    "info  github started (pid 1234, 0.8 s)",
  ],
  [
    "warn",
    "isolation.refused",
    { server: "web", host: "a.org", why: "it is denied" },
    "warn  web may not reach a.org: it is denied",
  ],
  ["info", "upstream.connected", { server: "remote", connectMs: 90 }, "info  remote started (0.1 s)"],
  [
    "warn",
    "upstream.failed",
    { server: "files", reason: "it exited", stderr: ["a", "ENOENT"] },
    "warn  files failed: it exited. It said: ENOENT",
  ],
  [
    "info",
    "http.request",
    {
      method: "POST",
      route: "/mcp",
      status: 200,
      elapsedMs: 3.1,
      mcpMethod: "tools/call",
      tool: "a__b",
      outcome: "ok",
    },
    "info  POST /mcp 200 3.1 ms tools/call a__b ok",
  ],
  ["debug", "some.other", { traceId: "x", n: 1, text: "a b" }, 'debug some.other n=1 text="a b"'],
])("C10: %s %s is a sentence or its fields", (level, event, fields, wanted) => {
  expect(lineOf(level, event, fields)).toMatch(/^\d\d:\d\d:\d\d /);
  expect(lineOf(level, event, fields).slice(9)).toBe(`${wanted}\n`);
});

it("C10: an error says where it came from, below its line", () => {
  const error = {
    name: "Error",
    message: "boom",
    stack: "Error: boom\n    at one (a.ts:1)\n    at two (b.ts:2)",
  };
  expect(lineOf("error", "gateway.uncaught", { error }).slice(9)).toBe(
    'error gateway.uncaught error="boom"\n    at one (a.ts:1)\n    at two (b.ts:2)\n',
  );
  expect(lineOf("warn", "x.failed", { error }).slice(9)).toBe('warn  x.failed error="boom"\n');
});

it("C10: nothing in a line steers a terminal, forges a line or makes it endless", () => {
  const hostile = `a\n12:00:00 error forged\u001B[2J\u202E\u2028${"x".repeat(10_000)}`;
  for (const line of [
    lineOf("info", hostile),
    lineOf("info", "event", { hostile, [hostile]: 1 }),
    lineOf("warn", "upstream.failed", { server: hostile, reason: hostile, stderr: [hostile] }),
    lineOf("error", "event", { error: { message: hostile, stack: `x\n    at ${hostile}` } }),
    textLineOf(`no json ${hostile}`),
  ]) {
    expect(line.trimEnd()).not.toMatch(/[^\n -~…]/);
    expect(line).not.toMatch(/^12:00:00 error forged/m);
  }
  expect(lineOf("info", "event", { hostile }).length).toBeLessThan(400);
});

it("C10: fields that are not as expected are told all the same", () => {
  expect(lineOf("warn", "upstream.failed", { server: 1, reason: null }).slice(9)).toBe(
    "warn  1 failed: null\n",
  );
  expect(lineOf("info", "config.reloaded", {}).slice(9)).toBe("info  config reloaded: \n");
  expect(textLineOf("[1]\n")).toBe("[1]\n");
});
