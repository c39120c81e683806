import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readLiteral } from "./js-literal.ts";

const valueOf = (text: string) => {
  const read = readLiteral(text);
  return read.ok ? read.value : read.message;
};

describe("a JavaScript literal", () => {
  it("reads names without quotes, any quotes, trailing commas and comments", () => {
    expect(
      valueOf("{ title: 'it\\'s', \"a-b\": [1, -2.5, 0x10,], deep: { yes: true, no: null }, /* x */ }"),
    ).toEqual({
      title: "it's",
      "a-b": [1, -2.5, 16],
      deep: { yes: true, no: null },
    });
  });

  it("reads a template without expressions, and escapes", () => {
    expect(valueOf("{ a: `two\nlines`, b: '\\u0041\\x42\\u{1F600}\\n' }")).toEqual({
      a: "two\nlines",
      b: "AB😀\n",
    });
  });

  it("leaves out what is undefined, as JSON does", () => {
    expect(valueOf("{ a: undefined, b: 1 }")).toEqual({ b: 1 });
  });

  it("says where the literal ends", () => {
    expect(readLiteral("{ a: 1 }) // rest")).toMatchObject({ ok: true, end: 8 });
  });

  it("says what it cannot read and where, and evaluates nothing", () => {
    expect(readLiteral("{ a: name }")).toEqual({
      ok: false,
      message: "name is not a value: only literals can be read back.",
      at: 5,
    });
    expect(readLiteral("{ a: `x${1}` }").ok).toBe(false);
    expect(readLiteral("{ a: ")).toMatchObject({ ok: false, message: "The text ends too early." });
    expect(readLiteral("[".repeat(10_000))).toMatchObject({
      ok: false,
      message: "This is nested too deeply.",
    });
  });

  it("keeps __proto__ as a name like any other", () => {
    const read = readLiteral('{ "__proto__": { a: 1 } }');
    expect(read.ok && Object.keys(read.value as object)).toEqual(["__proto__"]);
  });

  it("reads every JSON value back", () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        expect(valueOf(JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});
