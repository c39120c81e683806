/** Runs of several calls over HTTP, and what became of them: each done, each effect once. */
import { call, type HttpStand, type Told } from "./http-stand.ts";

const CALL_COUNT = 5;

/** Five effects, whose numbers are of this run alone. */
const CODE = `let sum = 0;
for (let i = 0; i < ${CALL_COUNT}; i++) sum += (await mcp.counter.add({ n: args.first + i, delay_ms: args.delay })).double;
return sum;`;

export interface RunWork {
  readonly count: number;
  readonly atOnce: number;
  /** Of each call. */
  readonly delayMs?: number;
}

export interface WorkDone {
  readonly errors: readonly string[];
  readonly perSecond: number;
  readonly worstMs: number;
}

function requestOf(first: number, delayMs = 0): Readonly<Record<string, unknown>> {
  return { code: CODE, inputs: { first, delay: delayMs }, timeout_ms: 240_000 };
}

const sumOf = (first: number): number =>
  Array.from({ length: CALL_COUNT }, (_, i) => 2 * (first + i)).reduce((sum, n) => sum + n, 0);

/** The first number of the run: no two runs of a stand have a number in common. */
const firstOfRun = (index: number): number => index * CALL_COUNT;

/** Through the balancer, some at once; what was told that is not the end of a run is an error. */
export async function runMany(stand: HttpStand, { count, atOnce, delayMs = 0 }: RunWork): Promise<WorkDone> {
  const startedAt = performance.now();
  const errors: string[] = [];
  let next = 0;
  let worstMs = 0;
  const work = async (): Promise<void> => {
    while (next < count) {
      const first = firstOfRun(next++);
      const begunAt = performance.now();
      const told: Told = await call(stand, "execute", requestOf(first, delayMs)).catch((error: unknown) => ({
        error: causeOf(error),
      }));
      if (told["outputs"] !== sumOf(first)) errors.push(JSON.stringify(told).slice(0, 400));
      worstMs = Math.max(worstMs, performance.now() - begunAt);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return { errors, worstMs, perSecond: (1_000 * count) / (performance.now() - startedAt) };
}

/** What `fetch` met is behind the error that it throws. */
export function causeOf(error: unknown): string {
  return error instanceof Error && error.cause !== undefined
    ? `${error.message}: ${error.cause instanceof Error ? error.cause.message : "unknown"}`
    : String(error);
}

export interface Effects {
  readonly lost: number;
  readonly repeated: number;
}

/** Against what these many runs must have done. */
export function effectsOf(stand: HttpStand, runCount: number): Effects {
  const max = firstOfRun(runCount);
  const seen = stand.calls("add").filter((n) => n < max);
  const once = new Set(seen);
  return { lost: max - once.size, repeated: seen.length - once.size };
}

/** In words. */
export function figuresOf(count: number, { errors, worstMs, perSecond }: WorkDone, effects: Effects): string {
  const first = errors.length === 0 ? "" : `; the first error: ${errors[0]}`;
  return (
    `${count - errors.length} of ${count} runs, ${errors.length} errors, effects: ${effects.lost} lost, ` +
    `${effects.repeated} repeated; ${perSecond.toFixed(1)} runs/s, longest ${(worstMs / 1_000).toFixed(1)} s${first}`
  );
}

export function isWhole({ errors }: WorkDone, { lost, repeated }: Effects): boolean {
  return errors.length === 0 && lost === 0 && repeated === 0;
}
