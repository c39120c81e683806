import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../core/json.ts";
import { DEFAULT_SCOPE } from "../core/names.ts";
import { createRedactors, NO_SECRETS } from "../text/redactors.ts";
import { runUriOf, stepUriOf } from "./run-uri.ts";
import { createTestRuns, cutShort, type TestRuns } from "./runs.testkit.ts";
import { createTraces, type Traces } from "./trace.ts";

const PASSWORD = "hush".repeat(5);
const LARGE = "y".repeat(100_000);

const folder = mkdtempSync(join(tmpdir(), "repertoire-test-"));
let kit: TestRuns;
let traces: Traces;
const stalled = Promise.withResolvers<void>();

beforeAll(async () => {
  kit = await createTestRuns(folder);
  const redactors = createRedactors(() => [PASSWORD]);
  traces = createTraces({ store: kit.store.runs, scope: () => DEFAULT_SCOPE, redactors });
  kit.addSource("notes", {
    add: (args) => args,
    large: () => LARGE,
    refuse: () => ({ isError: true, content: [{ type: "text", text: `not with ${PASSWORD}` }] }),
    stall() {
      stalled.resolve();
      return new Promise(() => {});
    },
  });
  kit.addCapabilities({ "math:sum": "return (await mcp.notes.add({ n: 1 + 2 })).n" });
});
afterAll(async () => {
  await kit.close();
  rmSync(folder, { recursive: true, force: true });
});

async function traceOf(runId: string | null): Promise<JsonObject> {
  const trace = await traces.trace(runId!);
  if (!trace.success) throw new Error(trace.error.message);
  return trace.data;
}

describe("a trace", () => {
  it("has the steps in the order in which they began, and the runs below as a tree", async () => {
    const { runId } = await kit.execute("await mcp.notes.add({ n: 1 }); return await mcp.math.sum()", {
      intent: "adding up",
    });
    expect(await traceOf(runId)).toMatchObject({
      run_id: runId,
      uri: runUriOf(runId!),
      status: "succeeded",
      intent: "adding up",
      outputs: 3,
      steps: [
        { step: 1, name: "notes__add", status: "succeeded", args: { n: 1 }, result: { n: 1 } },
        { name: "mcp__math__sum", status: "succeeded", result: 3 },
      ],
      runs: [{ kind: "capability", status: "succeeded", steps: [{ name: "notes__add", result: { n: 3 } }] }],
    });
  });

  it("says from which run a step was answered, and which run went on", async () => {
    const failed = await kit.execute("await mcp.notes.add({ n: 2 }); null.length");
    const resumed = await kit.resume(failed.runId!, {
      corrected: { kind: "code", source: "return (await mcp.notes.add({ n: 2 })).n" },
    });
    expect(await traceOf(failed.runId)).toMatchObject({
      status: "failed",
      resumed_by: resumed.runId,
      checkpoint: { completed_nodes: ["notes__add"], failed_node: null, resumable: false },
    });
    expect(await traceOf(resumed.runId)).toMatchObject({
      resumed_from: failed.runId,
      steps: [{ name: "notes__add", from_journal: failed.runId }],
    });
  });

  it("shows no secret of the config, in arguments, results, errors or inputs", async () => {
    const { runId } = await kit.execute(
      "await mcp.notes.add({ text: args.text }); await mcp.notes.refuse({})",
      { inputs: { text: PASSWORD }, intent: `with ${PASSWORD}` },
    );
    expect(JSON.stringify(await traceOf(runId))).not.toContain(PASSWORD);
    expect(JSON.stringify(await traces.list(10))).not.toContain(PASSWORD);
  });

  it("has a handle where a result is large, and the whole of it behind the handle", async () => {
    const { runId } = await kit.execute("return (await mcp.notes.large({})).length");
    const handle = stepUriOf(runId!, 1);
    const trace = await traceOf(runId);
    expect(trace).toMatchObject({ steps: [{ result: { handle, bytes: LARGE.length + 2 } }] });
    expect(JSON.stringify(trace).length).toBeLessThan(5_000);
    expect(await traces.readResult(handle)).toEqual({ success: true, data: LARGE });
    expect(await traces.readResult(`${runUriOf(runId!)}/notes__large`)).toEqual({
      success: true,
      data: LARGE,
    });
  });

  it("cuts arguments that are long, and says how long they are", async () => {
    const { runId } = await kit.execute("await mcp.notes.add({ text: 'z'.repeat(5000) })");
    const [step] = (await traceOf(runId))["steps"] as JsonObject[];
    expect(step!["args"]).toMatch(/ … \(50\d\d characters\)$/);
  });
});

describe("a result", () => {
  it("can be read in part, by own properties only", async () => {
    const { runId } = await kit.execute("return { list: [{ name: 'a' }, { name: 'b' }] }");
    const uri = `${runUriOf(runId!)}/outputs`;
    expect(await traces.readResult(`${uri}?path=/list/1/name`)).toEqual({ success: true, data: "b" });
    for (const path of ["/list/2", "/__proto__", "/constructor", "/list/push"]) {
      expect(await traces.readResult(`${uri}?path=${path}`)).toMatchObject({
        error: { code: "TOOL_NOT_FOUND" },
      });
    }
  });

  it("is not there before there is one", async () => {
    const { runId } = await kit.execute("null.length");
    expect((await traces.readResult(`${runUriOf(runId!)}/outputs`)).success).toBe(false);
  });

  it.each([
    "repertoire://runs/",
    "repertoire://runs/x",
    "repertoire://runs/../etc",
    "file:///etc/passwd",
    "",
  ])("is not at %j", async (uri) => {
    expect(await traces.readResource(uri)).toMatchObject({ error: { code: "TOOL_NOT_FOUND", field: "uri" } });
  });
});

describe("the list", () => {
  it("is newest first, without runs below others, and goes on before an id", async () => {
    const first = await kit.execute("return await mcp.math.sum()");
    const second = await kit.execute("return 2");
    const [newest] = await traces.list(1);
    expect(newest).toMatchObject({ run_id: second.runId });
    expect(await traces.list(1, second.runId!)).toMatchObject([{ run_id: first.runId, kind: "code" }]);
  });

  it("shows nothing of another scope", async () => {
    const { runId } = await kit.execute("return 1");
    const strange = createTraces({
      store: kit.store.runs,
      scope: () => ({ org: "local", project: "other" }),
      redactors: NO_SECRETS,
    });
    expect(await strange.list(10)).toEqual([]);
    expect((await strange.trace(runId!)).success).toBe(false);
    expect((await strange.readResult(`${runUriOf(runId!)}/outputs`)).success).toBe(false);
  });

  it("calls a run interrupted whose process is gone, before anybody resumes it", async () => {
    const runId = await cutShort(kit, folder, stalled.promise, "await mcp.notes.stall({})");
    expect(await traceOf(runId)).toMatchObject({ status: "interrupted", steps: [{ status: "sent" }] });
    const run = (await kit.store.runs.find(runId))!;
    expect(traces.statusOf({ ...run, leaseOwner: null })).toBe("running");
  });
});
