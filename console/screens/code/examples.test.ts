import { describe, expect, it } from "vitest";
import { declareTools } from "../../../src/sandbox/types/declarations.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import { readDeclarations } from "./declared-tools.ts";
import { examplesOf } from "./examples.ts";

const object = (properties: JsonObject, required: string[] = []): JsonObject => ({
  type: "object",
  properties,
  required,
});
const declared = readDeclarations(
  declareTools(
    [
      {
        namespace: "mail",
        tool: "send",
        inputSchema: object(
          {
            to: { type: "string" },
            "x-y": { type: "integer" },
            kind: { enum: ["a", "b"] },
            list: { type: "array", items: {} },
            o: { type: "object" },
          },
          ["to", "x-y", "kind", "list", "o"],
        ),
      },
      { namespace: "files", tool: "list", inputSchema: object({ path: { type: "string" } }, ["path"]) },
    ],
    { docs: true },
  ),
);

describe("examples", () => {
  it("begin with a tool that only reads, and give what is required", () => {
    const examples = examplesOf(declared, ({ namespace }) => namespace === "files");
    expect(examples[0]).toEqual({
      title: "Call files.list",
      code: 'const answer = await mcp.files.list({ path: "path" });\nconsole.log(answer);\nreturn answer;\n',
    });
    expect(examples[1]!.code).toContain(`mcp.mail.send({ to: "to", "x-y": 1, kind: "a", list: [], o: {} })`);
  });

  it("are none where there is no tool", () => {
    expect(examplesOf(readDeclarations(""), () => true)).toEqual([]);
  });
});
