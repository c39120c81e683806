/** Background runs that wait, for a time or for a person, and go on by themselves. */
import { expect, it, onTestFinished } from "vitest";
import { eventuallyAsync, temporaryFolder } from "../../../test/fixtures/temporary.ts";
import { silentLog } from "../../core/log.ts";
import { DEFAULT_SCOPE } from "../../core/names.ts";
import type { Run, RunStatus } from "../../core/store.ts";
import type { CallContext } from "../../core/tool.ts";
import { isGone } from "../journal/owner.ts";
import { createTestRuns, LIMITS } from "../runs.testkit.ts";
import { flow } from "../workflow/workflow.testkit.ts";

const CONTEXT: CallContext = { traceId: "test", signal: new AbortController().signal };
const HOUR_MS = 3_600_000;

/** Runs and their queue on a clock that can be moved on. */
async function open() {
  let aheadMs = 0;
  const clock = { now: () => Date.now() + aheadMs, elapsed: () => performance.now() };
  const kit = await createTestRuns(temporaryFolder(), () => LIMITS, undefined, undefined, { clock });
  kit.addSource("mail", { send: (args) => args });
  const queue = kit.store.openQueue({ scope: () => DEFAULT_SCOPE, isGone, log: silentLog });
  queue.work(kit.runs.deliver, { concurrency: 2 });
  onTestFinished(async () => {
    await queue.drain();
    await kit.runs.drain();
    await queue.close();
    await kit.close();
  });
  const enqueue = async (workflow: object): Promise<string> => {
    const request = { kind: "workflow" as const, source: JSON.stringify(workflow), inputs: {} };
    const queued = await kit.runs.enqueue(request, CONTEXT);
    if (!queued.success) throw new Error(queued.error.message);
    return queued.data.run.id;
  };
  const newest = async (id: string): Promise<Run> => {
    const next = await kit.store.runs.successor(id);
    return next === undefined ? (await kit.store.runs.find(id))! : newest(next.id);
  };
  const until = (id: string, status: RunStatus) =>
    eventuallyAsync(`${status} of ${id}`, async () => {
      const run = await newest(id);
      return run.status === status && run;
    });
  const sent = () => kit.calls.map(({ args }) => (args as { at: string }).at);
  return { kit, queue, enqueue, until, sent, advance: (ms: number) => void (aheadMs += ms) };
}

const around = (node: object) =>
  flow(
    [
      { id: "before", type: "mail__send", params: { at: "before" } },
      { id: "pause", ...node },
      { id: "after", type: "mail__send", params: { at: "after" } },
    ],
    {
      edges: [
        { from: "before", to: "pause" },
        { from: "pause", to: "after" },
      ],
    },
  );

it("goes on by itself when the time has come that it waits for", async () => {
  const { kit, enqueue, until, sent, advance, queue } = await open();
  const id = await enqueue(around({ type: "wait", params: { ms: HOUR_MS } }));
  const paused = await until(id, "paused");
  expect(paused).toMatchObject({ mode: "background", attemptCount: 0 });
  expect(paused.wakeAt! - Date.now()).toBeGreaterThan(HOUR_MS / 2);
  expect(sent()).toEqual(["before"]);
  // Who asks is told that it waits, and does not wait as well.
  expect(await kit.resume(id)).toMatchObject({
    result: { error: { reason: "waiting_until", hint: expect.stringContaining("goes on by itself") } },
  });
  advance(HOUR_MS + 1);
  queue.wake();
  expect(await until(id, "succeeded")).toMatchObject({ mode: "background" });
  expect(sent()).toEqual(["before", "after"]);
});

it("goes on by itself when a person has said yes, and ends with a no", async () => {
  const { kit, enqueue, until, sent } = await open();
  const ask = around({ type: "approve", params: { message: "Really?" } });
  for (const isApproved of [true, false]) {
    const id = await enqueue(ask);
    expect(await until(id, "paused")).toMatchObject({ wakeAt: null });
    const question = await kit.runs.question(id);
    if (!question.success) throw new Error(question.error.message);
    await kit.runs.decide(question.data, { isApproved });
    const ended = await until(id, isApproved ? "succeeded" : "failed");
    expect(ended).toMatchObject({ wakeAt: null });
  }
  expect(sent()).toEqual(["before", "after", "before"]);
});

it("takes over a run in the foreground that waits, when somebody resumes it in the background", async () => {
  const { kit, until, sent, advance, queue } = await open();
  const report = await kit.executeWorkflow(around({ type: "wait", params: { ms: HOUR_MS } }));
  const id = report.runId!;
  expect(await kit.store.runs.find(id)).toMatchObject({ status: "paused", wakeAt: null });
  await kit.resume(id, { background: true });
  expect((await kit.store.runs.find(id))?.wakeAt).toBeGreaterThan(Date.now());
  advance(HOUR_MS + 1);
  queue.wake();
  await until(id, "succeeded");
  expect(sent()).toEqual(["before", "after"]);
});
