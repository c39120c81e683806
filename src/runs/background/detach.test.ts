/** Runs that are detached from their client while they are under way: they end as background runs do. */
import { describe, expect, it, onTestFinished } from "vitest";
import { eventuallyAsync, temporaryFolder } from "../../../test/fixtures/temporary.ts";
import { silentLog } from "../../core/log.ts";
import { DEFAULT_SCOPE } from "../../core/names.ts";
import type { Principal } from "../../core/principal.ts";
import type { RunStore } from "../../core/store.ts";
import type { CallContext, RunUnderWay } from "../../core/tool.ts";
import { isGone } from "../journal/owner.ts";
import type { RunReport, RunRequest } from "../run.ts";
import { createTestRuns, LIMITS, orphanRuns } from "../runs.testkit.ts";
import { flow } from "../workflow/workflow.testkit.ts";
import { createLooseCall } from "./detach.ts";

async function open(around?: (store: RunStore) => RunStore) {
  const home = temporaryFolder();
  const kit = await createTestRuns(home, () => LIMITS, undefined, undefined, around && { around });
  const queue = kit.store.openQueue({ scope: () => DEFAULT_SCOPE, isGone, log: silentLog });
  const called = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<string>();
  kit.addSource(
    "s",
    {
      slow: () => {
        called.resolve();
        return answer.promise;
      },
      add: () => "added",
    },
    { slow: { annotations: { readOnlyHint: true } } },
  );
  onTestFinished(async () => {
    answer.resolve("late");
    await queue.drain();
    await kit.runs.drain();
    await queue.close();
    await kit.close();
  });
  return { kit, home, queue, called: called.promise, answer: (text: string) => answer.resolve(text) };
}

type Place = Awaited<ReturnType<typeof open>>;

/** Starts a run, and waits until it is at its call of `slow`. */
async function startIn(
  { kit, called }: Place,
  request: Partial<RunRequest>,
  part: Partial<CallContext> = {},
) {
  const began = Promise.withResolvers<RunUnderWay>();
  const client = new AbortController();
  const told: unknown[] = [];
  const loose = createLooseCall({
    traceId: "test",
    signal: client.signal,
    onProgress: (note) => told.push(note),
    ...part,
  });
  const context = { ...loose.context, onRun: began.resolve };
  const source = "const a = await mcp.s.slow({}); return a + await mcp.s.add({})";
  const report = kit.runs.execute({ kind: "code", source, inputs: {}, ...request }, context);
  const run = await began.promise;
  await called;
  const detach = async (): Promise<void> => {
    expect(await run.detach()).toBe(true);
    loose.letGo();
  };
  return { report, run, client, told, context, detach };
}

const endOf = async ({ kit }: Place, id: string) =>
  eventuallyAsync(`the end of ${id}`, async () => {
    const look = await kit.runs.look(id);
    return look?.state.kind === "ended" ? look : undefined;
  });

describe("a run that is detached", () => {
  it("goes on when its client has gone, tells it nothing more, and ends as a background run", async () => {
    const place = await open();
    const { run, report, client, told, context, detach } = await startIn(place, { timeoutMs: 9_000 });
    await detach();
    expect(await place.kit.store.runs.find(run.runId)).toMatchObject({
      mode: "background",
      status: "running",
      wakeAt: expect.any(Number),
      timeoutMs: 9_000,
    });
    expect(await run.detach()).toBe(true);
    client.abort();
    context.onProgress!({ progress: 1 });
    place.answer("a ");
    expect(await report).toMatchObject({ result: { success: true, data: "a added" } });
    expect(told).toEqual([]);
    expect(await place.kit.store.runs.find(run.runId)).toMatchObject({
      status: "succeeded",
      mode: "background",
      wakeAt: null,
    });
  });

  it("goes on elsewhere when its process dies, and repeats no effect", async () => {
    const place = await open();
    const { run, detach } = await startIn(place, {
      source: "const a = await mcp.s.add({}); return a + await mcp.s.slow({})",
    });
    await detach();
    orphanRuns(place.home);
    place.answer(" at last");
    place.queue.work(place.kit.runs.deliver, { concurrency: 2 });
    expect(await endOf(place, run.runId)).toMatchObject({ run: { result: "added at last" } });
    expect(place.kit.calls.filter(({ tool }) => tool === "s__add")).toHaveLength(1);
  });

  it("is set aside by a shutdown, and would have been cancelled before", async () => {
    const place = await open();
    const { run, report, detach } = await startIn(place, {});
    await detach();
    const drained = place.kit.runs.drain();
    place.answer("a");
    await drained;
    expect(await report).toMatchObject({ result: { error: { reason: "interrupted" } } });
    expect(await place.kit.store.runs.find(run.runId)).toMatchObject({
      status: "failed",
      wakeAt: expect.any(Number),
    });
  });

  it("wakes by itself from a wait that came after it was detached", async () => {
    const place = await open();
    const workflow = flow(
      [
        { id: "slow", type: "s__slow", params: {} },
        { id: "pause", type: "wait", params: { ms: 3_600_000 } },
      ],
      { edges: [{ from: "slow", to: "pause" }] },
    );
    const { run, report, detach } = await startIn(place, {
      kind: "workflow",
      source: JSON.stringify(workflow),
    });
    await detach();
    place.answer("a");
    expect(await report).toMatchObject({ result: { error: { reason: "waiting_until" } } });
    const paused = (await place.kit.store.runs.find(run.runId))!;
    expect(paused).toMatchObject({ status: "paused", mode: "background", wakeAt: expect.any(Number) });
    expect(await place.kit.runs.look(run.runId)).toMatchObject({
      state: { kind: "moving", until: paused.wakeAt },
    });
  });

  it("ends when its token is revoked", async () => {
    const place = await open();
    const revocation = new AbortController();
    const principal: Principal = {
      id: "token:t",
      name: "t",
      permissions: new Set(["call"]),
      revoked: revocation.signal,
    };
    const { report, client, detach } = await startIn(place, {}, { principal });
    await detach();
    client.abort();
    revocation.abort();
    expect(await report).toMatchObject({ result: { error: { code: "CANCELLED" } } });
  });
});

describe("a run is not detached", () => {
  it("once its end has begun, also where the detaching comes between the end and its record", async () => {
    let detach: (() => Promise<boolean>) | undefined;
    let answers: Promise<boolean> | undefined;
    const place = await open((store) => ({
      ...store,
      finish(...args) {
        answers ??= detach!();
        return answers.then(() => store.finish(...args));
      },
    }));
    const { run, report } = await startIn(place, {});
    ({ detach } = run);
    place.answer("a");
    await report;
    expect(await answers).toBe(false);
    expect(await place.kit.store.runs.find(run.runId)).toMatchObject({ mode: "foreground", wakeAt: null });
  });

  it("with sensitive inputs, in the background already, or inside of another run", async () => {
    const { kit } = await open();
    kit.addCapabilities({ "math:one": "return 1" });
    const heard: string[] = [];
    const onRun: CallContext["onRun"] = ({ runId }) => heard.push(runId);
    const execute = (source: string, request: Partial<RunRequest> = {}): Promise<RunReport> =>
      kit.execute(source, request, { onRun });
    await execute("return 1", { inputs: { key: "s3cr3t-value" }, sensitive: ["key"] });
    expect(heard).toEqual([]);
    await execute("return 1", { mode: "background" });
    expect(heard).toEqual([]);
    const outer = await execute("return await mcp.math.one({})");
    expect(outer).toMatchObject({ result: { data: 1 } });
    expect(heard).toEqual([outer.runId]);
  });
});
