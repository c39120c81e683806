/**
 * A gateway dies at every crash point and at random moments, and another one goes on: the result is the undisturbed one, and
 * every effect that must not happen twice has happened once. What cannot be known is asked about and never guessed.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { CRASH_POINTS } from "../src/process/crash-point.ts";
import { runCli, type ConnectOptions } from "./fixtures/gateway-process.ts";
import { eventually } from "./fixtures/temporary.ts";
import { answering, askedIn, structureOf } from "./rig/decision-place.ts";
import { createCounterHome, draftNames, type CounterGateway, type CounterHome } from "./rig/counter-home.ts";
import { playRound } from "./rig/kill-round.ts";
import { createKillRounds, randomDeaths, saveOf, tableOf } from "./rig/kill-rounds.ts";
import { answerOf, APPROVED, CODE, TWICE, WORKFLOW, type KillScenario } from "./rig/kill-scenario.ts";
import { openWire } from "./rig/modern-wire.ts";
import { createRandom } from "./rig/random.ts";
import { newestRunId, readRecords, rootsOf } from "./rig/run-records.ts";

/** A soak raises the number of moments and changes the seed; a failure's seed repeats its moments, as far as moments can be. */
const MOMENT_COUNT = Number(process.env["RUN_KILL_ROUNDS"] ?? 1);
const KILL_SEED = Number(process.env["RUN_KILL_SEED"] ?? 20_260_728);
/** A round starts three gateways at most; on a busy machine each takes seconds. */
const ROUND_MS_MAX = 60_000;

/** It has no SIGKILL. */
const isWindows = process.platform === "win32";

