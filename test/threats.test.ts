/** Tests cite threats by number; docs/threats.md says what each number is, and where it is shown. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { findCitations, withCitations } from "../scripts/threats-page.ts";

const root = join(import.meta.dirname, "..");
const page = readFileSync(join(root, "docs/threats.md"), "utf8");

it("every number that a test cites has its row, with the files that cite it (npm run schema)", () => {
  const citations = findCitations(root);
  expect(citations.size).toBeGreaterThan(90);
  expect(page).toBe(withCitations(page, citations));
});

it("every test file that the page names exists", () => {
  const files = [...page.matchAll(/`((?:src|test)\/[^`]+)`/g)].map(([, file]) => file!);
  expect(files.length).toBeGreaterThan(100);
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});

it("a number without a row, and a row without a test, are errors that name it", () => {
  const rows = "| T001 | One. | It ends. | |\n| T002 | Two. | It ends. | |\n";
  const cited = (...numbers: string[]) => new Map(numbers.map((number) => [number, ["test/a.test.ts"]]));
  expect(() => withCitations(rows, cited("T001", "T002", "T003"))).toThrow(/T003/);
  expect(() => withCitations(rows, cited("T001"))).toThrow(/T002/);
  expect(withCitations(rows, cited("T001", "T002"))).toContain("| It ends. | `test/a.test.ts` |");
});
