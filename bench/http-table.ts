/** Figures of the HTTP bench as lines of a table, and goals as met or missed. */
import { quantile } from "./figures.ts";
import type { Measured } from "./http-crowd.ts";

/** What one candidate did over all rounds. */
export interface HttpFigures {
  readonly name: string;
  readonly times: number[];
  readonly perSecond: number[];
  /** µs of the server's own processor time for each call; empty where nobody can look. */
  readonly cpuMicros: number[];
}

export function emptyFigures(name: string): HttpFigures {
  return { name, times: [], perSecond: [], cpuMicros: [] };
}

export function addMeasured(figures: HttpFigures, { times, perSecond }: Measured): void {
  for (const ms of times) figures.times.push(ms);
  figures.perSecond.push(perSecond);
}

export const p50 = ({ times }: HttpFigures): number => quantile(times, 0.5);
export const perSecond = (figures: HttpFigures): number => quantile(figures.perSecond, 0.5);

const COLUMNS = ["p50", "p99", "calls/s", "CPU a call"];

/** What was printed of one candidate. */
interface HttpSummary {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly perSecond: number;
  /** Undefined where nobody can look. */
  readonly cpuMicros?: number;
}

/** By the names of the candidates. */
export type HttpSummaries = Readonly<Record<string, HttpSummary>>;

/** Prints them, and returns what it printed. */
export function printHttpFigures(title: string, all: readonly HttpFigures[]): HttpSummaries {
  console.log(`\n${title}`);
  console.log(`  ${"".padEnd(46)}${COLUMNS.map((column) => column.padStart(11)).join("")}`);
  for (const figures of all) {
    const { name, times, cpuMicros } = figures;
    const cells = [
      `${p50(figures).toFixed(2)} ms`,
      `${quantile(times, 0.99).toFixed(1)} ms`,
      perSecond(figures).toFixed(0),
      cpuMicros.length === 0 ? "" : `${quantile(cpuMicros, 0.5).toFixed(0)} µs`,
    ];
    console.log(`  ${name.padEnd(46)}${cells.map((cell) => cell.padStart(11)).join("")}`);
  }
  return Object.fromEntries(all.map((figures) => [figures.name, summaryOf(figures)]));
}

function summaryOf(figures: HttpFigures): HttpSummary {
  const { times, cpuMicros } = figures;
  return {
    p50Ms: p50(figures),
    p99Ms: quantile(times, 0.99),
    perSecond: perSecond(figures),
    ...(cpuMicros.length > 0 && { cpuMicros: quantile(cpuMicros, 0.5) }),
  };
}

export function printGoal(goal: string, isMet: boolean, found: string): void {
  console.log(`  goal: ${goal}: ${isMet ? "met" : "MISSED"} (${found})`);
}
