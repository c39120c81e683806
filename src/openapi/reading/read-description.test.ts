import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/fixtures/temporary.ts";
import { admitOffer } from "../../admission/admission.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import { signatureOf } from "../../text/schema-type.ts";
import { OPERATION_COUNT_MAX } from "./limits.ts";
import { parseDescription } from "./parse-description.ts";
import { readDescription } from "./read-description.ts";

function parse(description: unknown): JsonObject {
  const parsed = parseDescription(
    typeof description === "string" ? description : JSON.stringify(description),
  );
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.root;
}

function read(description: object, path?: string) {
  return readDescription(parse({ openapi: "3.1.0", info: {}, ...description }), path);
}

/** The one operation of a path, and its plan. */
function readOne(operation: object, { path = "/x", method = "post", ...rest }: Record<string, unknown> = {}) {
  const described = read({ paths: { [path as string]: { [method as string]: operation } }, ...rest });
  const [tool] = described.tools;
  return { tool: tool!, plan: tool && described.plans.get(tool.name)!, leftOut: described.leftOut };
}

describe("names", () => {
  it("are operation ids, or the method and the words of the path; none is given twice", () => {
    const { tools, plans } = read({
      paths: {
        "/a/{id}": { get: { operationId: "same" }, put: {} },
        "/b": { get: { operationId: "same" } },
        "/get/b": { get: { operationId: "get_b" } },
        "/b/": { get: { operationId: "same" } },
      },
    });
    const names = tools.map(({ name }) => name);
    expect(names.slice(0, 4)).toEqual(["same", "put_a_id", "get_b", "get_get_b"]);
    expect(names[4]).toMatch(/^get_b_[0-9a-f]{12}$/);
    expect([...plans.keys()]).toEqual(names);
  });

  it.each([5, "", " ", "x".repeat(201), null, ["a"]])("an id of %.20j is none", (operationId) => {
    expect(readOne({ operationId }).tool.name).toBe("post_x");
  });
});

describe("arguments", () => {
  it("are the parameters of path and operation, the nearer first, and the body", () => {
    const { tools } = read({
      paths: {
        "/u/{id}": {
          parameters: [
            { name: "id", in: "path", schema: { type: "integer" } },
            { name: "q", in: "query", description: "far", schema: { type: "string" } },
          ],
          post: {
            parameters: [
              { name: "q", in: "query", required: true, description: "near", schema: { type: "number" } },
              { name: "id", in: "query", schema: { type: "string" } },
              { name: "body", in: "query", schema: { type: "string" } },
              { name: "Accept", in: "header", schema: { type: "string" } },
              { name: "gone", in: "path", schema: { type: "string" } },
            ],
            requestBody: { required: true, content: { "application/json": { schema: { type: "object" } } } },
          },
        },
      },
    });
    expect(tools[0]!.inputSchema).toEqual({
      type: "object",
      properties: {
        id: { type: "integer" },
        q: { type: "number", description: "near" },
        id_query: { type: "string" },
        body_query: { type: "string" },
        body: { type: "object" },
      },
      required: ["id", "q", "body"],
      additionalProperties: false,
    });
  });

  it("a name in the path that nothing describes is a text", () => {
    const { tool } = readOne({}, { path: "/a/{one}/{two}" });
    expect(tool.inputSchema).toMatchObject({
      properties: { one: { type: "string" } },
      required: ["one", "two"],
    });
  });

  it("of 3.0 become JSON Schema", () => {
    const described = readDescription(
      parse({
        openapi: "3.0.3",
        info: {},
        paths: {
          "/x": {
            get: {
              parameters: [
                {
                  name: "n",
                  in: "query",
                  schema: { type: "integer", nullable: true, minimum: 1, exclusiveMinimum: true, example: 5 },
                },
              ],
            },
          },
        },
      }),
      undefined,
    );
    expect(described.tools[0]!.inputSchema["properties"]).toEqual({
      n: { type: ["integer", "null"], exclusiveMinimum: 1 },
    });
  });

  it("of Swagger 2.0 are read as those of 3.1", () => {
    const text = `
swagger: "2.0"
info: {title: old, version: "1"}
host: api.example.com
basePath: /v2
schemes: [https]
securityDefinitions: {key: {type: apiKey, in: header, name: X-Key}}
security: [{key: []}]
paths:
  /pets/{id}:
    post:
      operationId: pet
      consumes: [application/json]
      parameters:
        - {name: id, in: path, required: true, type: integer}
        - {name: pet, in: body, schema: {type: object, properties: {name: {type: string}}}}
`;
    const described = readDescription(parse(text), undefined);
    expect(described).toMatchObject({ title: "old", server: "https://api.example.com/v2" });
    expect(described.schemes.get("key")).toEqual({ kind: "apiKey", in: "header", name: "X-Key" });
    expect(described.tools[0]!.inputSchema).toMatchObject({
      properties: { id: { type: "integer" }, body: { properties: { name: { type: "string" } } } },
    });
    expect(described.plans.get("pet")).toMatchObject({ method: "POST", security: [["key"]] });
  });

  it("do not ask for what only the API knows, and its answers do not show what only a caller knows", () => {
    const User = {
      type: "object",
      properties: {
        id: { type: "integer", readOnly: true },
        made: { $ref: "#/components/schemas/Made" },
        password: { type: "string", writeOnly: true },
        name: { type: "string" },
      },
      required: ["id", "made", "password", "name"],
    };
    const schema = { $ref: "#/components/schemas/User" };
    const content = { "application/json": { schema } };
    const { tool } = readOne(
      { requestBody: { content }, responses: { 201: { content } } },
      { components: { schemas: { User, Made: { type: "string", readOnly: true } } } },
    );
    expect(tool.inputSchema["properties"]).toMatchObject({ body: { required: ["password", "name"] } });
    expect(tool.answerSchema).toEqual({
      type: "object",
      properties: { id: { type: "integer" }, made: { type: "string" }, name: { type: "string" } },
      required: ["id", "made", "name"],
    });
  });
});

