import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../core/json.ts";
import { fail } from "../core/result.ts";
import { createTestRuns, LIMITS, type TestRuns } from "./runs.testkit.ts";

const folder = mkdtempSync(join(tmpdir(), "repertoire-test-"));
let limits = LIMITS;
let kit: TestRuns;
/** What tools of this test do when they are called, by the name that the node gives. */
let gates = new Map<string, () => unknown>();

beforeAll(async () => {
  kit = await createTestRuns(folder, () => limits);
  kit.addSource(
    "notes",
    {
      add: (args) => args,
      fail: ({ why = "the disk is full" }) => fail("TOOL_UNAVAILABLE", String(why)),
      gate: ({ name }) => gates.get(String(name))?.() ?? "through",
      strict: (args) => args,
      patient: (_, { signal }) =>
        new Promise((resolve) =>
          signal.addEventListener("abort", () => resolve(fail("CANCELLED", "cut short")), { once: true }),
        ),
    },
    {
      strict: {
        inputSchema: {
          type: "object",
          properties: { n: { type: "integer" } },
          required: ["n"],
          additionalProperties: false,
        },
      },
      patient: { annotations: { readOnlyHint: true } },
    },
  );
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
  gates = new Map();
  kit.calls.length = 0;
  kit.named.clear();
});

function flow(nodes: readonly object[], more: JsonObject = {}): JsonObject {
  return { ir_version: "1.0", nodes: nodes as readonly JsonObject[], ...more };
}

function add(id: string): JsonObject {
  return { id, type: "notes__add", params: {} };
}

function made(): unknown[] {
  return kit.calls.map(({ args }) => args);
}

function draft(name: string, workflow: JsonObject): void {
  kit.named.set(name, { kind: "workflow", source: JSON.stringify(workflow), tool: name, sensitive: [] });
}

describe("order", () => {
  it("comes from templates and edges, whatever the order of the text", async () => {
    const nodes = [
      { id: "c", type: "notes__add", params: { at: "c" } },
      { id: "b", type: "notes__add", params: { at: "b", after: "${a.at}" } },
      { id: "a", type: "notes__add", params: { at: "a" } },
    ];
    const report = await kit.executeWorkflow(flow(nodes, { edges: [{ from: "b", to: "c" }] }));
    expect(report.result).toEqual({ success: true, data: {} });
    expect(made()).toEqual([{ at: "a" }, { at: "b", after: "a" }, { at: "c" }]);
    expect(report.calls.map(({ tool }) => tool)).toEqual(["a", "b", "c"]);
  });

  it("leaves independent nodes to run at the same time: each of these waits until the other has begun", async () => {
    const left = Promise.withResolvers<string>();
    const right = Promise.withResolvers<string>();
    gates.set("left", () => (left.resolve("left"), right.promise));
    gates.set("right", () => (right.resolve("right"), left.promise));
    const nodes = ["left", "right"].map((id) => ({ id, type: "notes__gate", params: { name: id } }));
    const outputs = { saw: { source: "${left}" } };
    const report = await kit.executeWorkflow(flow(nodes, { outputs }));
    expect(report.result).toEqual({ success: true, data: { saw: "right" } });
  });

  it("has at most as many nodes under way as a run may have calls at once", async () => {
    limits = { ...LIMITS, callsAtOnceMax: 3 };
    let underWay = 0;
    let most = 0;
    gates.set("any", async () => {
      most = Math.max(most, ++underWay);
      await new Promise((resolve) => setImmediate(resolve));
      underWay--;
      return "through";
    });
    const nodes = Array.from({ length: 9 }, (_, n) => ({
      id: `n${n}`,
      type: "notes__gate",
      params: { name: "any", n },
    }));
    const report = await kit.executeWorkflow(flow(nodes));
    expect(report.result.success).toBe(true);
    expect(report.calls).toHaveLength(9);
    expect(most).toBe(3);
  });
});

