import { expect, it } from "vitest";
import { HOPS_KEY, nextHop } from "./hops.ts";

it("counts the gateways and keeps the rest of _meta", () => {
  expect(nextHop(undefined)).toEqual({ success: true, data: { [HOPS_KEY]: 1 } });
  expect(nextHop({ a: 1, [HOPS_KEY]: 4 })).toEqual({ success: true, data: { a: 1, [HOPS_KEY]: 5 } });
});

it("T094: ends a loop, and says what to do", () => {
  expect(nextHop({ [HOPS_KEY]: 5 })).toMatchObject({
    success: false,
    error: { reason: "loop", hint: expect.any(String) },
  });
});

it("T066: a forged count is no count", () => {
  for (const forged of [-3, 1.5, "x", null, {}, Number.NaN]) {
    expect(nextHop({ [HOPS_KEY]: forged as never })).toMatchObject({ data: { [HOPS_KEY]: 1 } });
  }
});