describe("what is known of a call", () => {
  it.each([
    ["get", { readOnlyHint: true }],
    ["head", { readOnlyHint: true }],
    ["put", { readOnlyHint: false, idempotentHint: true }],
    ["delete", { readOnlyHint: false, destructiveHint: true, idempotentHint: true }],
    ["post", { readOnlyHint: false, destructiveHint: false, idempotentHint: false }],
    ["patch", { readOnlyHint: false, idempotentHint: false }],
  ])("%s says %j", (method, annotations) => {
    expect(readOne({}, { method }).tool.annotations).toEqual(annotations);
  });

  it("its words are its summary and description, its tags its category", () => {
    const { tool } = readOne({ summary: "Short", description: "Long.", tags: ["a", 5], deprecated: true });
    expect(tool).toMatchObject({ description: "Deprecated.\n\nShort\n\nLong.", metadata: { tags: ["a"] } });
    expect(readOne({}).tool.description).toBe("POST /x");
    const long = readOne({ description: "ä".repeat(10_000) }).tool.description!;
    expect(Buffer.byteLength(long)).toBeLessThanOrEqual(8 * 1024);
  });

  it("a list as the answer is a type, and no promise", () => {
    const schema = { type: "array", items: { type: "object", properties: { id: { type: "integer" } } } };
    const { tool } = readOne({ responses: { "200": { content: { "application/json": { schema } } } } });
    expect(tool.outputSchema).toBeUndefined();
    expect(signatureOf("api", "list", tool.inputSchema, tool.answerSchema)).toBe(
      "mcp.api.list(): Promise<({ id?: number })[]>",
    );
  });

  it("an answer of which nothing can be read costs the operation nothing", () => {
    const { tool, leftOut } = readOne({ responses: { "200": { $ref: "#/nowhere" }, "2XX": 5 } });
    expect([tool.answerSchema, leftOut]).toEqual([undefined, []]);
  });

  it("its server is that of the operation, of the path, or of the description, with the defaults of its variables", () => {
    const servers = [{ url: "https://{region}.example.com/{v}", variables: { region: { default: "eu" } } }];
    expect(read({ servers, paths: {} }).server).toBe("https://eu.example.com/{v}");
    expect(readOne({ servers: [{ url: "/here" }] }).plan).toMatchObject({ server: "/here" });
    expect(read({ servers: "x", paths: {} }).server).toBe("/");
  });
});