describe("templates", () => {
  it("keep the type where they are the whole text, and become text inside another", async () => {
    const nodes = [
      { id: "a", type: "notes__add", params: { n: 7, list: [1, { deep: null }], is: true } },
      {
        id: "b",
        type: "notes__add",
        params: { n: "${a.n}", list: "${a.list}", is: "${a.is}", text: "n is ${a.n}, $${a.n}" },
      },
    ];
    await kit.executeWorkflow(flow(nodes));
    expect(made()[1]).toEqual({ n: 7, list: [1, { deep: null }], is: true, text: "n is 7, ${a.n}" });
  });

  it("that cannot be filled in fail the node, with what there is instead", async () => {
    const nodes = [
      { id: "a", type: "notes__add", params: { title: "x" } },
      { id: "b", type: "notes__add", params: { text: "${a.titel}" } },
    ];
    const report = await kit.executeWorkflow(flow(nodes));
    expect(report.result).toMatchObject({
      success: false,
      error: { code: "TOOL_INVALID_INPUT", reason: "template_error", node: "b", missing: ["${a.titel}"] },
    });
    expect(JSON.stringify(report.result)).toContain("title");
    expect(report.checkpoint).toMatchObject({ completed: ["a"], failed: "b", isResumable: true });
  });

  it("reach own members only", async () => {
    const nodes = [
      { id: "a", type: "notes__add", params: { title: "x" } },
      { id: "b", type: "notes__add", params: { text: "${a.constructor.name}" } },
    ];
    const report = await kit.executeWorkflow(flow(nodes));
    expect(report.result).toMatchObject({ error: { reason: "template_error", node: "b" } });
  });
});

describe("inputs", () => {
  const inputs = {
    who: { type: "string" },
    count: { type: "integer" },
    tone: { type: "string", required: false, default: "kind" },
  };
  const nodes = [{ id: "a", type: "notes__add", params: { who: "${who}", n: "${count}", tone: "${tone}" } }];

  it("that are missing fail before anything runs, every name at once, with those that were given", async () => {
    const report = await kit.executeWorkflow(flow(nodes, { inputs }), { inputs: { tone: "dry" } });
    expect(report).toMatchObject({
      runId: null,
      checkpoint: null,
      result: {
        success: false,
        error: { code: "TOOL_INVALID_INPUT", reason: "template_error", missing: ["who", "count"] },
      },
    });
    expect(report.result).toMatchObject({ error: { message: expect.stringMatching(/given: tone/) } });
    expect(kit.calls).toEqual([]);
  });

  it("of the wrong type are refused with their place, and so are unknown ones", async () => {
    const wrong = await kit.executeWorkflow(flow(nodes, { inputs }), {
      inputs: { who: "ann", count: "two" },
    });
    expect(wrong).toMatchObject({
      runId: null,
      result: { error: { reason: "invalid_arguments", field: "inputs.count" } },
    });
    const unknown = await kit.executeWorkflow(flow(nodes, { inputs }), {
      inputs: { who: "ann", count: 2, whom: "bob" },
    });
    expect(unknown.result).toMatchObject({ error: { code: "TOOL_INVALID_INPUT" } });
    expect(kit.calls).toEqual([]);
  });

  it("have their defaults filled in", async () => {
    await kit.executeWorkflow(flow(nodes, { inputs }), { inputs: { who: "ann", count: 2 } });
    expect(made()).toEqual([{ who: "ann", n: 2, tone: "kind" }]);
  });
});

describe("what is wrong with the text", () => {
  it("is told all at once, and nothing runs", async () => {
    const nodes = [
      { id: "a", type: "notes__ad", params: {} },
      { id: "b", type: "notes__add", params: { text: "${nobody.x}" } },
      { id: "c", type: "notes__strict", params: { m: 1 } },
    ];
    const report = await kit.executeWorkflow(flow(nodes, { edges: [{ from: "b", to: "z" }] }));
    expect(report).toMatchObject({ runId: null, result: { error: { reason: "validation_error" } } });
    const problems = report.result.success ? [] : (report.result.error.problems ?? []);
    const places = problems.map(({ place }) => String(place));
    for (const place of ["nodes[0].type", "nodes[1].params.text", "nodes[2].params", "edges[0].to"]) {
      expect(places).toContainEqual(expect.stringContaining(place));
    }
    for (const problem of problems) expect(problem["fix"]).not.toBe("");
    expect(kit.calls).toEqual([]);
  });

  it("has a position where it is no JSON", async () => {
    const report = await kit.executeWorkflow('{"ir_version": "1.0",\n  "nodes": [}');
    expect(report.result).toMatchObject({
      error: { reason: "validation_error", problems: [expect.objectContaining({ line: 2 })] },
    });
  });
});