const folder = mkdtempSync(join(tmpdir(), "repertoire-crash-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const rounds = createKillRounds(folder);

/**
 * Where the gateway dies, and how many calls nobody knows the outcome of then. The number of a visit counts the visits of all
 * runs: in `step.answered:6` the sixth answer of the run and those below it is there.
 */
const DEATHS: Readonly<Record<KillScenario["kind"], readonly (readonly [string, number])[]>> = {
  code: [
    ["run.started", 0],
    ["step.arriving:8", 0],
    ["step.opened:5", 1],
    ["step.sent:9", 1],
    ["step.answered:6", 1],
    ["step.closed:5", 0],
    ["run.ending", 0],
    ["run.ended:2", 0],
  ],
  workflow: [
    ["step.arriving:13", 0],
    ["step.opened:8", 1],
    ["step.answered:12", 1],
    ["step.closed:7", 0],
    ["run.ending", 0],
    ["run.ended:3", 0],
  ],
};

const WHOLE = { repeatCount: 0, lostCount: 0 };

describe.skipIf(isWindows).each([CODE, WORKFLOW])("a run of $kind", (scenario) => {
  const deaths = DEATHS[scenario.kind];

  it("gives its result when nothing happens to it", { timeout: ROUND_MS_MAX }, async () => {
    const home = await rounds.createHome();
    const answer = await home.start().call("execute", scenario.request);
    scenario.check(answer?.outputs, home.effects());
    expect(home.effects()).toHaveLength(scenario.effectCount);
  });

  it(
    "goes on to the same result after a kill at each crash point, with every effect once",
    { timeout: deaths.length * ROUND_MS_MAX },
    async () => {
      const ends = await rounds.playAll(deaths.map(([death]) => ({ scenario, death })));
      expect(ends.map((end, at) => [deaths[at]![0], end])).toEqual(
        deaths.map(([death, uncertainCount]) => [death, { ...WHOLE, uncertainCount }]),
      );
    },
  );

  it(
    "goes on when the gateway that went on with it is killed as well",
    { timeout: 3 * ROUND_MS_MAX },
    async () => {
      const seconds = ["resume.claimed", "resume.started"];
      const ends = await rounds.playAll(
        seconds.map((secondDeath) => ({ scenario, death: "step.closed:2", secondDeath })),
      );
      for (const end of ends) expect(end).toMatchObject(WHOLE);
    },
  );

  it(
    `repeats and loses nothing when it is killed at ${MOMENT_COUNT} random moments`,
    { timeout: MOMENT_COUNT * ROUND_MS_MAX },
    async () => {
      console.log(`RUN_KILL_SEED=${KILL_SEED}`);
      const moments = randomDeaths(createRandom(KILL_SEED), MOMENT_COUNT, scenario);
      const table = tableOf(await rounds.playAll(moments.map((death) => ({ scenario, death }))));
      console.log(`${scenario.kind.padEnd(8)} ${JSON.stringify(table)}`);
      expect(table).toMatchObject({ moments: MOMENT_COUNT, repeats: 0, lost: 0 });
    },
  );
});

describe.skipIf(isWindows)("what else a kill can cut short", () => {
  it(
    "a question to a person: it is asked again, and what follows is done once",
    { timeout: ROUND_MS_MAX },
    async () => {
      const home = await rounds.createHome();
      const end = await playRound(home, {
        scenario: APPROVED,
        death: "approval.asked",
        approve: (runId) => approve(home, runId),
      });
      expect(end).toEqual({ ...WHOLE, uncertainCount: 0 });
      rounds.killedAt.add("approval.asked");
    },
  );

  it.each([
    ["state.spent", "asks"],
    ["approval.decided", "is done"],
  ] as const)(
    "an answer to a question, at %s: sent again it is refused, and the run that goes on %s",
    { timeout: ROUND_MS_MAX },
    async (death, then) => {
      const home = await rounds.createHome();
      const before = openWire(home.optionsFor(death));
      const request = { name: "execute", arguments: { name: "approved" } };
      const asked = await before.request("tools/call", request);
      const answer = { ...request, ...answering(askedIn(asked!)) };
      expect(await before.request("tools/call", answer)).toBeUndefined();
      rounds.killedAt.add(death);
      await home.isQuiet();
      const after = openWire(home.optionsFor());
      expect((await after.request("tools/call", answer))?.error).toMatchObject({ code: -32602 });
      expect(home.effects().map(({ args }) => args.n)).toEqual([1]);
      const runId = rootsOf(readRecords(home)).at(-1)!.id;
      const next = await after.request("tools/call", { name: "execute", arguments: { resume: runId } });
      if (then === "asks") expect(askedIn(next!).inputRequests).toEqual(askedIn(asked!).inputRequests);
      else expect(structureOf(next!)).toMatchObject({ success: true });
      expect(home.effects().map(({ args }) => args.n)).toEqual(then === "asks" ? [1] : [1, 2]);
    },
  );

  it("a save: the next try finds it saved, and takes the draft away", { timeout: ROUND_MS_MAX }, async () => {
    const home = createCounterHome();
    const gateway = home.start("save.committed");
    const ran = await gateway.call("execute", { code: TWICE.code, inputs: TWICE.inputs });
    expect(await gateway.call("save_to_library", saveOf(ran!))).toBeUndefined();
    expect(await gateway.ended()).toEqual({ code: null, signal: "SIGKILL" });
    rounds.killedAt.add("save.committed");
    await home.isQuiet();
    expect(draftNames(home)).toEqual([`${ran!.draft!}.ts`]);
    const again = await home.start().call("save_to_library", saveOf(ran!));
    expect(again).toMatchObject({ success: true, version: 1 });
    expect(draftNames(home)).toEqual([]);
  });

  it(
    "two calls at once, of which one took effect: no one answer is taken for both, and one for each is",
    { timeout: ROUND_MS_MAX },
    async () => {
      const home = createCounterHome();
      const code = `return await Promise.all([
        mcp.counter.add({ n: 1, delay_ms: 4000 }),
        mcp.counter.add({ n: 2, delay_ms: 20000 }),
      ]);`;
      const first = home.start();
      const unheard = first.call("execute", { code });
      await eventually("the first effect", () => home.effects().length === 1, ROUND_MS_MAX);
      first.signal("SIGKILL");
      await unheard;
      await home.isQuiet();
      const second = home.start();
      const resume = newestRunId(home);
      const asked = await second.call("execute", { resume });
      const asks = { error: { reason: "uncertain_step" }, checkpoint: { resumable: true } };
      expect(asked).toMatchObject(asks);
      const uncertain = { result: answerOf({ n: 1, delay_ms: 4000 }) };
      expect(await second.call("execute", { resume: asked!.run_id!, uncertain })).toMatchObject(asks);
      expect(await second.call("execute", { resume })).toMatchObject({ run_id: asked!.run_id });
      expect(home.effects()).toHaveLength(1);
      const each = { resume, uncertain: [uncertain, "skip"] };
      expect(await second.call("execute", each)).toMatchObject({ outputs: [uncertain.result, null] });
      expect(home.effects()).toHaveLength(1);
    },
  );

  it(
    "A1: two runs of a client that is gone: the newest is named first, and resumed by its id",
    { timeout: ROUND_MS_MAX },
    async () => {
      const home = createCounterHome();
      const gateway = home.start("step.closed:2");
      const failing = `await mcp.counter.add({ n: 1 }); throw new Error("old");`;
      expect(await gateway.call("execute", { code: failing })).toMatchObject({ success: false });
      const code = "const { n } = await mcp.counter.add({ n: 2 }); return n;";
      expect(await gateway.call("execute", { code })).toBeUndefined();
      await home.isQuiet();
      const next = home.start();
      const named = await next.call("execute", { resume: "last" });
      expect(named).toMatchObject({ error: { reason: "no_own_run" } });
      const [newest, older] = named!.error!.nearest!;
      expect(newest).toBe(newestRunId(home));
      expect(older).toBeDefined();
      const resumed = await next.call("execute", { resume: newest });
      expect(resumed).toMatchObject({ success: true, outputs: 2, resumed_from: newest });
      expect(home.effects()).toHaveLength(2);
    },
  );
});

/** As a person who is asked would, in another process. */
async function approve(home: CounterHome, runId: string): Promise<void> {
  const options = { folder: home.folder, ...envOf(home.optionsFor()) };
  const { status, stderr } = runCli(["approve", runId, "--yes"], options);
  expect({ status, stderr }).toMatchObject({ status: 0 });
}

function envOf({ env }: ConnectOptions) {
  return env === undefined ? {} : { env };
}

const SLOW_CODE = {
  code: `const slow = await mcp.counter.add({ n: 1, delay_ms: args.delay_ms });
const next = await mcp.counter.add({ n: 2 });
return [slow.n, next.n];`,
};

describe.skipIf(isWindows)("a gateway that is told to go in the middle of a slow step", () => {
  const endings = [
    ["by SIGTERM", 143, 1500, (gateway: CounterGateway) => gateway.signal("SIGTERM")],
    ["by SIGINT", 130, 1500, (gateway: CounterGateway) => gateway.signal("SIGINT")],
    // Its client may wait for the answer yet, so a second goes by before the gateway leaves.
    ["by its client, which goes away", 0, 4000, (gateway: CounterGateway) => gateway.disconnect()],
  ] as const;

  it.each(endings)(
    "%s ends with %i: the step is on record, and a resumed run does not make it again",
    { timeout: 2 * ROUND_MS_MAX },
    async (_how, code, delayMs, tell) => {
      const inputs = { delay_ms: delayMs };
      await Promise.all([
        leaveAndResume({ request: { ...SLOW_CODE, inputs }, code, tell, outputs: [1, 2] }),
        leaveAndResume({
          request: { name: "slow", inputs },
          code,
          tell,
          outputs: { last: answerOf({ n: 2 }) },
        }),
      ]);
    },
  );
});

interface Leaving {
  readonly request: object;
  readonly code: number;
  readonly tell: (gateway: CounterGateway) => void;
  readonly outputs: unknown;
}

async function leaveAndResume({ request, code, tell, outputs }: Leaving): Promise<void> {
  const home = await rounds.createHome();
  const gateway = home.start();
  void gateway.call("execute", request);
  await eventually("the effect of the slow step", () => home.effects().length === 1, ROUND_MS_MAX);
  tell(gateway);
  expect(await gateway.ended()).toEqual({ code, signal: null });
  await home.isQuiet();
  const { runs, steps } = readRecords(home);
  expect(runs.at(-1)).toMatchObject({ status: "cancelled", lease_owner: null });
  const made = steps.filter(({ run_id: id }) => id === runs.at(-1)!.id).map(({ status }) => status);
  expect(made).toEqual(["succeeded"]);
  const next = home.start();
  const resume = newestRunId(home);
  expect(await next.call("execute", { resume })).toMatchObject({ success: true, outputs });
  next.disconnect();
  expect(await next.ended()).toEqual({ code: 0, signal: null });
  expect(home.effects().map(({ args }) => args.n)).toEqual([1, 2]);
}

it.skipIf(isWindows)("a gateway has died at every crash point that there is", () => {
  // A rule must ask first: asked-calls.test.ts dies there.
  rounds.killedAt.add("approval.spent");
  // A command and no gateway: add-published.test.ts dies there.
  rounds.killedAt.add("install.unpacked");
  expect(CRASH_POINTS.filter((point) => !rounds.killedAt.has(point))).toEqual([]);
});
