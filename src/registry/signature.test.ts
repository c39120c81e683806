import fc from "fast-check";
import { expect, it } from "vitest";
import type { JsonObject } from "../core/json.ts";
import { signatureOf, typeOf } from "./signature.ts";

it("shows what code would call", () => {
  const input: JsonObject = {
    type: "object",
    properties: {
      title: { type: "string" },
      labels: { type: "array", items: { type: "string" } },
      state: { enum: ["open", "closed"] },
      "x-id": { type: ["integer", "null"] },
      at: { type: "object", properties: { line: { type: "number" } }, required: ["line"] },
    },
    required: ["title"],
  };
  const output: JsonObject = { type: "object", properties: { id: { type: "integer" } }, required: ["id"] };
  expect(signatureOf("github", "create_issue", input, output)).toBe(
    'mcp.github.create_issue(args: { title: string; labels?: string[]; state?: "open" | "closed"; "x-id"?: number | null; ' +
      "at?: { line: number } }): Promise<{ id: number }>",
  );
});

it("leaves out arguments that do not exist, and brackets names that are no identifiers", () => {
  expect(signatureOf("1password", "get-item", { type: "object" })).toBe(
    'mcp["1password"]["get-item"](): Promise<unknown>',
  );
  expect(signatureOf("s", "t", { type: "object", properties: { a: { type: "string" } } })).toContain(
    "(args?: {",
  );
});

it("gives a bounded text for any schema", () => {
  let nested: JsonObject = { type: "string" };
  for (let i = 0; i < 50; i++) nested = { type: "object", properties: { next: nested } };
  expect(typeOf(nested, 0)).toBe("{ next?: { next?: { next?: object } } }");
  expect(typeOf({ enum: Array.from({ length: 1000 }, (_, i) => i) }, 0)).toBe(
    "0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | …",
  );
  fc.assert(fc.property(fc.jsonValue(), (schema) => typeof typeOf(schema, 0) === "string"));
});

it("follows references, maps and long literals, in a bounded text", () => {
  const tree: JsonObject = {
    type: "object",
    properties: { name: { $ref: "#/$defs/name" }, next: { $ref: "#" }, tags: { $ref: "https://x.example" } },
    $defs: { name: { type: "string" } },
  };
  expect(typeOf(tree, 0)).toBe(
    "{ name?: string; next?: { name?: unknown; next?: unknown; tags?: unknown }; tags?: unknown }",
  );
  expect(typeOf({ type: "object", additionalProperties: { type: "number" } }, 0)).toBe(
    "Record<string, number>",
  );
  expect(typeOf({ const: "x".repeat(1000) }, 0)).toBe("string");
  const wide = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`p${i}`, { $ref: "#" }]));
  expect(typeOf({ type: "object", properties: wide }, 0).length).toBeLessThan(20_000);
});

it("names a tool in brackets where its member form could be another's", () => {
  expect(signatureOf("s", "get-item", { type: "object" })).toBe('mcp.s["get-item"](): Promise<unknown>');
  expect(signatureOf("s", "get_item", { type: "object" })).toBe("mcp.s.get_item(): Promise<unknown>");
});