describe("outputs", () => {
  it("are null for what was skipped, and a path that is not there is told", async () => {
    const nodes = [
      { id: "a", type: "notes__add", params: { title: "x" }, on_error: "rescue" },
      { id: "rescue", type: "notes__add", params: { why: "${a.error.message}" } },
    ];
    const outputs = {
      title: { source: "${a.title}" },
      rescued: { source: "${rescue.why}" },
      gone: { source: "${a.no.such}" },
    };
    const report = await kit.executeWorkflow(flow(nodes, { outputs }));
    expect(report.result).toEqual({ success: true, data: { title: "x", rescued: null, gone: null } });
    expect(report.warnings).toContainEqual(expect.stringContaining("gone"));
    expect(report.warnings.join()).not.toContain("title");
  });
});

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
    const kept = { tool: "mcp__flows__kept", id: "kept-id", version: 1, sensitive: [] };
    kit.named.set("flows:kept", { kind: "workflow", source, ...kept });
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

  it("may be a name that is not there, which fails the node", async () => {
    const nodes = [{ id: "a", type: "workflow", params: { name: "nowhere" } }];
    const report = await kit.executeWorkflow(flow(nodes));
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

describe("the time limit", () => {
  const nodes = [
    { id: "a", type: "notes__add", params: { n: 1 } },
    { id: "b", type: "notes__patient", params: { a: "${a.n}" } },
    { id: "c", type: "notes__add", params: { b: "${b}" } },
  ];

  it("stops a run with a checkpoint, and a resume finishes it", async () => {
    const report = await kit.executeWorkflow(flow(nodes), { timeoutMs: 150 });
    expect(report.result).toMatchObject({ error: { code: "TOOL_TIMEOUT", reason: "timeout" } });
    expect(report.checkpoint).toMatchObject({ completed: ["a"], isResumable: true });
    expect(await kit.store.runs.find(report.runId!)).toMatchObject({ status: "failed" });
    const source = JSON.stringify(flow([nodes[0]!, { ...nodes[1]!, type: "notes__add" }, nodes[2]!]));
    const resumed = await kit.resume(report.runId!, { corrected: { kind: "workflow", source } });
    expect(resumed.result).toEqual({ success: true, data: {} });
    expect(made().filter((args) => JSON.stringify(args) === '{"n":1}')).toHaveLength(1);
  });

  it("is told as such also by a clock that has not moved", async () => {
    const home = mkdtempSync(join(tmpdir(), "repertoire-test-"));
    const clock = { now: () => Date.UTC(2030, 0, 1), elapsed: () => 0 };
    const still = await createTestRuns(home, () => LIMITS, undefined, undefined, { clock });
    still.addSource("notes", { add: () => new Promise((resolve) => setTimeout(resolve, 60, "late")) });
    const late = [add("a"), { ...add("b"), params: { a: "${a}" } }];
    const report = await still.executeWorkflow(flow(late), { timeoutMs: 30 });
    expect(report.result).toMatchObject({ error: { code: "TOOL_TIMEOUT" } });
    await still.close();
    rmSync(home, { recursive: true, force: true });
  });

  it("is no failure of the node that was cut short, even where its failures are handled", async () => {
    const handled = [nodes[0]!, { ...nodes[1]!, on_error: "continue" }, nodes[2]!];
    const report = await kit.executeWorkflow(flow(handled), { timeoutMs: 150 });
    expect(report.result).toMatchObject({ error: { code: "TOOL_TIMEOUT" } });
    const again = await kit.resume(report.runId!, { timeoutMs: 150 });
    expect(again.result).toMatchObject({ error: { code: "TOOL_TIMEOUT" } });
    expect(kit.calls.filter(({ tool }) => tool === "notes__patient")).toHaveLength(2);
  });
});
