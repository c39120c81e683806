import { expect, it } from "vitest";
import { dragSpan, isWhole, moveEdge, panSpan, readSpan, writeSpan, zoomSpan } from "./brush.ts";

const whole = { fromMs: 0, toMs: 1_000 };

it("chooses what was dragged over, in either direction", () => {
  expect(dragSpan(whole, 0.2, 0.5)).toEqual({ fromMs: 200, toMs: 500 });
  expect(dragSpan(whole, 0.5, 0.2)).toEqual({ fromMs: 200, toMs: 500 });
  expect(dragSpan(whole, 0.9, 1.4)).toEqual({ fromMs: 900, toMs: 1_000 });
});

it("takes a drag that goes nowhere for a click", () => {
  expect(dragSpan(whole, 0.3, 0.301)).toBeUndefined();
});

it("moves a choice no further than the run goes, and keeps its length", () => {
  const span = { fromMs: 200, toMs: 500 };
  expect(panSpan(whole, span, 100)).toEqual({ fromMs: 300, toMs: 600 });
  expect(panSpan(whole, span, 9_000)).toEqual({ fromMs: 700, toMs: 1_000 });
  expect(panSpan(whole, span, -9_000)).toEqual({ fromMs: 0, toMs: 300 });
});

it("zooms around an instant that stays where it is", () => {
  const span = zoomSpan(whole, whole, 0.5, 400);
  expect(span).toEqual({ fromMs: 200, toMs: 700 });
  expect((400 - span.fromMs) / 500).toBeCloseTo(0.4);
  expect(isWhole(whole, zoomSpan(whole, span, 100, 400))).toBe(true);
});

it("keeps the ends of a choice in their order", () => {
  const span = { fromMs: 200, toMs: 500 };
  expect(moveEdge(whole, span, "from", 800)).toEqual({ fromMs: 499, toMs: 500 });
  expect(moveEdge(whole, span, "to", 100)).toEqual({ fromMs: 200, toMs: 201 });
  expect(moveEdge(whole, span, "to", 5_000)).toEqual({ fromMs: 200, toMs: 1_000 });
});

it("reads from the URL what it wrote there, and shows everything where that makes no sense", () => {
  const span = { fromMs: 12.3, toMs: 400 };
  const { from, to } = writeSpan(whole, span);
  expect(readSpan(whole, from, to)).toEqual(span);
  expect(writeSpan(whole, whole)).toEqual({ from: undefined, to: undefined });
  expect(readSpan(whole, undefined, undefined)).toEqual(whole);
  expect(readSpan(whole, "x", "900")).toEqual({ fromMs: 0, toMs: 900 });
  expect(readSpan(whole, "900", "100")).toEqual(whole);
  expect(readSpan(whole, "2000", "3000")).toEqual(whole);
});
