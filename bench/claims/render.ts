/** The table of the README and docs/numbers.md, made from results alone. */
import type { BenchResult } from "../result-file.ts";
import { CLAIMS, type Cells, type Claim } from "./claims.ts";
import { SCRIPTS, type BenchName, type ClaimedFigures, type Results } from "./figures.ts";

export const BEGIN = "<!-- numbers:begin -->";
export const END = "<!-- numbers:end -->";

interface Row {
  readonly claim: Claim;
  /** Undefined where nothing was measured. */
  readonly cells: Cells | undefined;
  readonly result: BenchResult | undefined;
}

/** What each claim says, in the order of the claims. */
export function rowsOf(results: Results): Row[] {
  return CLAIMS.map((claim) => {
    const result = results.get(claim.bench);
    const cells = result && claim.from(result.figures as ClaimedFigures[BenchName]);
    return { claim, cells, result };
  });
}

/** A claim that was not measured is no row: the README says nothing of it. */
export function readmeTable(results: Results): string {
  const rows = rowsOf(results).flatMap(({ claim, cells }) =>
    cells === undefined
      ? []
      : [`| ${claim.text} | ${linked(cells.ours, "docs/")} | ${linked(cells.other, "docs/")} |`],
  );
  const note = "[docs/numbers.md](docs/numbers.md) says what was measured when, and where.";
  if (rows.length === 0) return `Nothing is measured on this commit. ${note}`;
  return ["| | with Repertoire | compared with |", "|---|---|---|", ...rows, "", note].join("\n");
}

/** The page with another table between its marks. */
export function withTable(page: string, table: string): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin === -1 || end < begin) throw new Error(`The page has no ${BEGIN} … ${END}.`);
  return `${page.slice(0, begin + BEGIN.length)}\n\n${table}\n\n${page.slice(end)}`;
}

export function numbersPage(results: Results): string {
  return `${[INTRODUCTION, claimsTable(results), "## Where each was measured", ...machines(results), COMMANDS].join("\n\n")}\n`;
}

const INTRODUCTION = `# Numbers

<!-- Made by \`npm run claims\` from bench/results; a test keeps it true. -->

Each figure here and in the README comes from a result in \`bench/results\`, with its commit and machine. Times are of
that machine at that load; what is compared was measured in the same run, in turn. A row without a result says so.`;

const COMMANDS = `## Measuring again

\`npm run claims\` makes this page and the table of the README from the results that are there. \`npm run claims -- --run
bench,search\` measures these first. Each bench writes its own result with \`-- --json FILE\`.`;

function claimsTable(results: Results): string {
  const rows = rowsOf(results).map(({ claim, cells, result }) => {
    const { ours, other } = cells ?? { ours: "not measured on this commit", other: "" };
    const by = cells === undefined ? `\`npm run ${SCRIPTS[claim.bench]}\`` : whenOf(result!);
    return `| ${claim.text} | ${linked(ours, "")} | ${linked(other, "")} | ${by} |`;
  });
  return ["| | with Repertoire | compared with | measured |", "|---|---|---|---|", ...rows].join("\n");
}

function whenOf({ name, date, commit }: BenchResult): string {
  return `${SCRIPTS[name as BenchName]}, ${date.slice(0, 10)}${commit === null ? "" : `, ${commit}`}`;
}

function machines(results: Results): string[] {
  if (results.size === 0) return ["There is no result."];
  const rows = [...results.values()].map((result) => {
    const { command, commit, dirty, date, node, cores, cpu, memoryGb, load } = result;
    const from = `${commit ?? "no checkout"}${dirty ? ", with changes" : ""}`;
    const machine = `${cores} cores (${cpu}), ${memoryGb} GB, Node ${node.replace(/^v/, "")}, load ${load} at the start`;
    return `| \`${command}\` | ${date.slice(0, 16).replace("T", " ")} UTC | ${from} | ${machine} |`;
  });
  return [["| command | when | commit | machine |", "|---|---|---|---|", ...rows].join("\n")];
}

/** A cell names a page of the docs; how it is reached depends on where the table is. */
function linked(cell: string, folder: "docs/" | ""): string {
  return cell.replaceAll("](SEARCH_PAGE)", `](${folder}search.md)`);
}

/** Figures elsewhere that claim to be one of these: `<!-- claim:start -->224 ms<!-- /claim -->`. */
const MARKED = /<!-- claim:([\w-]+) -->([^<]*)<!-- \/claim -->/g;

/** What is wrong with them. */
export function problemsOfMarked(path: string, page: string, results: Results): string[] {
  const rows = rowsOf(results);
  // What is quoted as code is an example of a mark.
  const prose = page.replaceAll(/`[^`]*`/g, "");
  return [...prose.matchAll(MARKED)].flatMap(([, id, figure]) => {
    const row = rows.find(({ claim }) => claim.id === id);
    if (row === undefined) return [`${path} marks ${id}, which is no claim.`];
    if (row.cells === undefined) return [`${path} states ${id}, which is not measured.`];
    const isThere = [row.cells.ours, row.cells.other].some((cell) => cell.includes(figure!.trim()));
    return isThere && figure!.trim() !== ""
      ? []
      : [`${path} says of ${id} ${figure}, and the result does not.`];
  });
}

/** A figure with its unit in a row of a table that no result has made. */
const FIGURE = /\d\s?(?:ms|s|µs|%|×|tokens|calls\/s|MB|GB|KB)(?![\w])/;

/** Rows of tables with figures outside of the marks. */
export function handWrittenRows(page: string): string[] {
  const [before, rest = ""] = page.split(BEGIN);
  const after = rest.split(END)[1] ?? "";
  return `${before}\n${after}`.split("\n").filter((line) => line.startsWith("|") && FIGURE.test(line));
}