describe("T042: references", () => {
  it("that lead back to themselves end", () => {
    const Node = {
      type: "object",
      properties: {
        next: { $ref: "#/components/schemas/Node" },
        all: { type: "array", items: { $ref: "#/components/schemas/Node" } },
      },
    };
    const schemas = { Node, A: { $ref: "#/components/schemas/B" }, B: { $ref: "#/components/schemas/A" } };
    const body = (name: string) => ({
      requestBody: { content: { "application/json": { schema: { $ref: `#/components/schemas/${name}` } } } },
    });
    const { tool } = readOne(body("Node"), { components: { schemas } });
    expect(tool.inputSchema["properties"]).toEqual({
      body: { type: "object", properties: { next: {}, all: { type: "array", items: {} } } },
    });
    expect(readOne(body("A"), { components: { schemas } }).tool.inputSchema["properties"]).toEqual({
      body: {},
    });
  });

  it("that double with every step come to a bounded schema that admission takes", () => {
    const schemas = Object.fromEntries(
      Array.from({ length: 60 }, (_, i) => {
        const next = { $ref: `#/components/schemas/S${i + 1}` };
        return [
          `S${i}`,
          i === 59
            ? { type: "string" }
            : { type: "object", properties: { a: next, b: next }, allOf: [next, next] },
        ];
      }),
    );
    const schema = { $ref: "#/components/schemas/S0" };
    const content = { "application/json": { schema } };
    const { tool } = readOne(
      { requestBody: { content }, responses: { 200: { content } } },
      { components: { schemas } },
    );
    expect(JSON.stringify(tool).length).toBeLessThan(100_000);
    expect(admitOffer({ tools: [tool] })).toMatchObject({ tools: [{ name: "post_x" }], rejected: [] });
  });

  it("that lead nowhere cost their operation, and are named", () => {
    const described = read({
      paths: {
        "/ok": { get: {} },
        "/bad": { get: { parameters: [{ $ref: "#/components/parameters/No" }] } },
        "/far": { get: { parameters: [{ $ref: "https://evil.example/x.json#/a" }] } },
        "/file": { get: { requestBody: { $ref: "../../etc/passwd" } } },
        "/item": { $ref: "#/nowhere" },
      },
    });
    expect(described.tools.map(({ name }) => name)).toEqual(["get_ok"]);
    expect(described.leftOut).toEqual([
      { name: "get_bad", reason: '$ref "#/components/parameters/No" names nothing in the description' },
      {
        name: "get_far",
        reason:
          '$ref "https://evil.example/x.json#/a" leads out of the description; only files beside a local one are read',
      },
      {
        name: "get_file",
        reason:
          '$ref "../../etc/passwd" leads out of the description; only files beside a local one are read',
      },
      { name: "/item", reason: '$ref "#/nowhere" names nothing in the description' },
    ]);
  });

  it("to files are followed within the folder of the description, and no further", () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "api"));
    const write = (name: string, value: unknown) => writeFileSync(join(folder, name), JSON.stringify(value));
    write("secret.json", { type: "string", const: "secret" });
    symlinkSync(join(folder, "secret.json"), join(folder, "api/link.json"));
    write("api/pet.json", {
      Pet: { type: "object", properties: { tag: { $ref: "#/Tag" } } },
      Tag: { type: "string" },
    });
    writeFileSync(
      join(folder, "api/items.yaml"),
      "get:\n  parameters:\n    - {name: a, in: query, schema: {$ref: 'pet.json#/Tag'}}\n",
    );
    const bodyOf = (reference: string) => ({
      post: { requestBody: { content: { "application/json": { schema: { $ref: reference } } } } },
    });
    const description = {
      openapi: "3.1.0",
      paths: {
        "/pet": bodyOf("./pet.json#/Pet"),
        "/items": { $ref: "items.yaml" },
        "/up": bodyOf("../secret.json"),
        "/link": bodyOf("link.json"),
        "/gone": bodyOf("gone.json"),
      },
    };
    write("api/openapi.json", description);
    const described = readDescription(parse(description), join(folder, "api/openapi.json"));
    expect(described.tools.map(({ inputSchema }) => inputSchema["properties"])).toEqual([
      { body: { type: "object", properties: { tag: { type: "string" } } } },
      { a: { type: "string" } },
    ]);
    expect(described.leftOut.map(({ name, reason }) => `${name}: ${reason}`)).toEqual([
      'post_up: $ref "../secret.json" leads out of the folder of the description, and is not read',
      'post_link: $ref "link.json" leads out of the folder of the description, and is not read',
      'post_gone: $ref "gone.json" names a file that is not there',
    ]);
    expect(JSON.stringify(described.tools)).not.toContain("secret");
  });
});

