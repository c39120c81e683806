import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import type { Json, JsonObject } from "../../core/json.ts";
import { declareTools, memberName, signatureOfTool, type DeclaredTool } from "./declarations.ts";
import { createTypeCheck } from "./type-check.ts";

const types = createTypeCheck({ budgetMs: 20_000 });
afterAll(() => types.close());

const none: JsonObject = { type: "object" };
const tool = (namespace: string, name: string, more: Partial<DeclaredTool> = {}): DeclaredTool => ({
  namespace,
  tool: name,
  inputSchema: none,
  ...more,
});
function complaintsAbout(code: string, declarations: string): Promise<string[]> {
  return complaintsIn(`(async () => {\n${code}\n})();`, declarations);
}
async function complaintsIn(checked: string, declarations = ""): Promise<string[]> {
  const verdict = await types.check({ checked, declarations, calls: [] });
  if (verdict.kind === "unchecked") throw new Error(verdict.reason);
  return verdict.complaints.map(({ code: number, text }) => `${number} ${text}`);
}

it("turns what an identifier cannot have into _", () => {
  expect(["get-item", "1password", "a.b c", "größe", "$x", "", "😀"].map(memberName)).toEqual([
    "get_item",
    "_password",
    "a_b_c",
    "größe",
    "$x",
    "_",
    "_",
  ]);
});

it("declares tools, args and the console", () => {
  const inputSchema: JsonObject = {
    type: "object",
    properties: { title: { type: "string", description: "Shown first" } },
    required: ["title"],
  };
  const outputSchema: JsonObject = {
    type: "object",
    properties: { id: { type: "integer" } },
    required: ["id"],
  };
  const tools = [
    tool("github", "create_issue", { inputSchema, outputSchema, description: "Opens an issue" }),
    tool("github", "list-all"),
  ];
  expect(declareTools(tools, { docs: true })).toBe(`declare const mcp: {
  github: {
    /** Opens an issue */
    create_issue: (args: {
      /** Shown first */
      title: string;
    }) => Promise<{
      id: number;
    }>;
    "list-all": (args?: Record<string, any>) => Promise<any>;
    list_all: (typeof mcp)["github"]["list-all"];
  };
};
declare const args: any;
declare const console: {
  log(...values: any[]): void;
  info(...values: any[]): void;
  warn(...values: any[]): void;
  error(...values: any[]): void;
  debug(...values: any[]): void;
};
`);
  expect(declareTools(tools)).toContain(
    "create_issue: (args: { title: string }) => Promise<{ id: number }>;",
  );
  expect(signatureOfTool(tools[0]!)).toBe(
    "mcp.github.create_issue(args: { title: string }): Promise<{ id: number }>",
  );
});

it("gives a member name only where it can mean one thing", async () => {
  const declarations = declareTools([
    tool("a-b", "x-y"),
    tool("a-b", "p.q"),
    tool("a-b", "p-q"),
    tool("a-b", "get-it"),
    tool("a-b", "get_it", { outputSchema: { type: "string" } }),
    tool("c-d", "t"),
    tool("c.d", "t"),
  ]);
  const fine = `mcp.a_b.x_y(); mcp["a-b"]["p.q"](); mcp.a_b["p-q"](); mcp["c.d"].t(); (await mcp.a_b.get_it()).trim();`;
  expect(await complaintsAbout(fine, declarations)).toEqual([]);
  expect(await complaintsAbout("mcp.a_b.p_q(); mcp.c_d.t();", declarations)).toEqual([
    "2339 p_q",
    "2339 c_d",
  ]);
});

it("declares names that are words of the language", async () => {
  const names = ["new", "delete", "constructor", "get", "readonly", "__proto__", "static", "default"];
  const declarations = declareTools(names.map((name) => tool("await", name)));
  expect(await complaintsAbout(names.map((name) => `mcp.await.${name}();`).join("\n"), declarations)).toEqual(
    [],
  );
});

it("takes args, console and nothing as they come", async () => {
  const needy = tool("s", "t", { inputSchema: { type: "object", required: ["a"] } });
  const code = "console.log(args.x, 1); console.debug(); await mcp.s.t(args); await mcp.s.t({ ...args });";
  expect(await complaintsAbout(code, declareTools([needy]))).toEqual([]);
  expect(await complaintsAbout("return 1;", declareTools([]))).toEqual([]);
});

it("lets no text out of its comment or literal", async () => {
  const evil = 'x*/ declare const pwned: 1; /*"\\\n\r\u2028 */ }; declare const pwned: 1; //`${1}';
  const inputSchema: JsonObject = {
    type: "object",
    description: evil,
    properties: { [evil]: { description: evil, enum: [evil] }, ["__proto__"]: { const: evil } },
    required: [evil],
  };
  const declarations = declareTools([tool(evil, evil, { inputSchema, description: evil })], { docs: true });
  expect(await complaintsIn(declarations)).toEqual([]);
  expect(await complaintsAbout("return pwned;", declarations)).toEqual(["2304 pwned"]);
});

const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("a", "b-c", "__proto__", "*/", "\u2028", '"', "\\", "`${", "1", "new", "#"),
);
const { schema } = fc.letrec<{ schema: Json }>((tie) => ({
  schema: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.boolean(),
    fc.constantFrom<Json[]>(
      { $ref: "#" },
      { $ref: "#/properties/a" },
      { $ref: "#/$defs/a" },
      { nullable: true },
    ),
    fc.record({ enum: fc.array(fc.jsonValue({ maxDepth: 1 }) as fc.Arbitrary<Json>, { maxLength: 4 }) }),
    fc.record({
      const: fc.oneof(text, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constant(null)),
    }),
    fc.record(
      {
        type: fc.constantFrom(
          "object",
          "array",
          "string",
          "integer",
          "null",
          ["string", "object", "array"],
          "odd",
        ),
        description: text,
        properties: fc.dictionary(text, tie("schema"), { maxKeys: 4 }),
        required: fc.array(text, { maxLength: 3 }),
        additionalProperties: tie("schema"),
        items: fc.oneof(tie("schema"), fc.array(tie("schema"), { maxLength: 3 })),
        prefixItems: fc.array(tie("schema"), { maxLength: 3 }),
        minItems: fc.nat(3),
        anyOf: fc.array(tie("schema"), { maxLength: 3 }),
        oneOf: fc.array(tie("schema"), { maxLength: 3 }),
        allOf: fc.array(tie("schema"), { maxLength: 3 }),
        nullable: fc.boolean(),
        $defs: fc.dictionary(text, tie("schema"), { maxKeys: 2 }),
      },
      { requiredKeys: [] },
    ) as fc.Arbitrary<Json>,
  ),
}));

it("declares any schema in TypeScript without a complaint", async () => {
  const objects = schema.filter((value): value is JsonObject => typeof value === "object");
  const tools = fc.array(
    fc.record({
      namespace: text,
      tool: text,
      description: text,
      inputSchema: objects,
      outputSchema: objects,
    }),
    { minLength: 1, maxLength: 4 },
  );
  await fc.assert(
    fc.asyncProperty(tools, fc.boolean(), async (some, docs) => {
      expect(await complaintsIn(declareTools(some, { docs }))).toEqual([]);
    }),
    { numRuns: 300 },
  );
});
