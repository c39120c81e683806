import fc from "fast-check";
import { expect, it } from "vitest";
import { parseTraceContext, traceIdOf } from "./trace-context.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN = "00f067aa0ba902b7";
const traceparent = `00-${TRACE}-${SPAN}-01`;

it("reads the three fields from _meta", () => {
  const meta = {
    traceparent,
    tracestate: "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE",
    baggage: "userId=alice",
  };
  expect(parseTraceContext(meta)).toEqual(meta);
  expect(traceIdOf({ traceparent })).toBe(TRACE);
});

it("reads the headers where _meta names no trace, and never mixes the two", () => {
  const headers = { traceparent, tracestate: "a=1", baggage: "b=2" };
  const other = `00-${"1".repeat(32)}-${"2".repeat(16)}-00`;
  expect(parseTraceContext({ baggage: "lost=1" }, headers)).toEqual(headers);
  expect(parseTraceContext({ traceparent: other }, headers)).toEqual({ traceparent: other });
  expect(parseTraceContext(undefined, undefined)).toBeUndefined();
});

it.each([
  ["an unknown version", `ff-${TRACE}-${SPAN}-01`],
  ["upper case", `00-${TRACE.toUpperCase()}-${SPAN}-01`],
  ["a trace id of zeros", `00-${"0".repeat(32)}-${SPAN}-01`],
  ["a span id of zeros", `00-${TRACE}-${"0".repeat(16)}-01`],
  ["something after the flags", `${traceparent}-more`],
  ["a line break", `${traceparent}\n`],
  ["a header of its own", `${traceparent}\r\nx: y`],
  ["too much", traceparent + "x".repeat(10_000)],
  ["a list, as of a header that came twice", [traceparent, traceparent]],
  ["a number", 7],
  ["an object", { toString: () => traceparent }],
])("T066: a traceparent with %s is ignored", (_, value) => {
  expect(parseTraceContext({ traceparent: value, tracestate: "a=1", baggage: "b=2" })).toBeUndefined();
});

it("takes what it knows of a later version, and the flags that it knows", () => {
  expect(parseTraceContext({ traceparent: `01-${TRACE}-${SPAN}-ff-more` })).toEqual({
    traceparent: `00-${TRACE}-${SPAN}-03`,
  });
});

it("T066: 10 KB of baggage are cut between two members, within 8192 bytes", () => {
  const members = Array.from({ length: 40 }, (_, i) => `key${i}=${"v".repeat(250)}`);
  const { baggage } = parseTraceContext({ traceparent, baggage: members.join(",") })!;
  expect(members.join(",").length).toBeGreaterThan(10_000);
  expect(baggage!.length).toBeLessThanOrEqual(8192);
  expect(baggage!.split(",")).toEqual(members.slice(0, baggage!.split(",").length));
  expect(parseTraceContext({ traceparent, baggage: `one=${"v".repeat(10_000)}` })).toEqual({ traceparent });
});

it("T066: at most 64 members of baggage and 32 of tracestate are passed on", () => {
  const list = (count: number) => Array.from({ length: count }, (_, i) => `k${i}=${i}`).join(",");
  const { tracestate, baggage } = parseTraceContext({
    traceparent,
    tracestate: list(60),
    baggage: list(200),
  })!;
  expect(tracestate).toBe(list(32));
  expect(baggage).toBe(list(64));
});

it("leaves out members that are not well formed", () => {
  expect(
    parseTraceContext({
      traceparent,
      tracestate: "ok=1, UPPER=2 ,no-value,other@vendor=x y,=3",
      baggage: 'a = 1;prop=2 , b=%20c, bad key=1, quote="x", line=\nbreak, d=',
    }),
  ).toEqual({ traceparent, tracestate: "ok=1,other@vendor=x y", baggage: "a = 1;prop=2,b=%20c,d=" });
});

it("whatever comes, what is passed on is short, printable and ASCII", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 2000 }),
    fc.constantFrom(traceparent, "a=1,b=2"),
  );
  const field = fc.oneof(text, fc.anything());
  fc.assert(
    fc.property(field, field, field, (parent, tracestate, baggage) => {
      const context = parseTraceContext({ traceparent: parent, tracestate, baggage });
      for (const value of Object.values(context ?? {})) expect(value).toMatch(/^[\t\x20-\x7e]{1,8192}$/);
    }),
    { seed: 1 },
  );
});
