import { expect, it } from "vitest";
import { createCallWatch } from "./call-watch.ts";
import { succeed } from "../core/result.ts";
import { NO_TELEMETRY, type SpanOptions, type Telemetry } from "./telemetry.ts";
import type { CallContext } from "../core/tool.ts";

const context: CallContext = { traceId: "t", signal: new AbortController().signal };
const below = { traceparent: `00-${"1".repeat(32)}-${"2".repeat(16)}-01` };

function spans() {
  const started: [string, SpanOptions][] = [];
  const telemetry: Telemetry = {
    isOn: true,
    startSpan(name, options) {
      started.push([name, options]);
      return { context: below, set() {}, fail() {}, end() {} };
    },
  };
  return { started, telemetry };
}

it("is not there when nobody wants to know", () => {
  expect(createCallWatch(NO_TELEMETRY)).toBeUndefined();
});

it("counts the call and leaves the context alone without telemetry", async () => {
  const seen: unknown[] = [];
  const watch = createCallWatch(NO_TELEMETRY, (...call) => seen.push(call))!;
  const call = { server: "git", method: "tools/call", target: "log" };
  const result = await watch(call, context, async (given) => {
    expect(given).toBe(context);
    return succeed({ isError: true });
  });
  expect(result).toEqual(succeed({ isError: true }));
  expect(seen).toEqual([["git", "tools/call", "tool_error", expect.any(Number)]]);
});

it("what goes to a server is a client span, and the server is told of it", async () => {
  const { started, telemetry } = spans();
  const parent = { traceparent: `00-${"1".repeat(32)}-${"3".repeat(16)}-01` };
  const call = { server: "git", method: "tools/call", target: "log" };
  await createCallWatch(telemetry)!(call, { ...context, trace: parent }, async ({ trace }) => {
    expect(trace).toBe(below);
    return succeed({});
  });
  expect(started).toMatchObject([
    ["tools/call log", { kind: "client", parent, attributes: { "repertoire.server": "git" } }],
  ]);
});

it("a capability is no server: it is counted and has no client span", async () => {
  const { started, telemetry } = spans();
  const seen: string[] = [];
  const watch = createCallWatch(telemetry, (server) => seen.push(server))!;
  await watch({ server: "mcp", method: "tools/call", target: "x" }, context, async () => succeed({}));
  expect(started).toEqual([]);
  expect(seen).toEqual(["mcp"]);
});
