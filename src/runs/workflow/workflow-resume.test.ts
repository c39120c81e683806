import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { INLINE_RESULT_BYTES_MAX } from "../../core/store.ts";
import { createTestRuns } from "../runs.testkit.ts";
import { add, CHECK, useBreakableRuns } from "./workflow-resume.testkit.ts";
import { flow } from "./workflow.testkit.ts";

const broken = await useBreakableRuns();
const { kit } = broken;

function code(id: string, text: string, inputs: JsonObject = {}): JsonObject {
  return { id, type: "code", params: { code: text, inputs } };
}

function corrected(workflow: JsonObject) {
  return { corrected: { kind: "workflow" as const, source: JSON.stringify(workflow) } };
}

describe("a workflow that goes on", () => {
  it("makes nothing again that is done", async () => {
    const items = { id: "many", type: "notes__add", params: { at: "m${item}" }, batch: { items: [1, 2] } };
    const nodes = [
      add("a"),
      items,
      { ...CHECK, params: { a: "${a}", many: "${many}" } },
      add("z", { up: "${check.up}" }),
    ];
    const failed = await broken.failAtCheck(flow(nodes));
    expect(failed.checkpoint).toMatchObject({
      completed: expect.arrayContaining(["a", "many[0]", "many[1]"]),
    });
    const resumed = await kit.resume(failed.runId!);
    expect(resumed.result.success).toBe(true);
    expect(broken.made().toSorted()).toEqual(["a", "m1", "m2", "z"]);
    const replayed = resumed.calls.filter(({ isReplayed }) => isReplayed).map(({ node }) => node!);
    expect(replayed.toSorted()).toEqual(["a", "many[0]", "many[1]"]);
  });

  it("runs a changed node again with all that depend on it, by template or edge, and no other", async () => {
    const nodes = [
      add("a"),
      add("b"),
      add("reads_a", { x: "${a.at}" }),
      add("after_a"),
      add("reads_b", { x: "${b.at}" }),
      { ...CHECK, params: { x: ["${reads_a}", "${after_a}", "${reads_b}"] } },
    ];
    const edges = [{ from: "a", to: "after_a" }];
    const failed = await broken.failAtCheck(flow(nodes, { edges }));
    kit.calls.length = 0;
    const changed = flow([add("a", { more: true }), ...nodes.slice(1)], { edges });
    const resumed = await kit.resume(failed.runId!, corrected(changed));
    expect(resumed.result.success).toBe(true);
    expect(broken.made().toSorted()).toEqual(["a", "after_a", "reads_a"]);
  });

  it("keeps a failure that was handled", async () => {
    const nodes = [
      { id: "bad", type: "notes__fail", params: {}, on_error: "rescue" },
      { id: "soft", type: "notes__fail", params: { at: "soft" }, on_error: "continue" },
      add("rescue", { why: "${bad.error.message}" }),
      { ...CHECK, params: { x: ["${rescue}", "${soft}"] } },
    ];
    const outputs = { why: { source: "${rescue.why}" } };
    const failed = await broken.failAtCheck(flow(nodes, { outputs }));
    const before = kit.calls.length;
    const resumed = await kit.resume(failed.runId!);
    expect(resumed.result).toEqual({ success: true, data: { why: "always down" } });
    expect(kit.calls.slice(before).map(({ tool }) => tool)).toEqual(["notes__check"]);
  });

  it("keeps items of a batch that failed where that was part of the plan", async () => {
    const many = {
      id: "many",
      type: "notes__fail",
      params: { at: "${item}" },
      batch: { items: [1, 2], on_error: "continue" },
    };
    const failed = await broken.failAtCheck(flow([many, { ...CHECK, params: { x: "${many}" } }]));
    const before = kit.calls.length;
    expect((await kit.resume(failed.runId!)).result.success).toBe(true);
    expect(kit.calls).toHaveLength(before + 1);
  });

  it("has results of any size, in templates and after a resume", async () => {
    const nodes = [
      { id: "big", type: "notes__large", params: { at: "big" } },
      add("copy", { text: "${big.text}" }),
      { ...CHECK, params: { n: "${copy.at}" } },
      code("size", "return args.big.text.length", { big: "${big}" }),
    ];
    const edges = [{ from: "check", to: "size" }];
    const outputs = { size: { source: "${size}" }, text: { source: "${copy.text}" } };
    const failed = await broken.failAtCheck(flow(nodes, { edges, outputs }));
    const resumed = await kit.resume(failed.runId!);
    const text = "x".repeat(INLINE_RESULT_BYTES_MAX + 1);
    expect(resumed.result).toEqual({ success: true, data: { size: text.length, text } });
    expect(broken.made()).toEqual(["big", "copy"]);
  });

  it("goes on after the gateway left, with the call under way on record", async () => {
    const home = mkdtempSync(join(tmpdir(), "repertoire-test-"));
    const first = await createTestRuns(home);
    const began = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<string>();
    const slow = () => (began.resolve(), answer.promise);
    first.addSource("slow", { call: slow });
    broken.addNotes(first);
    const nodes = [{ id: "slow", type: "slow__call", params: {} }, add("next", { x: "${slow}" })];
    const run = first.executeWorkflow(flow(nodes, { outputs: { x: { source: "${next.x}" } } }));
    await began.promise;
    const left = first.runs.drain();
    answer.resolve("answered");
    await left;
    const stopped = await run;
    expect(stopped.result).toMatchObject({ error: { code: "CANCELLED", reason: "stopped" } });
    expect(stopped.checkpoint).toMatchObject({ completed: ["slow"], isResumable: true });
    await first.close();
    const second = await createTestRuns(home);
    second.addSource("slow", { call: () => "a second time" });
    broken.addNotes(second);
    const resumed = await second.resume("last");
    expect(resumed.result).toEqual({ success: true, data: { x: "answered" } });
    await second.close();
    rmSync(home, { recursive: true, force: true });
  });
});

