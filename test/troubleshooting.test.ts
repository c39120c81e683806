/** docs/troubleshooting.md is searched by message, so its messages are those that the product prints. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "..");

/** What stands between two variable parts of a message and is shorter than this is in every file. */
const PART_LENGTH_MIN = 6;

/** The first cells of the tables that are one message; `…` is what varies in it. */
function messagesOf(page: string): string[] {
  return [...page.matchAll(/^\| `([^`]+)` \|/gm)].map(([, message]) => message!);
}

function partsOf(message: string): string[] {
  return message
    .split("…")
    .map((part) => part.trim())
    .filter((part) => part.length >= PART_LENGTH_MIN);
}

it("every message of the page is one that the product prints", () => {
  const files = globSync("src/**/*.ts", { cwd: root }).filter((file) => !file.endsWith(".test.ts"));
  const source = files.map((file) => readFileSync(join(root, file), "utf8")).join("\n");
  const messages = messagesOf(readFileSync(join(root, "docs/troubleshooting.md"), "utf8"));
  expect(messages.length).toBeGreaterThan(20);
  const unknown = messages.filter((message) => {
    const parts = partsOf(message);
    return parts.length === 0 || parts.some((part) => !source.includes(part));
  });
  expect(unknown).toEqual([]);
});
