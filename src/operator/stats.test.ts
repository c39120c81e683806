import { join } from "node:path";
import { expect, it } from "vitest";
import { eventuallyAsync, temporaryFolder } from "../../test/fixtures/temporary.ts";
import type { App } from "../app/app.ts";
import type { FinishedStep, NewRun } from "../core/store.ts";
import { BYTES_A_TOKEN } from "../text/token-estimate.ts";
import { callOf } from "../store/testsuite/calls.ts";
import { draftOf, finishedOf, newRunOf } from "../store/testsuite/fixture.ts";
import { fixture, openOperator } from "./access.testkit.ts";
import { testLibrary } from "./library-check.ts";
import { getStats } from "./stats.ts";
import { CONSOLE_CLIENT } from "./viewer.ts";

const CLIENT = { client: "agent 1", session: "stdio:1" };
const DAY_MS = 86_400_000;

/** A run that has ended. */
async function record(
  { store }: App,
  part: Partial<NewRun>,
  result: string | null = null,
  steps: readonly Partial<FinishedStep>[] = [],
): Promise<void> {
  const run = await store.runs.start(newRunOf(part), "owner", 600_000);
  const lease = { runId: run.id, fence: run.fence };
  for (const [at, step] of steps.entries()) await store.runs.recordStep(lease, finishedOf(at * 2, step));
  await store.runs.finish(lease, { status: "succeeded", result });
}

async function saveSum({ store }: App) {
  const example = { inputs: {}, calls: [], result: 1, seed: "s", clockAt: 1 };
  const saved = await store.capabilities.save(draftOf({ source: "return 1", example }));
  if (saved.kind !== "saved") throw new Error(saved.kind);
  return { kind: "capability", capabilityId: saved.capability.id, capabilityVersion: 1 } as const;
}

it("says of an empty store what to do", async () => {
  const { ask } = await openOperator({});
  const stats = await ask("getStats", {});
  expect(stats.hint).toContain("repertoire connect");
  expect(stats.executions).toMatchObject({ total: 0, library_share: null, library_share_of_runs: null });
  expect(stats.tests).toEqual({ saved: 0, with_example: 0, last_check: null });
  expect(stats.tokens).toMatchObject({ not_sent: 0, results: { calls: 0, not_sent: 0 } });
});

it("counts executions and how many of them came from the library", async () => {
  const { app, ask } = await openOperator({});
  const kept = await saveSum(app);
  await record(app, {});
  await record(app, { kind: "workflow" });
  await record(app, { kind: "call" });
  for (let count = 0; count < 2; count++) await record(app, { ...kept, client: CONSOLE_CLIENT });
  await app.store.calls.append([callOf({ at: Date.now() }), callOf({ at: Date.now() - 40 * DAY_MS })]);
  const { executions, hint } = await ask("getStats", {});
  expect(hint).toBeUndefined();
  expect(executions).toEqual({
    total: 6,
    code: 1,
    kept: 2,
    workflows: 1,
    calls: 2,
    calls_since: expect.any(String),
    library_share: 0.333,
    library_share_of_runs: 0.5,
  });
});

it("says how far back plain calls are known", async () => {
  const ago = (iso: string | null) => Math.round((Date.now() - Date.parse(iso!)) / DAY_MS);
  const short = await openOperator({ calls: { days: 3 } });
  expect(ago((await short.ask("getStats", {})).executions.calls_since)).toBe(3);
  expect(ago((await short.ask("getStats", { query: { days: 2 } })).executions.calls_since)).toBe(2);
  const none = await openOperator({ calls: { days: 0 } });
  expect((await none.ask("getStats", {})).executions.calls_since).toBeNull();
});

it("shows reuse by ISO week, also weeks without any", async () => {
  const { app, deps, self } = await openOperator({});
  const kept = await saveSum(app);
  await record(app, kept);
  await record(app, { ...kept, parentRunId: "other" });
  // Seen from ten days ahead, what happened lies in an earlier week.
  const now = Date.now() + 10 * DAY_MS;
  const answer = await getStats(deps, self, { days: 14 }, now);
  if (!answer.success) throw new Error(answer.error.message);
  const { reuse } = answer.data;
  expect(reuse).toMatchObject({ uses: 2, tools: 1, saved: 1 });
  expect(reuse.weeks.length).toBe(3);
  const used = reuse.weeks.filter(({ uses }) => uses > 0);
  expect(used).toEqual([
    { week: expect.stringMatching(/^\d{4}-W\d\d$/), from: expect.any(String), uses: 2, tools: 1, saved: 1 },
  ]);
  expect(Date.parse(used[0]!.from)).toBeLessThanOrEqual(Date.now());
  expect(reuse.weeks.reduce((sum, { saved = 0 }) => sum + saved, 0)).toBe(1);
});

