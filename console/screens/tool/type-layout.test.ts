import { describe, expect, it } from "vitest";
import { layOut } from "./type-layout.ts";

describe("a signature to read", () => {
  it("stays on one line where it is short", () => {
    expect(layOut("mcp.a.b(args: { x: string }): Promise<{ y: number }>")).toBe(
      "mcp.a.b(args: { x: string }): Promise<{ y: number }>",
    );
  });

  it("has a line for each member of a long object, and keeps a short one inside", () => {
    const long = `mcp.a.b(args: { first: "a; { b" | "c"; second?: { x: string; y: number }; third: string; fourth: string })`;
    expect(layOut(long)).toBe(
      `mcp.a.b(args: {\n  first: "a; { b" | "c";\n  second?: { x: string; y: number };\n  third: string;\n  fourth: string;\n})`,
    );
  });

  it("does not stumble over what is cut", () => {
    expect(layOut("a(args: { x: ")).toBe("a(args: { x: ");
    expect(layOut(" }")).toBe(" }");
  });
});
