import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { fail } from "../../core/result.ts";
import { createTestRuns, LIMITS, type TestRuns } from "../runs.testkit.ts";
import { addNotes, flow } from "./workflow.testkit.ts";

const folder = mkdtempSync(join(tmpdir(), "repertoire-test-"));
let limits = LIMITS;
let kit: TestRuns;
/** What gates do when they are called, by the name that the node gives. */
const gates = new Map<string, () => unknown>();

beforeAll(async () => {
  kit = await createTestRuns(folder, () => limits);
  addNotes(kit, gates);
  kit.addCapabilities({
    "math:twice": "return args.n * 2;",
    "math:sums": "let sum = 0; for (const n of args.list) sum += await mcp.math.twice({ n }); return sum;",
  });
});
afterAll(async () => {
  await kit.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  limits = LIMITS;
  gates.clear();
  kit.calls.length = 0;
  kit.named.clear();
});

function made(): unknown[] {
  return kit.calls.map(({ args }) => args);
}

function draft(name: string, workflow: JsonObject): void {
  kit.named.set(name, { kind: "workflow", source: JSON.stringify(workflow), draft: name });
}

describe("a node that fails", () => {
  it("is named by the error and the checkpoint", async () => {
    const nodes = [
      { id: "a", type: "notes__add", params: { n: 1 } },
      { id: "b", type: "notes__fail", params: { why: "no ${a.n}" } },
      { id: "c", type: "notes__add", params: { b: "${b}" } },
    ];
    const report = await kit.executeWorkflow(flow(nodes));
    expect(report.result).toMatchObject({
      success: false,
      error: { code: "TOOL_UNAVAILABLE", message: "no 1", node: "b" },
    });
    expect(report.checkpoint).toMatchObject({ completed: ["a"], failed: "b", isResumable: true });
    expect(made()).toHaveLength(2);
  });

  it("lets what is under way end, and nothing new begins", async () => {
    const failed = Promise.withResolvers<void>();
    const slow = Promise.withResolvers<string>();
    gates.set("slow", () => (failed.resolve(), slow.promise));
    gates.set("late", async () => {
      await failed.promise;
      // The other node ends only when this one has: by then the failure has been seen.
      setImmediate(() => slow.resolve("done"));
      return fail("TOOL_UNAVAILABLE", "down");
    });
    const nodes = [
      { id: "slow", type: "notes__gate", params: { name: "slow" } },
      { id: "broken", type: "notes__gate", params: { name: "late" } },
      { id: "next", type: "notes__add", params: { x: "${slow}" } },
    ];
    const report = await kit.executeWorkflow(flow(nodes));
    expect(report.result).toMatchObject({ error: { node: "broken" } });
    expect(report.checkpoint).toMatchObject({ completed: ["slow"], failed: "broken" });
    expect(kit.calls).toHaveLength(2);
  });

  it("leaves its error to those after it where on_error is continue", async () => {
    const nodes = [
      { id: "a", type: "notes__fail", params: {}, on_error: "continue" },
      { id: "b", type: "notes__add", params: { why: "${a.error.message}", code: "${a.error.code}" } },
    ];
    const report = await kit.executeWorkflow(flow(nodes, { outputs: { b: { source: "${b}" } } }));
    expect(report.result).toEqual({
      success: true,
      data: { b: { why: "the disk is full", code: "TOOL_UNAVAILABLE" } },
    });
  });

  it("runs its route, skips what needed its success, and both ways meet after it", async () => {
    const nodes = [
      { id: "a", type: "notes__fail", params: {}, on_error: "rescue" },
      { id: "good", type: "notes__add", params: { a: "${a}" } },
      { id: "rescue", type: "notes__add", params: { why: "${a.error.message}" } },
      { id: "join", type: "notes__add", params: { at: "join" } },
    ];
    const edges = ["good", "rescue"].map((from) => ({ from, to: "join" }));
    const outputs = {
      good: { source: "${good}" },
      why: { source: "${rescue.why}" },
      at: { source: "${join.at}" },
    };
    const report = await kit.executeWorkflow(flow(nodes, { edges, outputs }));
    expect(report.result).toEqual({
      success: true,
      data: { good: null, why: "the disk is full", at: "join" },
    });
    expect(made()).toEqual([{}, { why: "the disk is full" }, { at: "join" }]);
  });

  it("takes the success way through a join where nothing fails", async () => {
    const nodes = [
      { id: "a", type: "notes__add", params: { n: 1 } },
      { id: "good", type: "notes__add", params: { a: "${a.n}" } },
      { id: "rescue", type: "notes__add", params: { why: "x" } },
      { id: "join", type: "notes__add", params: { at: "join" } },
    ];
    const edges = [
      { from: "a", to: "rescue", action: "error" },
      { from: "good", to: "join", action: "success" },
      { from: "rescue", to: "join", action: "success" },
    ];
    const report = await kit.executeWorkflow(flow(nodes, { edges }));
    expect(report.result.success).toBe(true);
    expect(made()).toEqual([{ n: 1 }, { a: 1 }, { at: "join" }]);
  });

  it("is handled by an edge of action error as by on_error", async () => {
    const nodes = [
      { id: "a", type: "notes__fail", params: {} },
      { id: "rescue", type: "notes__add", params: { why: "${a.error.message}" } },
    ];
    const edges = [{ from: "a", to: "rescue", action: "error" }];
    const report = await kit.executeWorkflow(
      flow(nodes, { edges, outputs: { why: { source: "${rescue.why}" } } }),
    );
    expect(report.result).toEqual({ success: true, data: { why: "the disk is full" } });
  });

  it("by its parameters has not troubled the server", async () => {
    const nodes = [
      { id: "a", type: "notes__add", params: { n: "seven" } },
      { id: "b", type: "notes__strict", params: { n: "${a.n}" } },
    ];
    const report = await kit.executeWorkflow(flow(nodes));
    expect(report.result).toMatchObject({
      error: { code: "TOOL_INVALID_INPUT", reason: "invalid_arguments", node: "b" },
    });
    expect(kit.calls).toHaveLength(1);
  });
});

