import { expect, it } from "vitest";
import { NODE_HEIGHT, placeNodes } from "./graph-layout.ts";

const node = (id: string) => ({ id, type: "t", status: "pending" as const, elapsed_ms: null });

it("puts what runs later to the right, and what runs at once under each other", () => {
  const placed = placeNodes({
    nodes: ["a", "b", "c", "d"].map(node),
    edges: [
      { from: "a", to: "b" },
      { from: "a", to: "c" },
      { from: "b", to: "d" },
      { from: "c", to: "d" },
      { from: "c", to: "gone" },
    ],
  });
  const [a, b, c, d] = placed.map(({ x, y }) => ({ x, y }));
  expect(a!.x).toBeLessThan(b!.x);
  expect(b!.x).toBe(c!.x);
  expect(Math.abs(b!.y - c!.y)).toBeGreaterThanOrEqual(NODE_HEIGHT);
  expect(d!.x).toBeGreaterThan(c!.x);
});
