import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { DEFAULT_SCOPE } from "../core/names.ts";
import { createTestRuns, cutShort, type TestRuns } from "./runs.testkit.ts";

interface Call {
  readonly begun: Promise<void>;
  end(): void;
}

async function openKit(): Promise<{ kit: TestRuns; home: string; open: () => Promise<TestRuns> }> {
  const home = mkdtempSync(join(tmpdir(), "repertoire-cancel-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const open = async () => {
    const kit = await createTestRuns(home);
    onTestFinished(() => kit.close());
    return kit;
  };
  return { kit: await open(), home, open };
}

/** A tool that answers when it is told to. */
function addSlow(kit: TestRuns): Call & { readonly isAborted: () => boolean } {
  const begun = Promise.withResolvers<void>();
  const end = Promise.withResolvers<string>();
  let signal: AbortSignal | undefined;
  kit.addSource("slow", {
    wait(_args, context) {
      signal = context.signal;
      begun.resolve();
      return end.promise;
    },
    next: () => "next",
  });
  return { begun: begun.promise, end: () => end.resolve("done"), isAborted: () => signal?.aborted === true };
}

const CODE = "const a = await mcp.slow.wait({}); await mcp.slow.next({}); return a;";

it("lets the call under way end and be recorded, begins no other, and can be resumed", async () => {
  const { kit } = await openKit();
  const slow = addSlow(kit);
  const running = kit.execute(CODE);
  await slow.begun;
  const [run] = await kit.store.runs.list(DEFAULT_SCOPE, { limit: 1 });
  const cancelling = kit.runs.cancel(run!.id, "token:ann");
  await new Promise((resolve) => setImmediate(resolve));
  expect(slow.isAborted()).toBe(false);
  slow.end();
  expect(await cancelling).toEqual({ success: true, data: { runId: run!.id, status: "cancelled" } });
  expect((await running).result).toMatchObject({
    success: false,
    error: { code: "CANCELLED", reason: "cancelled", message: "token:ann cancelled the run." },
  });
  expect(await kit.store.runs.find(run!.id)).toMatchObject({ status: "cancelled", cancelBy: "token:ann" });
  expect(await kit.store.runs.steps(run!.id)).toMatchObject([{ tool: "slow__wait", status: "succeeded" }]);
  const resumed = await kit.resume(run!.id);
  expect(resumed.result).toEqual({ success: true, data: "done" });
  expect(kit.calls.map(({ tool }) => tool)).toEqual(["slow__wait", "slow__next"]);
});

it("stops code that makes no call", async () => {
  const { kit } = await openKit();
  addSlow(kit);
  const running = kit.execute("for (;;) {}");
  const id = await firstRun(kit);
  expect(await kit.runs.cancel(id, "ann")).toMatchObject({ data: { status: "cancelled" } });
  expect((await running).result).toMatchObject({ error: { reason: "cancelled" } });
});

it("ends a run below with the one that started it, in the same way", async () => {
  const { kit } = await openKit();
  const slow = addSlow(kit);
  kit.addCapabilities({ "math:wait": CODE });
  const running = kit.execute("return await mcp.math.wait({});");
  await slow.begun;
  const id = await firstRun(kit);
  const [child] = await kit.store.runs.children(id);
  expect(await kit.runs.cancel(child!.id, "ann")).toMatchObject({ error: { nearest: [id] } });
  const cancelling = kit.runs.cancel(id, "ann");
  slow.end();
  expect(await cancelling).toMatchObject({ data: { status: "cancelled" } });
  await running;
  expect((await kit.store.runs.find(child!.id))?.status).toBe("cancelled");
  expect(await kit.store.runs.steps(child!.id)).toMatchObject([{ tool: "slow__wait", status: "succeeded" }]);
  expect(kit.calls.map(({ tool }) => tool)).not.toContain("slow__next");
});

it("asks the process that owns a run, which looks in the store while it runs", async () => {
  const { kit, open } = await openKit();
  const running = kit.execute("for (;;) {}");
  const id = await firstRun(kit);
  const other = await open();
  expect(await other.runs.cancel(id, "ann")).toMatchObject({ success: true });
  expect((await running).result).toMatchObject({ error: { reason: "cancelled", code: "CANCELLED" } });
  expect(await other.store.runs.find(id)).toMatchObject({ status: "cancelled", cancelBy: "ann" });
});

it("ends a run that waits for a person, and one whose process is gone, at once", async () => {
  const { kit, home } = await openKit();
  const slow = addSlow(kit);
  const asking = { ir_version: "1.0", nodes: [{ id: "ask", type: "approve", params: { message: "Go?" } }] };
  const paused = await kit.executeWorkflow(asking);
  expect((await kit.store.runs.find(paused.runId!))?.status).toBe("paused");
  expect(await kit.runs.cancel(paused.runId!, "ann")).toMatchObject({ data: { status: "cancelled" } });
  expect(await kit.store.runs.find(paused.runId!)).toMatchObject({
    status: "cancelled",
    error: { code: "CANCELLED", reason: "cancelled" },
  });
  const gone = await cutShort(kit, home, slow.begun, CODE);
  expect(await kit.runs.cancel(gone, "ann")).toMatchObject({ data: { status: "cancelled" } });
  expect((await kit.store.runs.find(gone))?.status).toBe("cancelled");
});

it("says so where there is nothing to cancel", async () => {
  const { kit } = await openKit();
  const { runId } = await kit.execute("return 1");
  expect(await kit.runs.cancel(runId!, "ann")).toMatchObject({
    success: false,
    error: { code: "TOOL_INVALID_INPUT", reason: "already_ended" },
  });
  expect(await kit.runs.cancel("unknown", "ann")).toMatchObject({ error: { code: "TOOL_NOT_FOUND" } });
});

async function firstRun(kit: TestRuns): Promise<string> {
  for (;;) {
    const [run] = await kit.store.runs.list(DEFAULT_SCOPE, { limit: 1 });
    if (run !== undefined) return run.id;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
