import { expect, it } from "vitest";
import { beginTail, countNewer, extendTail, TAIL_MAX, type CallRow } from "./call-tail.ts";

const call = (id: number): CallRow => ({ id: String(id).padStart(6, "0") }) as CallRow;
const ids = (calls: readonly CallRow[]) => calls.map(({ id }) => Number(id));

it("puts newer calls, which come oldest first, in front", () => {
  const tail = beginTail({ calls: [call(2), call(1)], next: "000001" });
  const longer = extendTail(tail, [call(3), call(4)]);
  expect(ids(longer.calls)).toEqual([4, 3, 2, 1]);
  expect(longer.before).toBe("000001");
});

it("has a call once, also when it comes twice", () => {
  const tail = beginTail({ calls: [call(2), call(1)] });
  expect(ids(extendTail(tail, [call(2), call(3)]).calls)).toEqual([3, 2, 1]);
  expect(extendTail(tail, [])).toBe(tail);
});

it("lets the oldest go when it is too long, and pages to them from there", () => {
  const tail = beginTail({ calls: Array.from({ length: TAIL_MAX }, (_, at) => call(TAIL_MAX - at)) });
  const longer = extendTail(tail, [call(TAIL_MAX + 1)]);
  expect(longer.calls.length).toBe(TAIL_MAX);
  expect(longer.before).toBe("000002");
});

it("counts what came above the row that was shown", () => {
  const rows = [call(3), call(2), call(1)];
  expect(countNewer(rows, "000001")).toBe(2);
  expect(countNewer(rows, "000003")).toBe(0);
  expect(countNewer(rows, "gone")).toBe(3);
  expect(countNewer(rows, undefined)).toBe(0);
});
