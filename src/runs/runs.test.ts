import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fail } from "../core/result.ts";
import { DEFAULT_SCOPE } from "../core/names.ts";
import { createTestRuns, LIMITS, type TestRuns } from "./runs.testkit.ts";

const folder = mkdtempSync(join(tmpdir(), "repertoire-test-"));
let limits = LIMITS;
let kit: TestRuns;

beforeAll(async () => {
  kit = await createTestRuns(folder, () => limits);
  kit.addSource(
    "notes",
    {
      add: ({ title }) => ({ id: 7, title }),
      structured: () => ({ content: [{ type: "text", text: "seven" }], structuredContent: { n: 7 } }),
      text: () => "just words",
      blocks: () => ({
        content: [
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ],
      }),
      fail: () => ({ isError: true, content: [{ type: "text", text: "the disk is full" }] }),
      refuse: () =>
        fail("TOOL_UNAVAILABLE", "The server is down", { upstream: { code: -32001, message: "down" } }),
      wait: (_, { signal }) =>
        new Promise((resolve) =>
          signal.addEventListener("abort", () => resolve("cancelled"), { once: true }),
        ),
      deaf: () => new Promise(() => {}),
      "list-all": () => [1, 2, 3],
    },
    {
      add: {
        inputSchema: {
          type: "object",
          properties: { title: { type: "string" }, tags: { type: "array", items: { type: "string" } } },
          required: ["title"],
          additionalProperties: false,
        },
      },
    },
  );
  kit.addSource(
    "defaults",
    { get: (args) => `got ${JSON.stringify(args)}` },
    {
      get: {
        inputSchema: { type: "object", properties: { n: { type: "number", default: 1 } }, required: ["n"] },
      },
    },
  );
  kit.addCapabilities({
    "math:sum": "return [1,2,3,4,5].reduce((a, n) => a + n, 0);",
    "math:twice": "return 2 * await mcp.math.sum();",
    "loop:self": "return await mcp.loop.self();",
    "loop:a": "return await mcp.loop.b();",
    "loop:b": "return await mcp.loop.a();",
    "deep:d1": "return await mcp.deep.d2();",
    "deep:d2": "return await mcp.deep.d3();",
    "deep:d3": "return await mcp.deep.d4();",
    "deep:d4": "return await mcp.deep.d5();",
    "deep:d5": "return await mcp.deep.d6();",
    "deep:d6": "return await mcp.deep.d7();",
    "deep:d7": "return await mcp.deep.d8();",
    "deep:d8": "return await mcp.deep.d9();",
    "deep:d9": "return 'the bottom';",
    "busy:calls": "for (let i = 0; i < 5; i++) await mcp.notes.text(); return 5;",
    "busy:waits": "return await mcp.notes.wait();",
  });
});

afterAll(async () => {
  await kit.close();
  rmSync(folder, { recursive: true, force: true });
});

const resultOf = async (...args: Parameters<TestRuns["execute"]>) => (await kit.execute(...args)).result;
const errorOf = async (...args: Parameters<TestRuns["execute"]>) => {
  const result = await resultOf(...args);
  if (result.success) throw new Error(`it returned ${JSON.stringify(result.data)}`);
  return result.error;
};

describe("ADR-052", () => {
  it("calls a capability like a server's tool: mcp.math.sum() is 15", async () => {
    expect(await resultOf("return await mcp.math.sum()")).toEqual({ success: true, data: 15 });
  });

  it("runs a capability that calls another, each in its own sandbox", async () => {
    expect(await resultOf("return await mcp.math.twice()")).toEqual({ success: true, data: 30 });
  });

  it("answers an unknown tool at once, with its place and the nearest names", async () => {
    const before = kit.calls.length;
    const error = await errorOf("const x = 1;\nreturn await mcp.math.sun()");
    expect(kit.calls).toHaveLength(before);
    expect(error).toMatchObject({
      code: "TOOL_NOT_FOUND",
      nearest: ["mcp.math.sum"],
      place: { line: 2, text: "mcp.math.sun" },
    });
  });

  it("refuses a capability that calls itself, with the path", async () => {
    expect(await errorOf("return await mcp.loop.self()")).toMatchObject({
      message: expect.stringContaining("loop:self → loop:self") as string,
    });
  });
});

