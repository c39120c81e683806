/** Attacks on the list of tools that a run may call, by their numbers. */
import { describe, expect, test } from "vitest";
import { createAttackedSandbox, returned, valueOf } from "./sandbox.testkit.ts";

const { run, grownMb } = createAttackedSandbox();

describe("T020 what was not granted is not there", () => {
  const functions = [
    { namespace: "math", name: "sum" },
    { namespace: "caf\u00e9", name: "serve" },
    { namespace: "empty", name: null },
  ];
  const told = (path: string) => `not_granted: ${path} is not among the tools that this code names.`;

  test.each([
    [
      "another server through a parameter",
      "((m, server, tool) => m[server][tool]({}))(mcp, 'other', 'tool')",
      "mcp.other",
    ],
    ["another tool through a parameter", "((m, tool) => m[tool]({}))(mcp.math, 'other')", "mcp.math.other"],
    ["its prototype", "mcp.__proto__", "mcp.__proto__"],
    ["the prototype of a server", "mcp.math.__proto__", "mcp.math.__proto__"],
    ["a member that every object has", "mcp.math.hasOwnProperty('sum')", "mcp.math.hasOwnProperty"],
    ["another case", "mcp.Math.sum({})", "mcp.Math"],
    ["another case of the tool", "mcp.math.Sum({})", "mcp.math.Sum"],
    ["another normal form", "mcp['caf\\u0065\\u0301'].serve({})", "mcp.cafe\u0301"],
    ["a tool of a server that is only visible", "mcp.empty.tool({})", "mcp.empty.tool"],
    ["the number of a function", "mcp.math[0]({})", "mcp.math.0"],
    ["a member of a function's", "Reflect.get(mcp, 'other')", "mcp.other"],
  ])("T020 %s", async (_, expression, path) => {
    let madeCount = 0;
    const outcome = await run(
      `try { return await ${expression}; } catch (error) { return [error.name, error.code, error.reason, error.message]; }`,
      {
        functions,
        call: () => Promise.resolve(returned(++madeCount)),
      },
    );
    expect(valueOf(outcome)).toEqual(["ToolError", "SECURITY_ERROR", "not_granted", told(path)]);
    expect(madeCount).toBe(0);
  });

  test("T020 and enumeration shows what was granted alone", async () => {
    const outcome = await run(
      `const inherited = []; for (const key in mcp) inherited.push(key);
       return [Reflect.ownKeys(mcp), Reflect.ownKeys(mcp.math), Object.keys(mcp.empty), inherited, JSON.stringify(mcp), Object.getPrototypeOf(mcp),
         Object.getPrototypeOf(mcp.math), "other" in mcp, "__proto__" in mcp, Object.getOwnPropertyDescriptor(mcp, "other") === undefined];`,
      { functions },
    );
    const spaces = ["math", "caf\u00e9", "empty"];
    const text = '{"math":{},"caf\u00e9":{},"empty":{}}';
    expect(valueOf(outcome)).toEqual([spaces, ["sum"], [], spaces, text, null, null, false, false, true]);
  });

  test("T020 and what was granted cannot be changed", async () => {
    const outcome = await run(
      `"use strict";
       const tries = [() => (mcp.other = {}), () => (mcp.math.sum = 1), () => (mcp.math.other = 1), () => delete mcp.math, () => (mcp.math.sum.index = 5),
         () => Object.defineProperty(mcp, "x", { value: 1 }), () => Object.setPrototypeOf(mcp, {}), () => (console.log = 1), () => (console.log.x = 1)];
       return [tries.map((attempt) => { try { attempt(); return "changed"; } catch (error) { return error.name; } }),
         [mcp, mcp.math, mcp.math.sum, console, console.log].map(Object.isFrozen)];`,
      { functions },
    );
    expect(valueOf(outcome)).toEqual([Array(9).fill("TypeError"), Array(5).fill(true)]);
  });
});

test("all of these attacks have cost this process no memory to speak of", () => {
  expect(grownMb()).toBeLessThan(128);
});