describe("a code node of a workflow that goes on", () => {
  const half = "await mcp.notes.add({ at: 'one' }); await mcp.notes.add({ at: 'two' }); return null.length;";

  it("that was half done goes on from its own journal when it is corrected", async () => {
    const failed = await kit.executeWorkflow(flow([code("work", half)]));
    expect(failed.result).toMatchObject({ error: { node: "work" } });
    const text = half.replace("null.length", "'whole'");
    const workflow = flow([code("work", text)], { outputs: { work: { source: "${work}" } } });
    const resumed = await kit.resume(failed.runId!, corrected(workflow));
    expect(resumed.result).toEqual({ success: true, data: { work: "whole" } });
    expect(broken.made()).toEqual(["one", "two"]);
  });

  it("that was killed half done goes on from there", async () => {
    const text = half.replace("null.length", "'whole'");
    const workflow = flow([code("work", text)], { outputs: { work: { source: "${work}" } } });
    const id = await broken.runAndKill(workflow, "two");
    const refused = await kit.resume(id);
    expect(refused.result).toMatchObject({ error: { reason: "uncertain_step" } });
    const resumed = await kit.resume(id, { uncertain: "retry" });
    expect(resumed.result).toEqual({ success: true, data: { work: "whole" } });
    expect(broken.made()).toEqual(["one", "two", "two"]);
  });

  it("that had ended when the process was killed is not run again", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    broken.world.recording = async (tool) => {
      if (tool !== "code") return;
      resolve();
      await new Promise(() => {});
    };
    const text = "await mcp.notes.add({ at: 'one' }); return 'whole';";
    const workflow = flow([code("work", text)], { outputs: { work: { source: "${work}" } } });
    void kit.executeWorkflow(workflow);
    await promise;
    broken.world.recording = async () => {};
    const resumed = await kit.resume(await broken.orphaned());
    expect(resumed.result).toEqual({ success: true, data: { work: "whole" } });
    expect(broken.made()).toEqual(["one"]);
  });

  it("that had succeeded runs again when its code has changed", async () => {
    const nodes = [code("work", "return 'old'"), { ...CHECK, params: { x: "${work}" } }];
    const outputs = { work: { source: "${work}" } };
    const failed = await broken.failAtCheck(flow(nodes, { outputs }));
    const changed = flow([code("work", "return 'new'"), nodes[1]!], { outputs });
    const resumed = await kit.resume(failed.runId!, corrected(changed));
    expect(resumed.result).toEqual({ success: true, data: { work: "new" } });
  });

  it("that had succeeded runs again when what it reads has changed", async () => {
    const nodes = (n: number) => [
      add("a", { n }),
      code("work", "return args.n * 2", { n: "${a.n}" }),
      { ...CHECK, params: { x: "${work}" } },
    ];
    const outputs = { work: { source: "${work}" } };
    const failed = await broken.failAtCheck(flow(nodes(1), { outputs }));
    const resumed = await kit.resume(failed.runId!, corrected(flow(nodes(2), { outputs })));
    expect(resumed.result).toEqual({ success: true, data: { work: 4 } });
  });

  it("in a batch runs for each item as it is now", async () => {
    const nodes = (items: number[]) => [
      { ...code("work", "return args.n * 2", { n: "${item}" }), batch: { items } },
      { ...CHECK, params: { x: "${work}" } },
    ];
    const outputs = { work: { source: "${work}" } };
    const failed = await broken.failAtCheck(flow(nodes([1, 2]), { outputs }));
    const resumed = await kit.resume(failed.runId!, corrected(flow(nodes([5, 1, 2]), { outputs })));
    expect(resumed.result).toEqual({ success: true, data: { work: [10, 2, 4] } });
  });
});

