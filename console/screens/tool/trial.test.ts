import { describe, expect, it } from "vitest";
import { changeTrial, firstArguments, needsConfirmation, startTrial } from "./trial.ts";

const TARGET = "mcp.files.read";

describe("a try of a tool", () => {
  it("has the same arguments in every mode", () => {
    const form = startTrial("form", { path: "a" }, TARGET);
    const json = changeTrial(form, { change: "mode", mode: "json" }, TARGET);
    expect(json.text).toBe('{\n  "path": "a"\n}');
    const edited = changeTrial(json, { change: "text", text: '{"path": "b"}' }, TARGET);
    expect(changeTrial(edited, { change: "mode", mode: "code" }, TARGET).text).toBe(
      'await mcp.files.read({ path: "b" })',
    );
  });

  it("keeps the last arguments that could be read while a text is being typed", () => {
    const code = startTrial("code", { path: "a" }, TARGET);
    const broken = changeTrial(code, { change: "text", text: "await mcp.files.read({ path: " }, TARGET);
    expect(broken).toMatchObject({ args: { path: "a" }, problem: "The text ends too early." });
    const mended = changeTrial(
      broken,
      { change: "text", text: "await mcp.files.read({ path: 'c' })" },
      TARGET,
    );
    expect(mended).toMatchObject({ args: { path: "c" }, problem: undefined });
  });

  it("is confirmed where it may destroy or nobody knows", () => {
    expect([undefined, "destroy", "write", "read"].map(needsConfirmation)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it("begins with defaults and examples of what is required", () => {
    const schema = {
      properties: { a: { default: 1 }, b: { examples: ["x"] }, c: { type: "string" }, d: { default: 2 } },
      required: ["a", "b", "c"],
    };
    expect(firstArguments(schema)).toEqual({ a: 1, b: "x" });
    expect(firstArguments({})).toEqual({});
  });
});
