import { expect, it } from "vitest";
import { readFrontmatter } from "./frontmatter.ts";

it.each([
  ["---\nname: a\n---\n# A", { name: "a" }],
  ["\uFEFF---\r\nname: a\r\n---\r\n", { name: "a" }],
  ["--- \nname: a\nmetadata:\n  version: '1'\n---", { name: "a", metadata: { version: "1" } }],
  ['---\ndescription: "a\\n---\\nb"\n---\n', { description: "a\n---\nb" }],
])("reads %j", (text, read) => expect(readFrontmatter(text)).toEqual(read));

it.each([
  "",
  "# A",
  "\n---\nname: a\n---\n",
  "---\nname: a\n",
  "---\n- a\n---\n",
  "---\ntext\n---\n",
  "---\n---\n",
  "---\nname: a\nname: b\n---\n",
  "---\nname: [a\n---\n",
  "---\na: *b\n---\n",
  "---\na: .nan\n---\n",
  `---\na: ${"[".repeat(20_000)}\n---\n`,
  `---\na: ${"x".repeat(70_000)}\n---\n`,
  `---\na: &a [1]\n${Array.from({ length: 30 }, (_, at) => `b${at}: *a\n`).join("")}---\n`,
])("reads nothing in what has none, or none that is an object of JSON: %j", (text) =>
  expect(readFrontmatter(text)).toBeUndefined(),
);

it("gives a key of an object its own place, whatever it is called", () => {
  const read = readFrontmatter("---\n__proto__:\n  isAdmin: true\n---\n");
  expect(({} as Record<string, unknown>)["isAdmin"]).toBeUndefined();
  expect(read === undefined || Object.getPrototypeOf(read) === Object.prototype).toBe(true);
});
