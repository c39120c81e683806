import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { argsOfCode, argsOfJson, codeOfCall, targetOfSignature } from "./written-call.ts";

describe("a call as code", () => {
  it("is on one line where it fits, and has names without quotes where they are identifiers", () => {
    expect(codeOfCall("mcp.files.read", { path: "a.txt", "max-bytes": 10 })).toBe(
      'await mcp.files.read({ path: "a.txt", "max-bytes": 10 })',
    );
    expect(codeOfCall("mcp.time.now", {})).toBe("await mcp.time.now()");
  });

  it("has a line for each argument where it is long", () => {
    expect(codeOfCall("mcp.a.b", { text: "x".repeat(70), list: [1, 2] })).toBe(
      `await mcp.a.b({\n  text: "${"x".repeat(70)}",\n  list: [1, 2],\n})`,
    );
  });

  it("reads back what it writes", () => {
    const args = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(args, (given) => {
        const plain = JSON.parse(JSON.stringify(given)) as Record<string, unknown>;
        const read = argsOfCode('mcp["a-b"].c', codeOfCall('mcp["a-b"].c', plain));
        expect(read).toEqual({ ok: true, args: plain });
      }),
    );
  });

  it("reads what people write: quotes, comments, commas, a semicolon", () => {
    expect(argsOfCode("mcp.a.b", "mcp.a.b({ x: 'y', /* z */ n: -1, },);")).toEqual({
      ok: true,
      args: { x: "y", n: -1 },
    });
    expect(argsOfCode("mcp.a.b", "await mcp.a.b( );")).toEqual({ ok: true, args: {} });
  });

  it("says what is missing", () => {
    expect(argsOfCode("mcp.a.b", "mcp.a.c({})")).toEqual({
      ok: false,
      message: "Begin with: await mcp.a.b(",
    });
    expect(argsOfCode("mcp.a.b", "mcp.a.b({ x: 1 }")).toEqual({
      ok: false,
      message: "The call ends with a bracket: )",
    });
    expect(argsOfCode("mcp.a.b", "mcp.a.b([1])")).toEqual({
      ok: false,
      message: "Arguments are an object: { … }",
    });
    expect(argsOfCode("mcp.a.b", "mcp.a.b({ x: y })")).toMatchObject({ ok: false });
  });

  it("is found in a signature, also with brackets", () => {
    expect(targetOfSignature('mcp["git-hub(x"].create(args: { a: string })')).toBe('mcp["git-hub(x"].create');
    expect(targetOfSignature("execute(args?: { code: string })")).toBe("execute");
  });
});

describe("arguments as JSON", () => {
  it("are an object, and nothing at all is an empty one", () => {
    expect(argsOfJson(" ")).toEqual({ ok: true, args: {} });
    expect(argsOfJson('{"a":1}')).toEqual({ ok: true, args: { a: 1 } });
    expect(argsOfJson("[1]")).toMatchObject({ ok: false });
    expect(argsOfJson("{")).toMatchObject({ ok: false });
  });
});
