import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestRuns, type TestRuns } from "../runs.testkit.ts";
import {
  ACCEPT,
  APPROVED,
  clientThat,
  decideNow,
  DENIED,
  expectPaused,
  flow,
  waitingOf,
} from "./workflow.testkit.ts";

const folder = mkdtempSync(join(tmpdir(), "repertoire-test-"));
let kit: TestRuns;

beforeAll(async () => {
  kit = await createTestRuns(folder);
  kit.addSource("mail", { send: (args) => args });
});
afterAll(async () => {
  await kit.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  kit.calls.length = 0;
  kit.approvals.length = 0;
  kit.named.clear();
});

function sent(): unknown[] {
  return kit.calls.map(({ args }) => args);
}

describe("an approve node", () => {
  const nodes = [
    { id: "draft", type: "mail__send", params: { text: "hello" } },
    { id: "ok", type: "approve", params: { message: "Send ${draft.text}?", details: { to: "ann" } } },
    { id: "last", type: "mail__send", params: { by: "${ok.by}" } },
  ];
  const outputs = { ok: { source: "${ok}" } };

  it("gives who approved and when", async () => {
    const report = await kit.executeWorkflow(flow(nodes, { outputs }), {}, clientThat(ACCEPT).context);
    expect(report.result).toMatchObject({
      data: { ok: { approved: true, by: "bob", at: expect.any(String) } },
    });
  });

  it("waits with its message and details, and the nodes after it have not run", async () => {
    const runId = expectPaused(await kit.executeWorkflow(flow(nodes, { outputs })));
    expect(await waitingOf(kit, runId)).toMatchObject({
      name: "ok",
      message: "Send hello?",
      details: { to: "ann" },
    });
    expect(sent()).toHaveLength(1);
    await decideNow(kit, runId, APPROVED);
    const resumed = await kit.resume(runId);
    expect(resumed.result).toMatchObject({ data: { ok: { approved: true, by: "bob" } } });
    expect(sent()).toEqual([{ text: "hello" }, { by: "bob" }]);
  });

  it("gives the moment of an answer from outside as text, too", async () => {
    const runId = expectPaused(await kit.executeWorkflow(flow(nodes, { outputs })));
    await decideNow(kit, runId, APPROVED);
    const resumed = await kit.resume(runId);
    expect(resumed.result).toMatchObject({ data: { ok: { at: expect.any(String) } } });
  });

  it("pauses every run above it, and the question is found through the outermost", async () => {
    const source = JSON.stringify(flow(nodes, { outputs }));
    kit.named.set("inner", { kind: "workflow", source, draft: "inner" });
    const call = (name: string) =>
      flow([{ id: "sub", type: "workflow", params: { name } }], { outputs: { by: { source: "${sub}" } } });
    kit.named.set("middle", {
      kind: "workflow",
      source: JSON.stringify(call("inner")),
      draft: "middle",
    });
    const report = await kit.executeWorkflow(call("middle"));
    const runId = expectPaused(report);
    const question = await waitingOf(kit, runId);
    expect(question).toMatchObject({ name: "ok", message: "Send hello?" });
    expect(question.runId).not.toBe(runId);
    for (const id of [runId, question.runId]) {
      expect(await kit.store.runs.find(id)).toMatchObject({ status: "paused" });
    }
    await decideNow(kit, runId, APPROVED);
    const resumed = await kit.resume(runId);
    expect(resumed.result).toMatchObject({ data: { by: { by: { ok: { approved: true } } } } });
    expect(sent()).toEqual([{ text: "hello" }, { by: "bob" }]);
  });

  it("that was denied below fails every run above it", async () => {
    const source = JSON.stringify(flow(nodes, { outputs }));
    kit.named.set("inner", { kind: "workflow", source, draft: "inner" });
    const call = (name: string) => flow([{ id: "sub", type: "workflow", params: { name } }]);
    kit.named.set("middle", {
      kind: "workflow",
      source: JSON.stringify(call("inner")),
      draft: "middle",
    });
    const runId = expectPaused(await kit.executeWorkflow(call("middle")));
    const [middle] = await kit.store.runs.children(runId);
    const [inner] = await kit.store.runs.children(middle!.id);
    await decideNow(kit, runId, DENIED);
    for (const id of [runId, middle!.id, inner!.id]) {
      expect(await kit.store.runs.find(id)).toMatchObject({ status: "failed" });
    }
  });

  it("never shows a sensitive input, to anyone", async () => {
    const token = "s3cret-".repeat(4);
    const inputs = { token: { type: "string", sensitive: true } };
    const secret = [
      {
        id: "ok",
        type: "approve",
        params: { message: "Use ${token}?", details: { header: "Bearer ${token}" } },
      },
      {
        id: "go",
        type: "mail__send",
        params: { token: "${token}" },
        approval: { message: "Really ${token}?" },
      },
    ];
    const { context, asked } = clientThat({ action: "cancel" });
    const report = await kit.executeWorkflow(flow(secret, { inputs }), { inputs: { token } }, context);
    expectPaused(report);
    expect(asked).toHaveLength(2);
    const shown = JSON.stringify([report, asked, await waitingOf(kit, report.runId!), kit.approvals]);
    expect(shown).toContain("[sensitive:token]");
    expect(shown).not.toContain(token);
    for (const name of readdirSync(folder))
      expect(readFileSync(join(folder, name)).includes(token)).toBe(false);
    const resumed = await kit.resume(report.runId!, { inputs: { token } }, clientThat(ACCEPT).context);
    expect(resumed.result.success).toBe(true);
    expect(sent()).toEqual([{ token }]);
  });
});
