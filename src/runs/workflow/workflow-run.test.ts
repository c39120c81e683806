import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
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
});
afterAll(async () => {
  await kit.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  limits = LIMITS;
  gates.clear();
  kit.calls.length = 0;
});

function add(id: string): JsonObject {
  return { id, type: "notes__add", params: {} };
}

function made(): unknown[] {
  return kit.calls.map(({ args }) => args);
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
    expect(report.calls.map(({ node }) => node)).toEqual(["a", "b", "c"]);
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
