/**
 * `npm run house`: the numbers of this repository's source beside their goals. `--verbose` lists the files
 * behind the numbers, `--json` prints everything as JSON.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { countSource, type Row } from "./house-rows.ts";
import { readSource } from "./house-tree.ts";

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    verbose: { type: "boolean", default: false },
  },
});
const root = join(import.meta.dirname, "..");
const rows = countSource(readSource(root));
process.stdout.write(values.json ? `${JSON.stringify(rows.map(jsonOf), undefined, 2)}\n` : textOf(rows));

function isMet({ now, goal }: Row): boolean | undefined {
  return goal === undefined ? undefined : now !== undefined && now <= goal;
}

function jsonOf(row: Row) {
  const { now = null, goal = null } = row;
  return { ...row, now, goal, met: isMet(row) ?? null };
}

function textOf(all: readonly Row[]): string {
  const cells = all.map((row) => [row.number, figureOf(row, row.now), goalOf(row), metOf(row)]);
  const table = [["number", "now", "goal", "met"], ...cells];
  const widths = table[0]!.map((_, column) => Math.max(...table.map((line) => line[column]!.length)));
  const lines = table.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join(" | ")
      .trimEnd(),
  );
  const lists = all.flatMap((row) => {
    const shown = [...(row.details ?? []), ...(values.verbose ? (row.more ?? []) : [])];
    return shown.length === 0 ? [] : ["", `${row.number}:`, ...shown.map((line) => `  ${line}`)];
  });
  return `${[...lines, ...lists].join("\n")}\n`;
}

function figureOf({ unit }: Row, figure: number | undefined): string {
  return figure === undefined ? "?" : unit === undefined ? String(figure) : `${figure} ${unit}`;
}

function goalOf(row: Row): string {
  return row.goal === undefined ? "" : row.goal === 0 ? "0" : `≤ ${figureOf(row, row.goal)}`;
}

function metOf(row: Row): string {
  const met = isMet(row);
  return met === undefined ? "" : met ? "yes" : "no";
}
