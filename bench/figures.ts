/** Figures compare within one run on one machine; they promise nothing about another. */
export interface Samples {
  readonly name: string;
  readonly values: number[];
}

export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))]!;
}

/** Takes turns, so that a noisy moment of the machine meets every candidate alike. */
export async function takeTurns(
  candidates: readonly { name: string; run: () => Promise<number> }[],
  rounds: number,
): Promise<Samples[]> {
  const samples = candidates.map(({ name }): Samples => ({ name, values: [] }));
  for (const { run } of candidates) await run();
  for (let round = 0; round < rounds; round++) {
    for (const [index, { run }] of candidates.entries()) samples[index]!.values.push(await run());
  }
  return samples;
}

/** Of one candidate, in ms. */
export interface Figure {
  readonly p50: number;
  readonly p90: number;
}

/** By the names of the candidates. */
export type Figures = Readonly<Record<string, Figure>>;

/** Prints them, and returns what it printed. */
export function printFigures(title: string, samples: readonly Samples[], against: string): Figures {
  const base = quantile(samples.find((sample) => sample.name === against)!.values, 0.5);
  console.log(`\n${title}`);
  console.log(`  ${"".padEnd(44)} ${"p50".padStart(9)} ${"p90".padStart(9)} ${"ratio".padStart(7)}`);
  for (const { name, values } of samples) {
    const p50 = quantile(values, 0.5);
    const cells = [p50, quantile(values, 0.9)].map((ms) => `${ms.toFixed(ms < 10 ? 3 : 1)} ms`.padStart(9));
    console.log(`  ${name.padEnd(44)} ${cells.join(" ")} ${(p50 / base).toFixed(2).padStart(6)}×`);
  }
  return Object.fromEntries(
    samples.map(({ name, values }) => [name, { p50: quantile(values, 0.5), p90: quantile(values, 0.9) }]),
  );
}