describe("T021 capabilities that call capabilities", () => {
  it("refuses a cycle through others and names it", async () => {
    const { message } = await errorOf("return await mcp.loop.a()");
    expect(message).toContain("loop:a → loop:b → loop:a");
  });

  it("goes 8 deep and no deeper", async () => {
    expect(await resultOf("return await mcp.deep.d2()")).toEqual({ success: true, data: "the bottom" });
    const { message } = await errorOf("return await mcp.deep.d1()");
    expect(message).toContain("8 deep");
    expect(message).toContain("deep:d1 → deep:d2");
  });

  it("shares the budget of calls with everything below, and resets it nowhere", async () => {
    limits = { ...LIMITS, callsMax: 8 };
    const report = await kit.execute(
      "const done = []; for (let i = 0; i < 3; i++) { try { done.push(await mcp.busy.calls()) } catch (e) { done.push(e.message) } } return done",
    );
    limits = LIMITS;
    expect(report.result).toMatchObject({
      success: true,
      data: [5, expect.stringContaining("call_limit"), expect.anything()],
    });
    expect(kit.calls.filter(({ tool }) => tool === "notes__text").length).toBeLessThanOrEqual(8);
  });

  it("D5: shares the deadline: what is below ends with what is above, and names the limit that was set", async () => {
    const error = await errorOf("return await mcp.busy.waits()", { timeoutMs: 400 });
    expect(error).toMatchObject({
      code: "TOOL_TIMEOUT",
      // Of the two that end then, either may be first to say so.
      message: expect.stringContaining("time limit of 400 ms") as string,
    });
  });
});

describe("names", () => {
  it.each([
    ["mcp.nots.add({ title: 'x' })", { code: "TOOL_NOT_FOUND", nearest: ["mcp.notes.add"] }],
    ["mcp.notes.ad({ title: 'x' })", { code: "TOOL_NOT_FOUND", nearest: ["mcp.notes.add"] }],
    ["mcp.notes.__proto__", { code: "TOOL_NOT_FOUND" }],
    ["mcp.__proto__.x()", { code: "TOOL_NOT_FOUND" }],
    ["mcp.NOTES.add({ title: 'x' })", { code: "TOOL_NOT_FOUND", nearest: ["mcp.notes.add"] }],
    ["mcp[args.server].add()", { code: "TOOL_INVALID_INPUT", reason: "computed_name" }],
    ["Object.keys(mcp.nothing)", { code: "TOOL_NOT_FOUND" }],
  ])("T020 refuses %s before anything runs", async (code, expected) => {
    const report = await kit.execute(`return await ${code}`);
    expect(report.runId).toBeNull();
    expect(report.result).toMatchObject({ success: false, error: expected });
  });

  it("tells all misses together, with their places", async () => {
    const { message } = await errorOf("await mcp.nots.x();\nawait mcp.notes.ad();");
    expect(message).toMatch(/Line 1, column \d+: .*nots/);
    expect(message).toMatch(/Line 2, column \d+: .*"ad"/);
  });

  it("reaches a tool whose name is no identifier in brackets and as a member", async () => {
    const code = "return [await mcp.notes['list-all'](), await mcp.notes.list_all()]";
    expect(await resultOf(code)).toEqual({
      success: true,
      data: [
        [1, 2, 3],
        [1, 2, 3],
      ],
    });
  });

  it("shows the guest only what it names", async () => {
    const code =
      "mcp.notes.text; return Object.keys(mcp).map((s) => [s, Object.keys(mcp[String(s) as 'notes'])])";
    expect(await errorOf(code)).toMatchObject({ reason: "computed_name" });
    const seen =
      "mcp.notes.text; const all = mcp; return Object.entries(all).map(([s, tools]) => [s, Object.keys(tools)])";
    expect(await resultOf(seen)).toEqual({ success: true, data: [["notes", ["text"]]] });
  });
});

