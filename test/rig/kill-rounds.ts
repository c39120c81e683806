/** Many rounds, two at a time, each on a home of its own with the same things in it. */
import { expect } from "vitest";
import { createCounterHome, type Answer, type CounterHome } from "./counter-home.ts";
import { playRound, type Death, type Round, type RoundEnd } from "./kill-round.ts";
import { TWICE, writeDrafts, type KillScenario } from "./kill-scenario.ts";

/** Other tests run at the same time. */
const ROUNDS_AT_ONCE = 2;
/** The time before the first effect is the gateway's start; between two effects a call and its two writes pass. */
const START_MS = 900;
const STEP_MS = 15;

export interface KillRounds {
  /** With the drafts and the capability, which are made once, in the given folder. */
  createHome(): Promise<CounterHome>;
  /** The ends are in the order of the rounds. */
  playAll(rounds: readonly Round[]): Promise<RoundEnd[]>;
  /** The crash points at which a gateway has died. */
  readonly killedAt: Set<string>;
}

export function createKillRounds(folder: string): KillRounds {
  const killedAt = new Set<string>();
  let template: Promise<CounterHome> | undefined;

  async function createHome(): Promise<CounterHome> {
    template ??= createTemplate(folder);
    return createCounterHome({ from: await template });
  }

  async function play(round: Round): Promise<RoundEnd> {
    const { scenario, death, secondDeath } = round;
    try {
      const end = await playRound(await createHome(), round);
      for (const at of [death, secondDeath]) if (typeof at === "string") killedAt.add(at.split(":")[0]!);
      return end;
    } catch (error) {
      const deaths = JSON.stringify([death, secondDeath]);
      throw new Error(`A run of ${scenario.kind} whose gateway died at ${deaths}.`, { cause: error });
    }
  }

  async function playAll(rounds: readonly Round[]): Promise<RoundEnd[]> {
    const ends: RoundEnd[] = [];
    let next = 0;
    const work = async (): Promise<void> => {
      for (let at = next++; at < rounds.length; at = next++) ends[at] = await play(rounds[at]!);
    };
    await Promise.all(Array.from({ length: ROUNDS_AT_ONCE }, work));
    return ends;
  }

  return { createHome, playAll, killedAt };
}

async function createTemplate(folder: string): Promise<CounterHome> {
  const home = createCounterHome({ folder });
  writeDrafts(home);
  const gateway = home.start();
  const ran = await gateway.call("execute", { code: TWICE.code, inputs: TWICE.inputs });
  expect(ran).toMatchObject({ success: true });
  expect(await gateway.call("save_to_library", saveOf(ran!))).toMatchObject({ success: true });
  gateway.disconnect();
  expect(await gateway.ended()).toEqual({ code: 0, signal: null });
  return home;
}

/** The arguments that keep what ran. */
export function saveOf({ draft }: Answer) {
  return { draft_name: draft, final_name: TWICE.name, description: "Adds two numbers in a row." };
}

/** Spread evenly over the steps, and within a step over about the time that it takes. */
export function randomDeaths(random: () => number, count: number, { effectCount }: KillScenario): Death[] {
  return Array.from({ length: count }, () => {
    const afterEffects = Math.floor(random() * (effectCount + 1));
    return { afterEffects, plusMs: Math.floor(random() * (afterEffects === 0 ? START_MS : STEP_MS)) };
  });
}

export function tableOf(ends: readonly RoundEnd[]) {
  const sum = (count: (end: RoundEnd) => number) => ends.reduce((total, end) => total + count(end), 0);
  return {
    moments: ends.length,
    uncertain: sum(({ uncertainCount }) => (uncertainCount > 0 ? 1 : 0)),
    repeats: sum(({ repeatCount }) => repeatCount),
    lost: sum(({ lostCount }) => lostCount),
  };
}