describe("code nodes", () => {
  it("keep what looks like a template in the code, and get values through inputs", async () => {
    const code = "const name = args.who; return { text: `hello ${name}`, raw: '${who}' };";
    const nodes = [{ id: "a", type: "code", params: { code, inputs: { who: "${who}" } } }];
    const more = { inputs: { who: { type: "string" } }, outputs: { a: { source: "${a}" } } };
    const report = await kit.executeWorkflow(flow(nodes, more), { inputs: { who: "ann" } });
    expect(report.result).toEqual({ success: true, data: { a: { text: "hello ann", raw: "${who}" } } });
  });

  it("that throw fail the node", async () => {
    const nodes = [{ id: "a", type: "code", params: { code: "throw new Error('no luck')" } }];
    const report = await kit.executeWorkflow(flow(nodes));
    expect(report.result).toMatchObject({
      success: false,
      error: { node: "a", message: expect.stringContaining("no luck") },
    });
    expect(report.checkpoint).toMatchObject({ failed: "a" });
  });
});

describe("what a workflow calls", () => {
  it("can be a capability", async () => {
    const nodes = [{ id: "a", type: "mcp__math__twice", params: { n: 21 } }];
    const report = await kit.executeWorkflow(flow(nodes, { outputs: { n: { source: "${a}" } } }));
    expect(report.result).toEqual({ success: true, data: { n: 42 } });
  });

  it("can be a draft or a kept workflow, by name", async () => {
    const inner = flow([{ id: "x", type: "notes__add", params: { n: "${n}" } }], {
      inputs: { n: { type: "integer" } },
      outputs: { n: { source: "${x.n}" } },
    });
    draft("inner", inner);
    const source = JSON.stringify(inner);
    const capability = { tool: "mcp__flows__kept", id: "kept-id", version: 1 };
    kit.named.set("flows:kept", { kind: "workflow", source, capability });
    const nodes = [
      { id: "a", type: "workflow", params: { name: "inner", inputs: { n: 1 } } },
      { id: "b", type: "workflow", params: { name: "flows:kept", inputs: { n: "${a.n}" } } },
    ];
    const report = await kit.executeWorkflow(flow(nodes, { outputs: { n: { source: "${b.n}" } } }));
    expect(report.result).toEqual({ success: true, data: { n: 1 } });
    const children = await kit.store.runs.children(report.runId!);
    expect(children.map(({ kind, parentStep }) => [kind, parentStep])).toEqual([
      ["workflow", expect.stringMatching(/^a@/)],
      ["capability", expect.stringMatching(/^b@/)],
    ]);
  });

  it("may be a name that a template gives and that is not there, which fails the node", async () => {
    const nodes = [{ id: "a", type: "workflow", params: { name: "${name}" } }];
    const inputs = { name: { type: "string", default: "nowhere" } };
    const report = await kit.executeWorkflow(flow(nodes, { inputs }));
    expect(report.result).toMatchObject({ error: { code: "TOOL_NOT_FOUND", node: "a" } });
  });

  it("cannot be itself", async () => {
    const nodes = [{ id: "a", type: "workflow", params: { name: "self" } }];
    draft("self", flow(nodes));
    const report = await kit.executeWorkflow(flow(nodes), { draft: "self" });
    expect(report.result).toMatchObject({
      error: { reason: "cycle", message: expect.stringContaining("self → self") },
    });
  });

  it("cannot be itself through another", async () => {
    const calls = (name: string) => flow([{ id: "n", type: "workflow", params: { name } }]);
    draft("a", calls("b"));
    draft("b", calls("a"));
    const report = await kit.executeWorkflow(calls("b"), { draft: "a" });
    expect(report.result).toMatchObject({
      error: { reason: "cycle", message: expect.stringContaining("a → b → a") },
    });
  });

  it("ends at the depth limit", async () => {
    for (let n = 0; n < 12; n++) {
      draft(`d${n}`, flow([{ id: "n", type: "workflow", params: { name: `d${n + 1}` } }]));
    }
    draft("d12", flow([{ id: "n", type: "notes__add", params: {} }]));
    const nodes = [{ id: "n", type: "workflow", params: { name: "d0" } }];
    const report = await kit.executeWorkflow(flow(nodes));
    expect(report.result).toMatchObject({ error: { reason: "depth_limit" } });
    expect(kit.calls).toEqual([]);
  });

  it("shares one budget of calls", async () => {
    limits = { ...LIMITS, callsMax: 6 };
    const nodes = [
      { id: "a", type: "mcp__math__sums", params: { list: [1, 2, 3] } },
      { id: "b", type: "notes__add", params: { after: "${a}" } },
      { id: "c", type: "notes__add", params: { after: "${b}" } },
      { id: "d", type: "notes__add", params: { after: "${c}" } },
    ];
    const report = await kit.executeWorkflow(flow(nodes));
    expect(report.result).toMatchObject({ error: { code: "RATE_LIMITED", reason: "call_limit", node: "d" } });
    expect(report.checkpoint).toMatchObject({ completed: ["a", "b", "c"], failed: "d" });
  });
});
