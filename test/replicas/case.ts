/** One row of the table of `npm run soak:replicas`: what is done to the gateways or their database, and what must hold. */
import { stripVTControlCharacters } from "node:util";

/** What happened, in words and figures, and whether it is what must be. */
export interface Outcome {
  readonly done: string;
  readonly figures: string;
  readonly isMet: boolean;
}

/** A part that this machine, or the product, does not have. */
export interface Skipped {
  readonly skipped: string;
}

export interface Case {
  readonly name: string;
  readonly bar: string;
  readonly run: () => Promise<Outcome | Skipped>;
}

export interface Row extends Pick<Case, "name" | "bar"> {
  readonly done: string;
  readonly figures: string;
  readonly outcome: "ok" | "missed" | "skipped";
  readonly seconds: number;
}

/** A case that throws has missed its bar, and the others run all the same. */
export async function runCase({ name, bar, run }: Case): Promise<Row> {
  const startedAt = performance.now();
  const secondsNow = (): number => Math.round((performance.now() - startedAt) / 100) / 10;
  try {
    const made = await run();
    if ("skipped" in made) {
      return { name, bar, done: made.skipped, figures: "–", outcome: "skipped", seconds: secondsNow() };
    }
    const { done, figures, isMet } = made;
    return { name, bar, done, figures, outcome: isMet ? "ok" : "missed", seconds: secondsNow() };
  } catch (error) {
    const figures = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    return { name, bar, done: "failed", figures, outcome: "missed", seconds: secondsNow() };
  }
}

const COLUMNS = ["case", "what was done", "figures", "bar", "outcome", "s"] as const;

/** As a table in Markdown, so that it can be put into a page as it is. */
export function tableOf(rows: readonly Row[]): string {
  const lines = rows.map(({ name, done, figures, bar, outcome, seconds }) => [
    name,
    done,
    figures,
    bar,
    outcome,
    seconds.toFixed(1),
  ]);
  const cells = [[...COLUMNS], COLUMNS.map(() => "---"), ...lines];
  return cells.map((line) => `| ${line.map(oneLine).join(" | ")} |`).join("\n");
}

/** An error can be a page long: its beginning says what it is. */
const CELL_LENGTH_MAX = 400;

function oneLine(text: string): string {
  const plain = stripVTControlCharacters(text).replaceAll(/\s+/g, " ").replaceAll("|", "\\|");
  return plain.length > CELL_LENGTH_MAX ? `${plain.slice(0, CELL_LENGTH_MAX)} …` : plain;
}
