import { expect, it } from "vitest";
import { declareTools } from "../../../src/sandbox/types/declarations.ts";
import { completeCode } from "./complete-code.ts";
import { readDeclarations } from "./declared-tools.ts";
import { toolAt } from "./tool-at.ts";

const declared = readDeclarations(
  declareTools(
    [
      {
        namespace: "files",
        tool: "read",
        inputSchema: { type: "object", properties: { path: { type: "string" } } },
      },
    ],
    { docs: true },
  ),
);
const at = (marked: string) => toolAt(marked.replace("¦", ""), marked.indexOf("¦"), declared)?.exact;

it.each([
  ["on its name", "await mcp.files.re¦ad({})"],
  ["in its arguments", "await mcp.files.read({ path: f(1, ¦) })"],
  ["at the end of its name", "mcp.files.read¦"],
])("finds the tool where the cursor is %s", (_, marked) => expect(at(marked)).toBe("read"));

it("finds none elsewhere", () => {
  expect(at("const a = 1;¦")).toBeUndefined();
  expect(at("mcp.files.nothing¦")).toBeUndefined();
});

it("completes the words of every code where no tool is meant", () => {
  const labels = (text: string, isExplicit = false) =>
    completeCode(text, text.length, isExplicit, declared)?.options.map(({ label }) => label);
  expect(labels("const a = m")).toContain("mcp");
  expect(labels("mcp.")).toEqual(["files"]);
  expect(labels("a.")).toBeUndefined();
  expect(labels("")).toBeUndefined();
  expect(labels("", true)).toContain("args");
});
