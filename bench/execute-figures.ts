/** What the parts of `bench/execute.ts` measure, judge and print. */
import { printFigures, quantile, type Samples } from "./figures.ts";
import { printGoal } from "./http-table.ts";
import type { BenchHome, GatewayLines } from "./sandbox-gateway.ts";

export const OTHER = "the other bundle";
export const OWN = "this bundle";

/** A home that one bundle uses. */
export interface NamedHome {
  readonly name: string;
  readonly home: BenchHome;
}

interface Goal {
  readonly of: string;
  readonly against: string;
  readonly ratioMax: number;
}

export interface Figure {
  readonly title: string;
  readonly samples: readonly Samples[];
  readonly goals: readonly Goal[];
}

export function createSamples(names: readonly string[]) {
  const samples = names.map((name): Samples => ({ name, values: [] }));
  const add = (of: string, ms: number): void => void samples.find(({ name }) => name === of)!.values.push(ms);
  return { samples, add };
}

/** ms for a program that returns 1. */
export async function timeCode(gateway: GatewayLines, code: string): Promise<number> {
  const startedAt = performance.now();
  const { outputs, error } = await gateway.execute(code);
  if (outputs !== 1) throw new Error(`execute returned ${JSON.stringify({ outputs, error })}`);
  return performance.now() - startedAt;
}

export function printFigure({ title, samples, goals }: Figure): void {
  printFigures(title, samples, samples[0]!.name);
  for (const goal of goals) {
    const ratio = ratioOf(samples, goal);
    const text = `${goal.of} at most ${goal.ratioMax} × ${goal.against}`;
    printGoal(text, ratio <= goal.ratioMax, `${ratio.toFixed(2)} ×`);
  }
}

export function figureAsJson({ title, samples, goals }: Figure): object {
  return {
    title,
    samples: samples.map(({ name, values }) => ({
      name,
      p50Ms: quantile(values, 0.5),
      p90Ms: quantile(values, 0.9),
    })),
    goals: goals.map((goal) => ({ ...goal, ratio: ratioOf(samples, goal) })),
  };
}

function ratioOf(samples: readonly Samples[], { of, against }: Goal): number {
  const p50 = (wanted: string) => quantile(samples.find(({ name }) => name === wanted)!.values, 0.5);
  return p50(of) / p50(against);
}
