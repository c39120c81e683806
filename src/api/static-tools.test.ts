import { expect, it } from "vitest";
import type { GatewayOptions, StaticTool } from "./public-gateway.ts";
import { readStaticTools } from "./static-tools.ts";

const add: StaticTool = {
  name: "add",
  description: "Adds.",
  inputSchema: { type: "object" },
  call: () => null,
};

const read = (options: unknown) => () => readStaticTools(options as GatewayOptions);
const refused = (message: string) =>
  expect.objectContaining({ code: "CONFIG_INVALID", message: expect.stringContaining(message) });

const cycle: Record<string, unknown> = { type: "object" };
cycle["self"] = cycle;

it.each<[unknown, string]>([
  [{ name: 5 }, "the name of type number"],
  [{ name: "a b" }, 'the name "a b" is not letters'],
  [{ name: "x".repeat(65) }, "at most 64"],
  [{ name: "__proto__\n" }, "is not letters"],
  [{ name: "execute" }, "execute is a tool of the gateway itself"],
  [{ name: "program__add" }, "begins with program__"],
  [{ description: undefined }, "add has no description"],
  [{ description: ["x"] }, "add has no description"],
  [{ inputSchema: undefined }, "the inputSchema of add is not a JSON Schema"],
  [{ inputSchema: [] }, "the inputSchema of add"],
  [{ inputSchema: { type: "string" } }, "the inputSchema of add"],
  [{ inputSchema: cycle }, "the definition of add is not plain JSON"],
  [{ inputSchema: { type: "object", default: () => 1 } }, "the definition of add is not plain JSON"],
  [{ outputSchema: { type: "array" } }, "the outputSchema of add"],
  [{ outputSchema: "object" }, "the outputSchema of add"],
  [{ annotations: "read" }, "the annotations of add"],
  [{ metadata: 5 }, "the metadata of add"],
  [{ metadata: { category: 5 } }, "the metadata.category of add"],
  [{ metadata: { tags: "a" } }, "the metadata.tags of add"],
  [{ metadata: { tags: [5] } }, "the metadata.tags of add"],
  [{ timeoutMs: "5" }, "the timeoutMs of add"],
  [{ timeoutMs: 0 }, "the timeoutMs of add"],
  [{ timeoutMs: 2 ** 31 }, "the timeoutMs of add"],
  [{ timeoutMs: Number.NaN }, "the timeoutMs of add"],
  [{ call: undefined }, "add has no function to call"],
  [{ call: {} }, "add has no function to call"],
])("a tool with %j is refused by its name", (part, message) => {
  expect(read({ tools: [{ ...add, ...(part as object) }] })).toThrow(refused(message));
});

it.each<[unknown, string]>([
  [{ tools: 5 }, "tools is not a list"],
  [{ tools: { add } }, "tools is not a list"],
  [{ staticTools: "add" }, "staticTools is not a list"],
  [{ tools: [null] }, "the name of type undefined"],
  [{ tools: [5] }, "the name of type undefined"],
  [{ tools: [add, add] }, "two of them have the same name, add"],
  [{ tools: [add], staticTools: [add] }, "two of them have the same name, add"],
  [{ toolsNamespace: "mcp" }, 'the toolsNamespace "mcp"'],
  [{ toolsNamespace: "My Tools" }, 'the toolsNamespace "My Tools"'],
  [{ toolsNamespace: "a__b" }, 'the toolsNamespace "a__b"'],
  [{ toolsNamespace: "" }, 'the toolsNamespace ""'],
  [{ toolsNamespace: "constructor" }, 'the toolsNamespace "constructor"'],
])("options %j are refused", (options, message) => {
  expect(read(options)).toThrow(refused(message));
});

it("both options count together, and null is left out", () => {
  const other = { ...add, name: "other", outputSchema: null, annotations: null, timeoutMs: null };
  const { tools, namespace } = readStaticTools({
    tools: [add],
    staticTools: [other as unknown as StaticTool],
  });
  expect(namespace).toBe("program");
  expect(tools.map(({ definition }) => definition)).toEqual([
    { name: "add", description: "Adds.", inputSchema: { type: "object" } },
    { name: "other", description: "Adds.", inputSchema: { type: "object" } },
  ]);
  expect(readStaticTools({ tools: null as never, staticTools: undefined })).toMatchObject({ tools: [] });
});
