import { expect, it } from "vitest";
import type { CallContext } from "../../core/tool.ts";
import type { Session } from "./handshake.ts";
import { requestOf } from "./request.ts";

const context: CallContext = { traceId: "t", signal: new AbortController().signal };
const trace = { traceparent: `00-${"1".repeat(32)}-${"2".repeat(16)}-01`, baggage: "a=1" };
const noLevel = () => undefined;
const legacy = { era: "legacy" } as Session;
const modern = {
  era: "modern",
  envelope: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" },
} as unknown as Session;

it("a server of either era is told of the trace in _meta, beside what the client said there", () => {
  const traced = { ...context, trace, meta: { own: 1 } };
  expect(requestOf({ name: "x" }, legacy, traced, noLevel)).toEqual({
    name: "x",
    _meta: { own: 1, ...trace },
  });
  expect(requestOf({ name: "x" }, modern, traced, noLevel)).toMatchObject({ _meta: { own: 1, ...trace } });
});

it("nothing is copied where there is nothing to add", () => {
  const params = { name: "x" };
  expect(requestOf(params, legacy, context, noLevel)).toBe(params);
});