describe("T093: what is too much", () => {
  it("operations after the first 2,000 are left out by name, and counted", () => {
    const paths = Object.fromEntries(
      Array.from({ length: OPERATION_COUNT_MAX + 600 }, (_, i) => [`/p${i}`, { get: {} }]),
    );
    const { tools, leftOut, incomplete } = read({ paths });
    expect(tools).toHaveLength(OPERATION_COUNT_MAX);
    expect(leftOut[0]).toEqual({ name: "get_p2000", reason: "a description has at most 2000 operations" });
    expect(incomplete).toEqual(["600 of 2600 operations and paths are left out; the first 500 are named"]);
    expect(admitOffer({ tools, leftOut, incomplete })).toMatchObject({
      tools: { length: 2000 },
      rejected: { length: 501 },
    });
  });

  it("100,000 paths are looked at no further than 20,000", () => {
    const paths = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`p${i}`, {}]));
    const { tools, incomplete } = read({ paths });
    expect([tools, incomplete]).toEqual([
      [],
      ["20001 of 0 operations and paths are left out; the first 500 are named"],
    ]);
  });
});

describe("what is wrong with one path or operation costs that one", () => {
  it.each([
    ["x", 'the path does not begin with "/"'],
    ["/a?b=1", "the path has a character that no path has"],
    ["/a#b", "the path has a character that no path has"],
    ["/a\nb", "the path has a character that no path has"],
    ["/../admin", "the path leads out of itself"],
    ["/a/%2E%2e/b", "the path leads out of itself"],
    [`/${"x".repeat(3000)}`, "the path is longer than 2000 characters"],
  ])("%j", (path, reason) => {
    const { tools, leftOut } = read({ paths: { [path]: { get: {} }, "/ok": { get: {} } } });
    expect(tools.map(({ name }) => name)).toEqual(["get_ok"]);
    expect(leftOut).toMatchObject([{ reason }]);
  });

  it.each([
    [{ parameters: 5 }, "its parameters are not a list"],
    [{ parameters: [5] }, "a parameter has no name, or one that is too long"],
    [
      { parameters: [{ name: "a", in: "nowhere" }] },
      'the parameter "a" is in none of path, query, header, cookie',
    ],
    [
      { parameters: [{ name: "Host", in: "header" }] },
      'the parameter "Host" is no header that a caller may set',
    ],
    [
      { parameters: [{ name: "a b", in: "header" }] },
      'the parameter "a b" is no header that a caller may set',
    ],
  ])("%j", (operation, reason) => {
    expect(readOne(operation).leftOut).toEqual([{ name: "post_x", reason }]);
  });

  it("a wrong type in any field breaks nothing else", () => {
    const odd = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.constantFrom<unknown>("__proto__", [], {}, -1, null, { $ref: 5 }, { $ref: "#" }),
    );
    const fields = [
      "operationId",
      "summary",
      "description",
      "parameters",
      "requestBody",
      "responses",
      "security",
      "servers",
      "tags",
      "deprecated",
    ];
    const operation = fc.dictionary(fc.constantFrom(...fields), odd);
    const top = fc.dictionary(
      fc.constantFrom("info", "servers", "components", "security", "tags", "webhooks"),
      odd,
    );
    fc.assert(
      fc.property(operation, top, (one, rest) => {
        const { tools, leftOut } = read({
          ...rest,
          paths: { "/odd": { get: one as Json }, "/ok": { get: {} } },
        });
        expect(tools.length + leftOut.length).toBe(2);
        expect(tools.at(-1)!.name).toBe("get_ok");
        const admitted = admitOffer({ tools });
        expect(admitted.tools.length + admitted.rejected.length).toBeGreaterThanOrEqual(tools.length);
      }),
    );
  });
});

describe("a text that is no description", () => {
  it.each([
    ["", "it is neither JSON nor YAML of an object"],
    ["hello", "it is neither JSON nor YAML of an object"],
    ["[1]", "it is neither JSON nor YAML of an object"],
    ["{}", 'it has no "openapi": it is no OpenAPI description'],
    ['{"openapi": "4.0"}', 'its version is "\\"4.0\\""; known are OpenAPI 3.0, 3.1, 3.2 and Swagger 2.0'],
    ['{"swagger": "1.2"}', 'its version is "\\"1.2\\""; known are OpenAPI 3.0, 3.1, 3.2 and Swagger 2.0'],
    ['{"openapi": 3}', 'its version is "3"; known are OpenAPI 3.0, 3.1, 3.2 and Swagger 2.0'],
  ])("%j says what is wrong", (text, message) => {
    expect(parseDescription(text)).toEqual({ ok: false, message });
  });

  it("of YAML that refers to itself without end is refused", () => {
    const lines = Array.from(
      { length: 12 },
      (_, i) => `a${i + 1}: &a${i + 1} [${Array(10).fill(`*a${i}`).join(", ")}]`,
    );
    const parsed = parseDescription(`openapi: 3.1.0\na0: &a0 [x]\n${lines.join("\n")}\n`);
    expect(parsed).toMatchObject({ ok: false });
  });
});
