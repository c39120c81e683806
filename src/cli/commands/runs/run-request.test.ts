import { describe, expect, it } from "vitest";
import { isPath, isWorkflowFile, readInputs, readTimeout } from "./run-request.ts";

describe("isPath", () => {
  it.each(["-", "report.ts", "./report", "flows/deploy.json", "report.txt", "..\\x.js"])(
    "%s is a file",
    (text) => {
      expect(isPath(text)).toBe(true);
    },
  );

  it.each([
    "report",
    "issues:stale",
    "issues:stale@2",
    "mcp__issues__stale",
    "local.default.issues.stale.3fa2",
  ])("%s is a name", (text) => {
    expect(isPath(text)).toBe(false);
  });
});

it("only .json is a workflow", () => {
  expect([isWorkflowFile("deploy.json"), isWorkflowFile("deploy.ts"), isWorkflowFile("-")]).toEqual([
    true,
    false,
    false,
  ]);
});

describe("readInputs", () => {
  it("reads JSON where it is JSON, text where it is not, and the last of one name", () => {
    expect(readInputs(["n=3", "list=[1]", "text=5 apples", "url=a=b", "n=4", "empty="])).toEqual({
      success: true,
      data: { n: 4, list: [1], text: "5 apples", url: "a=b", empty: "" },
    });
  });

  it("keeps a name that is one of a prototype as a name", () => {
    const read = readInputs([`__proto__={"polluted":true}`, "constructor=1"]);
    expect(read.success && Object.keys(read.data)).toEqual(["__proto__", "constructor"]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("refuses what is no pair", () => {
    expect(readInputs(["x"])).toMatchObject({ success: false, error: { field: "input" } });
    expect(readInputs(["=x"])).toMatchObject({ success: false });
  });
});

it("a time limit is a whole number of ms above 0", () => {
  expect(readTimeout("1500")).toEqual({ success: true, data: 1_500 });
  expect(readTimeout(undefined)).toEqual({ success: true, data: undefined });
  for (const written of ["soon", "0", "-1", "1.5", ""]) {
    expect(readTimeout(written)).toMatchObject({ success: false, error: { code: "TOOL_INVALID_INPUT" } });
  }
});
