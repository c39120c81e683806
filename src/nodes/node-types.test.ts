import { AjvJsonSchemaValidator } from "@modelcontextprotocol/server/validators/ajv";
import { expect, test } from "vitest";
import type { JsonObject } from "../core/json.ts";
import { createContext } from "./nodes.testkit.ts";
import { createNodeTypes } from "./node-types.ts";

const policy = () => ({ allowShell: true, allowPrivateHttp: false, fileRoots: [] });
const nodes = createNodeTypes({ policy, version: "1.2.3" });

test("are these five", () => {
  expect(nodes.map((node) => node.definition.name)).toEqual([
    "http",
    "read_file",
    "write_file",
    "llm",
    "shell",
  ]);
  expect(nodes.map((node) => node.rawParams)).toEqual([[], [], [], [], ["command"]]);
});

test.each(nodes)(
  "$definition.name describes itself and each parameter, and takes no other",
  ({ definition }) => {
    expect(definition.description?.length).toBeGreaterThan(80);
    for (const schema of [definition.inputSchema, definition.outputSchema!]) {
      expect(schema).toMatchObject({ type: "object", additionalProperties: false });
      for (const property of Object.values(schema["properties"] as Record<string, JsonObject>)) {
        expect(typeof property["description"]).toBe("string");
      }
      expect(() => new AjvJsonSchemaValidator().getValidator(schema)).not.toThrow();
    }
    expect(Object.keys(definition.annotations ?? {}).sort()).toEqual([
      "destructiveHint",
      "idempotentHint",
      "openWorldHint",
      "readOnlyHint",
    ]);
  },
);

test.each(nodes)("$definition.name answers hostile parameters with a failure", async (node) => {
  const hostile: JsonObject[] = [
    {},
    JSON.parse(
      '{"__proto__": {"url": "http://1.1.1.1", "command": "id", "path": "/etc/passwd"}}',
    ) as JsonObject,
    { url: 1, path: [], prompt: null, command: 2, content: {}, headers: [], env: "x", args: {} },
    { url: "http://127.0.0.1/", path: "constructor/__proto__", timeout_ms: -1, max_bytes: "x" },
  ];
  for (const params of hostile) {
    expect(typeof node.isRepeatable(params)).toBe("boolean");
    const result = await node.call(params, createContext());
    expect(result.success || result.error.message !== "").toBe(true);
    if (node.definition.name !== "shell") expect(result.success).toBe(false);
  }
});

test("what a node did not foresee is a failure", async () => {
  const broken = createNodeTypes({
    policy: () => {
      throw new Error("no policy");
    },
    version: "1.2.3",
  });
  for (const node of broken) {
    const params = { url: "http://h", path: "p", content: "", prompt: "p", command: "c" };
    const result = await node.call(params, createContext());
    expect(result).toMatchObject({ success: false, error: { code: "TOOL_EXECUTION_FAILED" } });
  }
});
