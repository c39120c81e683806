import { expect, it } from "vitest";
import { titleOf } from "./trace.ts";

it.each([
  ["code", "return 1;", "return 1;"],
  ["code", "\n\n  // Closes stale issues.\nreturn 1;", "Closes stale issues."],
  ["code", "/**\n * Adds up.\n */\nreturn 1;", "Adds up."],
  ["code", "/* One line. */ return 1;", "One line. */ return 1;"],
  [
    "code",
    '"use strict";\nimport type { A } from "a";\n{\nconst a = await mcp.x.y();',
    "const a = await mcp.x.y();",
  ],
  ["code", "// @ts-nocheck\n//\nreturn 2", "return 2"],
  ["code", "\n \n", undefined],
  ["code", "x".repeat(500), `${"x".repeat(119)}…`],
  ["workflow", '{"description": "Writes.\\nMore.", "nodes": []}', "Writes."],
  ["workflow", '{"nodes": [{"id": "a"}, 5, {"id": "b"}]}', "a, b"],
  ["workflow", '{"nodes": 7}', undefined],
  ["workflow", "no json", undefined],
  ["capability", null, undefined],
] as const)("C7: %s %j is called %j", (kind, source, wanted) => {
  expect(titleOf({ kind, source })).toBe(wanted);
});
