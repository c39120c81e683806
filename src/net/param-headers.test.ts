import fc from "fast-check";
import { expect, it } from "vitest";
import { decodeHeader, paramHeadersOf } from "./param-headers.ts";

const schema = {
  type: "object",
  properties: {
    region: { type: "string", "x-mcp-header": "Region" },
    deep: { type: "object", properties: { count: { type: "integer", "x-mcp-header": "Count" } } },
    other: { type: "string" },
  },
};

it("a call has a header for each argument that the tool wants there, and no other", () => {
  expect(paramHeadersOf(schema, { region: "eu", deep: { count: 3 }, other: "x" })).toEqual({
    "Mcp-Param-Region": "eu",
    "Mcp-Param-Count": "3",
  });
  expect(paramHeadersOf(schema, { region: null, other: "x" })).toEqual({});
  expect(paramHeadersOf({ type: "object", properties: { a: {} } }, { a: 1 })).toBeUndefined();
});

it.each(["", " padded", "ü", "a\r\nEvil: 1", "=?base64?eA==?=", "\0"])(
  "T050: %j cannot begin another header",
  (text) => {
    const header = paramHeadersOf(schema, { region: text })!["Mcp-Param-Region"]!;
    expect(header).toMatch(/^=\?base64\?[A-Za-z0-9+/=]*\?=$/);
    expect(decodeHeader(header)).toBe(text);
  },
);

it("every text comes back as it went", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      expect(decodeHeader(paramHeadersOf(schema, { region: text })!["Mcp-Param-Region"]!)).toBe(text);
    }),
  );
});

it.each(["=?base64?!!?=", "=?base64?eA?=", "=?base64?/w==?="])("%s is refused", (text) => {
  expect(decodeHeader(text)).toBeUndefined();
});
