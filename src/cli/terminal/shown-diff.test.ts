import { expect, it } from "vitest";
import { showDiff } from "./shown-diff.ts";

function shownOf(diff: string, width?: number): string[] {
  const lines: string[] = [];
  showDiff(diff, (line) => lines.push(line), width);
  return lines;
}

it("N2: measures tabs, so that a terminal does not break a line again", () => {
  const lines = shownOf(` \t\t"slow": { "command": "node" }\n`, 20);
  expect(lines).toEqual([`     "slow": { "comm`, `    and": "node" }`]);
});

it("N2: leaves tabs where no width is measured", () => {
  expect(shownOf(` \t"a": 1\n`)).toEqual([` \t"a": 1`]);
});