it("derives the tokens that were not sent from sizes of steps and results, and from what lists cost", async () => {
  const { app, ask } = await openOperator({});
  const text = "x".repeat(8_698);
  await record(app, CLIENT, "12", [
    { tool: "a__x", result: text },
    { tool: "a__y", result: text },
  ]);
  await record(app, { ...CLIENT, session: "stdio:2" }, "3456");
  await record(app, { client: CONSOLE_CLIENT, session: "s" }, null, [{ tool: "a__x", result: text }]);
  const { tokens } = await ask("getStats", {});
  expect(tokens.results).toEqual({
    runs: 2,
    calls: 2,
    bytes: 17_400,
    returned_bytes: 10,
    not_sent: Math.round(17_390 / BYTES_A_TOKEN.usual),
  });
  const { all_tokens: all, listed_tokens: listed, search_tokens: search } = tokens.definitions!;
  expect({ all, search }).toEqual({ all: 0, search: 0 });
  // Without a server, what is listed is dearer than what would be listed without us, and that is said.
  expect(tokens.definitions).toMatchObject({ conversations: 2, not_sent: -2 * listed });
  expect(listed).toBeGreaterThan(0);
  expect(tokens.not_sent).toBe(tokens.definitions!.not_sent + tokens.results.not_sent);
  expect(tokens.how).toContain(String(BYTES_A_TOKEN.usual));
});

it("knows when the whole library was checked last, and how that went", async () => {
  const { app, deps, self, ask } = await openOperator({});
  await saveSum(app);
  expect((await ask("getStats", {})).tests).toEqual({ saved: 1, with_example: 1, last_check: null });
  const stopped = AbortSignal.abort();
  await testLibrary(deps, self, { signal: stopped });
  expect((await ask("getStats", {})).tests?.last_check).toBeNull();
  const tested = await testLibrary(deps, self, self.context);
  expect(tested).toMatchObject({ success: true, data: { passed: 1, failed: 0, skipped: 0 } });
  expect((await ask("getStats", {})).tests).toEqual({
    saved: 1,
    with_example: 1,
    last_check: { at: expect.any(String), passed: 1, failed: 0, skipped: 0 },
  });
});

it("tells a token with limits of its own use, and in a profile nothing of the library", async () => {
  const { app, self, ask } = await openOperator({ profiles: { small: {} } });
  await saveSum(app);
  await record(app, { principal: "token:bot", profile: "small" });
  await record(app, {});
  const own = await ask("getStats", { viewer: { ...self, owner: "token:bot" } });
  expect(own.executions.total).toBe(1);
  const view = app.viewFor("small");
  const seen = await ask("getStats", { viewer: { ...self, view } });
  expect(seen.executions.total).toBe(1);
  expect(seen.tests).toBeUndefined();
  expect(seen.reuse.saved).toBeUndefined();
});

it("counts what a client does through the gateway, and neither its searches nor what a run calls", async () => {
  const counter = fixture("counter-server.mjs", join(temporaryFolder(), "effects.jsonl"));
  const { app, ask } = await openOperator({ mcpServers: { counter } });
  const context = { clientName: "agent 1", session: "stdio:1" };
  await app.gateway.callTool("browse_components", { query: "count" }, context);
  await app.gateway.callTool("counter__get", { n: 1 }, context);
  const code =
    "const all = []; for (const n of [1, 2, 3]) all.push(await mcp.counter.get({ n })); return all.length;";
  const ran = await app.gateway.callTool("execute", { code }, context);
  expect(ran.isError).not.toBe(true);
  const isLogged = async () => (await ask("getStats", {})).executions.calls === 1;
  await eventuallyAsync("the call log", isLogged);
  const { executions, tokens } = await ask("getStats", {});
  expect(executions).toMatchObject({ total: 2, code: 1, calls: 1 });
  expect(tokens.definitions).toMatchObject({ conversations: 1 });
  expect(tokens.definitions!.all_tokens).toBeGreaterThan(0);
  expect(tokens.results).toMatchObject({ runs: 1, calls: 3, returned_bytes: 1 });
  expect(tokens.results.bytes).toBe(3 * JSON.stringify({ n: 1, double: 2 }).length);
});
