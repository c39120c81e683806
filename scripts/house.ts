/**
 * `npm run house`: the numbers of this repository's source beside their goals. What a request passes is measured
 * in a real gateway, which takes about ten seconds; `--static` leaves that out. `--verbose` lists the files behind the
 * numbers, `--json` prints everything as JSON.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { measureHttp, measureStdio, type PassedFiles, type RanFiles } from "./house-coverage.ts";
import { countSource, type Row } from "./house-rows.ts";
import { readSource } from "./house-tree.ts";

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    verbose: { type: "boolean", default: false },
    static: { type: "boolean", default: false },
  },
});
const root = join(import.meta.dirname, "..");
const rows = countSource(readSource(root));
if (!values.static) {
  rows.push(
    ...passageRows(await measureStdio(root), "stdio"),
    ...passageRows(await measureHttp(root), "HTTP"),
  );
}
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

function passageRows(passed: PassedFiles, transport: string): Row[] {
  const goal = transport === "stdio" ? { goal: 22 } : {};
  return [
    { number: `files a forwarded tools/call passes, ${transport}`, ...goal, ...ranFiles(passed.call) },
    { number: `files a tools/list passes, ${transport}`, ...ranFiles(passed.list) },
  ];
}

function ranFiles(ran: RanFiles): Pick<Row, "now" | "details" | "more"> {
  const files = Object.keys(ran);
  const rooms = Object.entries(Object.groupBy(files, (file) => file.split("/")[0]!));
  return {
    now: files.length,
    details: [rooms.map(([room, inside]) => `${room} ${inside!.length}`).join(", ")],
    more: Object.entries(ran).map(([file, names]) => `${file}: ${names.join(" ")}`),
  };
}
