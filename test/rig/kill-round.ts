/**
 * One round: a run begins, its gateway is killed, and new gateways on the same home go on with it until it has its result. Where a
 * gateway asks what became of a call, the answer comes from what the server has on disk, as a person would look there.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import type { CounterGateway, CounterHome, Effect, UncertainCall } from "./counter-home.ts";
import { answerOf, type KillScenario } from "./kill-scenario.ts";
import { checkAllEnded, checkRecords, newestRunId, readRecords, rootsOf } from "./run-records.ts";

/** When the gateway dies: at a crash point, or so long after the server has so many calls on disk. */
export type Death = string | { readonly afterEffects: number; readonly plusMs: number };

export interface RoundEnd {
  readonly uncertainCount: number;
  readonly repeatCount: number;
  readonly lostCount: number;
}

export interface Round {
  readonly scenario: KillScenario;
  readonly death: Death;
  /** Where the gateway dies that goes on first. */
  readonly secondDeath?: string;
  /** Does what a paused run waits for. */
  readonly approve?: (runId: string) => Promise<void>;
}

export async function playRound(home: CounterHome, round: Round): Promise<RoundEnd> {
  await dieWhile(home, round.death, round.scenario.request);
  if (round.secondDeath !== undefined) await dieWhile(home, round.secondDeath, { resume: newestRunId(home) });
  checkRecords(readRecords(home));
  const gateway = home.start();
  const end = await goOn(home, gateway, round);
  gateway.disconnect();
  expect(await gateway.ended()).toEqual({ code: 0, signal: null });
  await home.isQuiet();
  const records = readRecords(home);
  checkRecords(records);
  checkAllEnded(records);
  round.scenario.check(end.outputs, home.effects());
  return { uncertainCount: end.uncertainCount, ...countEffects(round.scenario, home.effects()) };
}

/** A gateway that is asked to execute something, and its end by SIGKILL; nothing that it started outlives it. */
async function dieWhile(home: CounterHome, death: Death, request: object): Promise<void> {
  const atPoint = typeof death === "string";
  const gateway = home.start(atPoint ? death : undefined);
  const answer = gateway.call("execute", request);
  if (!atPoint) await killAt(home, gateway, death);
  const told = await answer;
  if (atPoint) expect(told, `${death} was not reached`).toBeUndefined();
  gateway.signal("SIGKILL");
  expect(await gateway.ended()).toEqual({ code: null, signal: "SIGKILL" });
  await home.isQuiet();
}

async function killAt(
  home: CounterHome,
  gateway: CounterGateway,
  { afterEffects, plusMs }: Exclude<Death, string>,
): Promise<void> {
  // The moment matters to the millisecond.
  while (home.effects().length < afterEffects && !gateway.isOver()) await sleep(1);
  await sleep(plusMs);
  gateway.signal("SIGKILL");
}

interface Gone {
  readonly outputs: unknown;
  readonly uncertainCount: number;
}

async function goOn(home: CounterHome, gateway: CounterGateway, round: Round): Promise<Gone> {
  let uncertainCount = 0;
  // Another client's run is named, and never taken for this one's own.
  let request: object = { resume: "last" };
  for (;;) {
    const answer = await gateway.call("execute", request);
    if (answer?.success === true) return { outputs: answer.outputs, uncertainCount };
    const reason = answer?.error?.reason;
    if (reason === "uncertain_step") {
      const calls = answer!.checkpoint!.uncertain!;
      uncertainCount += calls.length;
      const uncertain = decide(calls, home.effects());
      request = { resume: answer!.run_id!, uncertain };
    } else if (reason === "approval_required" && round.approve !== undefined) {
      await round.approve(answer!.run_id!);
      request = { resume: answer!.run_id! };
    } else if (reason === "no_own_run") {
      request = { resume: answer!.error!.nearest![0] };
    } else if (answer?.error?.code === "TOOL_NOT_FOUND") {
      const ended = resultOnRecord(home);
      if (ended !== undefined) return { outputs: ended.outputs, uncertainCount };
      expect(home.effects(), "effects of a run that is not on record").toEqual([]);
      request = round.scenario.request;
    } else throw new Error(`The run did not go on: ${JSON.stringify(answer)}`);
  }
}

/** One answer for each call, by what the server has on its disk. */
function decide(
  calls: readonly UncertainCall[],
  effects: readonly Effect[],
): ("retry" | { readonly result: unknown })[] {
  const happened = ({ tool, args }: UncertainCall) =>
    effects.some((effect) => isEffectOf(effect, tool, args));
  return calls.map((call) => (happened(call) ? { result: answerOf(call.args) } : "retry"));
}

function isEffectOf(effect: Effect, tool: string, args: unknown): boolean {
  return tool === `counter__${effect.tool}` && isDeepStrictEqual(effect.args, args);
}

/** Of a run that had ended when its gateway died, before its client heard of it. */
function resultOnRecord(home: CounterHome): { readonly outputs: unknown } | undefined {
  // The first is the one that was kept as a capability.
  const last = rootsOf(readRecords(home)).slice(1).at(-1);
  if (last === undefined) return undefined;
  expect(last.status).toBe("succeeded");
  return { outputs: JSON.parse(last.result!) as unknown };
}

function countEffects(
  { numbers }: KillScenario,
  effects: readonly Effect[],
): Pick<RoundEnd, "repeatCount" | "lostCount"> {
  const added = effects.filter(({ tool }) => tool === "add");
  expect(numbers).toEqual(expect.arrayContaining(added.map(({ args }) => args.n)));
  const counts = numbers.map((n) => added.filter(({ args }) => args.n === n).length);
  const keys = new Set(added.map(({ meta }) => meta["repertoire/idempotencyKey"]));
  expect(keys.has(undefined), "a call without the key by which a server can tell it").toBe(false);
  expect(keys.size, "as many keys as effects").toBe(counts.filter((count) => count > 0).length);
  return {
    repeatCount: counts.reduce((sum, count) => sum + Math.max(0, count - 1), 0),
    lostCount: counts.filter((count) => count === 0).length,
  };
}
