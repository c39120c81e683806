import { expect, it } from "vitest";
import {
  NO_SPAN,
  NO_TELEMETRY,
  type Span,
  type SpanOptions,
  type Telemetry,
} from "../telemetry/telemetry.ts";
import { endMessageSpan, outcomeOfAnswer, traceMessage } from "./request-span.ts";

const given = { traceparent: `00-${"1".repeat(32)}-${"2".repeat(16)}-01` };
const own = { traceparent: `00-${"1".repeat(32)}-${"3".repeat(16)}-01` };

function spans() {
  const started: [string, SpanOptions][] = [];
  const ended: unknown[] = [];
  const telemetry: Telemetry = {
    isOn: true,
    startSpan(name, options): Span {
      started.push([name, options]);
      return {
        context: own,
        set: (...pair) => ended.push(pair),
        fail: (type) => ended.push(type),
        end: () => ended.push("end"),
      };
    },
  };
  return { started, ended, telemetry };
}

const call = { method: "tools/call", id: 1, params: { name: "git__log", _meta: { other: 1, ...given } } };

it("a message goes on with the trace of its own span", () => {
  const { started, telemetry } = spans();
  const { message, trace } = traceMessage(telemetry, call, {
    transport: "http",
    protocolVersion: "2026-07-28",
  });
  expect(message.params._meta).toMatchObject({ other: 1, ...own });
  expect(trace).toEqual(own);
  expect(started).toEqual([
    [
      "tools/call git__log",
      {
        kind: "server",
        parent: given,
        attributes: expect.objectContaining({
          "jsonrpc.request.id": "1",
          "mcp.protocol.version": "2026-07-28",
          "network.transport": "tcp",
        }),
      },
    ],
  ]);
});

it("without telemetry a trace in the headers is carried on, and a message without one is left alone", () => {
  const bare = { method: "tools/list", id: 2 };
  const traced = traceMessage(NO_TELEMETRY, bare, { transport: "http", headers: given });
  expect(traced.message).toEqual({ ...bare, params: { _meta: given } });
  expect(traced.span).toBe(NO_SPAN);
  expect(traceMessage(NO_TELEMETRY, bare, { transport: "stdio" }).message).toBe(bare);
});

it("T066: what is wrong with a trace in _meta does not go on with the one from the headers", () => {
  const forged = {
    ...call,
    params: { _meta: { traceparent: "x", tracestate: "UPPER", baggage: "b".repeat(9000) } },
  };
  const { message } = traceMessage(NO_TELEMETRY, forged, { transport: "http", headers: given });
  expect(message.params).toEqual({ _meta: given });
});

it("an answer to what we asked has no span", () => {
  const { started, telemetry } = spans();
  const answer = { id: 1, result: {} };
  expect(traceMessage(telemetry, answer, { transport: "http" }).message).toBe(answer);
  expect(started).toEqual([]);
});

it("tells by the answer how a request ended", () => {
  const { ended, telemetry } = spans();
  const { span } = traceMessage(telemetry, call, { transport: "http" });
  expect(outcomeOfAnswer({ result: {} })).toBe("ok");
  expect(outcomeOfAnswer({ result: { isError: true } })).toBe("tool_error");
  expect(outcomeOfAnswer({ error: { code: -32601 } })).toBe("error");
  endMessageSpan(span, "error", { code: -32601 });
  endMessageSpan(span, "cancelled");
  endMessageSpan(span, "ok");
  expect(ended).toEqual([["rpc.response.status_code", "-32601"], "-32601", "end", "cancelled", "end", "end"]);
});