describe("a sensitive input", () => {
  const token = "t0ken-".repeat(5);
  const inputs = { token: { type: "string", sensitive: true }, n: { type: "integer" } };
  const nodes = [
    add("a", { header: "Bearer ${token}", n: "${n}" }),
    code("c", "await mcp.notes.add({ at: 'in code', key: args.key }); return { key: args.key };", {
      key: "${token}",
    }),
    { ...CHECK, params: { x: ["${a}", "${c}"] } },
    add("z", { key: "${c.key}" }),
  ];
  const workflow = flow(nodes, {
    inputs,
    outputs: { key: { source: "${z.key}" } },
    edges: [{ from: "check", to: "z" }],
  });

  it("is in no byte of the database, and is asked for again", async () => {
    broken.world.isDown = true;
    const failed = await kit.executeWorkflow(workflow, { inputs: { token, n: 1 } });
    broken.world.isDown = false;
    await expect(kit.resume(failed.runId!)).rejects.toThrow(/sensitive_input.*token/);
    const resumed = await kit.resume(failed.runId!, { inputs: { token } });
    expect(resumed.result).toEqual({ success: true, data: { key: token } });
    expect(broken.made()).toEqual(expect.arrayContaining(["a", "in code", "z"]));
    expect(broken.made()).toHaveLength(3);
    const encoded = Buffer.from(token).toString("base64");
    const files = readdirSync(broken.folder).map((name) => readFileSync(join(broken.folder, name)));
    expect(files.some((bytes) => bytes.includes("[sensitive:token]"))).toBe(true);
    for (const bytes of files) {
      expect(bytes.includes(token)).toBe(false);
      expect(bytes.includes(encoded.slice(0, 24))).toBe(false);
    }
  });

  it("that has changed is used from then on", async () => {
    broken.world.isDown = true;
    const failed = await kit.executeWorkflow(workflow, { inputs: { token, n: 2 } });
    broken.world.isDown = false;
    const fresh = "fr3sh-".repeat(5);
    const resumed = await kit.resume(failed.runId!, { inputs: { token: fresh } });
    expect(resumed.result).toEqual({ success: true, data: { key: fresh } });
  });
});