describe("answers in code", () => {
  it.each([
    ["structured", { n: 7 }],
    ["text", "just words"],
    ["list-all", [1, 2, 3]],
    [
      "blocks",
      [
        { type: "text", text: "a" },
        { type: "text", text: "b" },
      ],
    ],
  ])("unwraps %s", async (tool, expected) => {
    expect(await resultOf(`return await mcp.notes["${tool}"]()`)).toEqual({ success: true, data: expected });
  });

  it("throws a tool's error in the guest, with the tool's words", async () => {
    const code = "try { await mcp.notes.fail() } catch (e) { return [e.name, e.message, e.code, e.tool] }";
    expect(await resultOf(code)).toEqual({
      success: true,
      data: ["ToolError", "the disk is full", "TOOL_EXECUTION_FAILED", "notes__fail"],
    });
    expect(await errorOf("const a = 1;\n  await mcp.notes.fail()")).toMatchObject({
      code: "TOOL_EXECUTION_FAILED",
      reason: "tool_error",
      message: expect.stringContaining("the disk is full") as string,
      place: { line: 2 },
    });
  });

  it("keeps the code and the JSON-RPC error of a call that did not get through", async () => {
    const code = "try { await mcp.notes.refuse() } catch (e) { return [e.code, e.retryable, e.details] }";
    expect(await resultOf(code)).toEqual({
      success: true,
      data: ["TOOL_UNAVAILABLE", true, { code: -32001, message: "down" }],
    });
  });
});

describe("arguments", () => {
  it("refuses a missing required argument before anything runs, with the signature", async () => {
    const report = await kit.execute("await mcp.notes.text();\nreturn await mcp.notes.add({ tags: [] })");
    expect(report).toMatchObject({
      runId: null,
      calls: [],
      result: {
        error: {
          reason: "missing_argument",
          place: { line: 2 },
          signature: expect.stringContaining("mcp.notes.add(args: { title: string") as string,
        },
      },
    });
  });

  it("warns of other type mistakes and checks the real values before the server sees them", async () => {
    const before = kit.calls.length;
    const report = await kit.execute("return await mcp.notes.add({ title: 5 as any, tgas: [] } as any)");
    expect(report.result).toMatchObject({
      success: false,
      error: {
        code: "TOOL_INVALID_INPUT",
        message: expect.stringMatching(/"tgas"; did you mean "tags"\?; title must be a string/) as string,
      },
    });
    expect(kit.calls).toHaveLength(before);
    const warned = await kit.execute("const n: number = 'x'; await mcp.notes.text({}); return n");
    expect(warned).toMatchObject({
      result: { success: true },
      warnings: [expect.stringContaining("Line 1")],
    });
  });

  it("does not check the types of code that calls no tool before it runs, and tells them where it is checked", async () => {
    const code = "const n: number = 'x'; return n";
    expect(await kit.execute(code)).toMatchObject({ result: { success: true }, warnings: [] });
    const context = { traceId: "t", signal: new AbortController().signal };
    const checked = await kit.runs.checkCode(code, context);
    expect(checked).toMatchObject({ ok: true, doubts: [{ place: { line: 1 } }] });
  });

  it("gives the code its inputs as args", async () => {
    expect(await resultOf("return args.a + args.b", { inputs: { a: 1, b: 2 } })).toEqual({
      success: true,
      data: 3,
    });
  });
});

describe("arguments that are missing", () => {
  it.each([
    ["await mcp.notes.add()", "missing_argument"],
    ["await mcp.notes.add({ ttile: 'x' })", "missing_argument"],
    ["enum A { B }; await mcp.notes.add({ tags: [] })", "missing_argument"],
    ["const a = { tags: [] }; await mcp.notes.add(a)", "type_error"],
  ])("refuses %s before anything runs", async (code, reason) => {
    const report = await kit.execute(code);
    expect(report).toMatchObject({ runId: null, result: { success: false, error: { reason } } });
  });

  it.each([
    "await mcp.notes.add({ ...args })",
    "await mcp.notes.add({ ['ti' + 'tle']: 'x' })",
    "await mcp.notes.add(args)",
  ])("runs %s, where only the run can tell", async (code) => {
    expect(await resultOf(`${code}; return 1`, { inputs: { title: "x" } })).toEqual({
      success: true,
      data: 1,
    });
  });

  it("does not miss what has a default", async () => {
    expect(await resultOf("return await mcp.defaults.get({})")).toEqual({ success: true, data: "got {}" });
  });
});

