import { expect, it } from "vitest";
import { takeWhatFits } from "./browse-answer.ts";

/** As JSON each has 10 bytes. */
const items = ["aaaaaaaa", "bbbbbbbb", "cccccccc"];

it.each([
  [30, 3, 0],
  [31, 3, 1],
  [29, 2, 0],
  [10, 1, 0],
])("in %i bytes there is room for %i of three, and %i are left", (bytes, count, left) => {
  expect(takeWhatFits(items, bytes)).toEqual({ taken: items.slice(0, count), bytesLeft: left });
});

it("takes the first in any case, and nothing of nothing", () => {
  expect(takeWhatFits(items, 1)).toEqual({ taken: ["aaaaaaaa"], bytesLeft: 0 });
  expect(takeWhatFits([], 7)).toEqual({ taken: [], bytesLeft: 7 });
});

it("counts bytes, not characters", () => {
  expect(takeWhatFits(["a", "üüü"], 10).taken).toHaveLength(1);
  expect(takeWhatFits(["a", "üüü"], 11).taken).toHaveLength(2);
});