describe("the record", () => {
  it("keeps a run with its source, intent, inputs and result", async () => {
    const report = await kit.execute("return args.n", { inputs: { n: 1 }, intent: "Give it back" });
    expect(await kit.store.runs.find(report.runId!)).toMatchObject({
      kind: "code",
      source: "return args.n",
      intent: "Give it back",
      inputs: { n: 1 },
      status: "succeeded",
      result: 1,
      leaseOwner: null,
      scope: DEFAULT_SCOPE,
    });
  });

  it("keeps a failed run with its error, and a nested one under its parent", async () => {
    const report = await kit.execute("throw new Error('no')");
    expect(await kit.store.runs.find(report.runId!)).toMatchObject({
      status: "failed",
      error: { message: "Line 1, column 11: Error: no" },
    });
    const parent = await kit.execute("return await mcp.math.sum()");
    const [child] = await kit.store.runs.children(parent.runId!);
    expect(child).toMatchObject({ parentRunId: parent.runId, status: "succeeded" });
    expect(await kit.store.runs.find(child!.id)).toMatchObject({ result: 15 });
  });

  it("lists the calls with their times", async () => {
    const { calls } = await kit.execute(
      "await mcp.notes.text(); try { await mcp.notes.fail() } catch {} return 1",
    );
    expect(calls).toMatchObject([
      { tool: "notes__text", success: true },
      { tool: "notes__fail", success: false, error: { message: "the disk is full" } },
    ]);
    expect(calls.every(({ elapsedMs }) => elapsedMs >= 0)).toBe(true);
  });

  it("gives every run its own randomness and the clock of its start", async () => {
    const [a, b] = await Promise.all([
      kit.execute("return Math.random()"),
      kit.execute("return Math.random()"),
    ]);
    expect(a.result).not.toEqual(b.result);
    const report = await kit.execute("return Date.now()");
    const run = await kit.store.runs.find(report.runId!);
    expect(report.result).toEqual({ success: true, data: run!.clockAt });
  });
});

describe("limits and ends", () => {
  it("takes code of 256 KiB and refuses one byte more, by name", async () => {
    const padded = (bytes: number) => `return 1 //${"x".repeat(bytes - 11)}`;
    expect(await resultOf(padded(256 * 1024))).toEqual({ success: true, data: 1 });
    expect(await errorOf(padded(256 * 1024 + 1))).toMatchObject({
      message: expect.stringContaining("262144") as string,
    });
  });

  it("cancels the guest and the calls under way", async () => {
    const abort = new AbortController();
    const running = kit.execute(
      "return await mcp.notes.wait()",
      {
        observe: ({ kind }) => kind === "call_started" && setImmediate(() => abort.abort()),
      },
      { signal: abort.signal },
    );
    expect((await running).result).toMatchObject({ success: false, error: { code: "CANCELLED" } });
    expect(kit.calls.at(-1)!.context.signal.aborted).toBe(true);
  });

  it("does not wait for a tool that ignores its cancellation", async () => {
    const error = await errorOf("return await mcp.notes.deaf()", { timeoutMs: 3_000 });
    expect(error).toMatchObject({ code: "TOOL_TIMEOUT" });
  });

  it("says what the sandbox does not have, and what to do instead", async () => {
    expect(await errorOf("setTimeout(() => {}, 1)")).toMatchObject({
      hint: expect.stringContaining("timers") as string,
    });
    expect(await errorOf("await fetch('http://x')")).toMatchObject({
      hint: expect.stringContaining("network") as string,
    });
  });

  it("shows errors in the code's own lines, also where types were more than blanked out", async () => {
    const code =
      "enum Colour { Red }\ninterface A { b: string }\n\n  throw new TypeError('bad ' + Colour.Red)";
    expect(await errorOf(code)).toMatchObject({
      place: { line: 4 },
      message: expect.stringContaining("TypeError: bad 0") as string,
    });
    expect(await errorOf("let x = ;\nreturn 1")).toMatchObject({
      reason: "syntax_error",
      place: { line: 1 },
    });
  });
});
