import { withCommas } from "../../terminal/wording.ts";
import type { TokenReport } from "../../../app/app.ts";
import { escapeUnprintable } from "../../../text/printable.ts";
import { EXIT } from "../../terminal/exit-code.ts";
import { withProgress } from "../../terminal/progress-line.ts";
import { openSession } from "../../session.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { bold, note, print, printJson, printTable } from "../../terminal/terminal.ts";
import { defineCommand } from "../../command.ts";

interface TokensOptions extends GlobalOptions {
  readonly tools?: boolean;
  readonly start?: boolean;
}

type ViewTokens = TokenReport["faces"][number];

export const costCommand = defineCommand({
  name: "cost",
  aliases: ["tokens"],
  group: "use",
  summary: "Show what your tools cost in tokens in every conversation, in each exposure mode",
  options: [
    { flags: "--tools", about: "Show each tool, the most expensive first" },
    {
      flags: "--start",
      about: "Start servers whose tools are not known yet; without this option nothing is started",
    },
  ],
  examples: [
    "repertoire cost",
    "repertoire cost --tools",
    "repertoire cost --start --json | jq '.faces[].why'",
  ],
  run: (options: TokensOptions) => show(options),
});

async function show(options: TokensOptions): Promise<number> {
  const session = await openSession(options);
  try {
    const start = options.start === true;
    const doing = start ? "asking the servers and counting" : "counting";
    const report = await withProgress(doing, () => session.app.weighTools({ start }));
    if (options.json === true) printJson(options.tools === true ? report : withoutTools(report));
    else showReport(report, options.tools === true);
    return options.start === true && report.unread.length > 0 ? EXIT.unreachable : EXIT.ok;
  } finally {
    await session.close();
  }
}

function withoutTools(report: TokenReport): object {
  const servers = report.servers.map(({ id, toolCount, tokens, meanTokens }) => ({
    id,
    toolCount,
    tokens,
    meanTokens,
  }));
  return { ...report, servers };
}

function showReport(report: TokenReport, hasTools: boolean): void {
  if (report.servers.length > 0) {
    showServers(report);
    print();
  }
  if (hasTools && report.servers.some(({ toolCount }) => toolCount > 0)) {
    showTools(report);
    print();
  }
  showFaces(report.faces);
  for (const { id, reason } of report.unread) {
    const what = reason === undefined ? "not started yet; use --start" : escapeUnprintable(reason);
    note(`${id}: ${what}`);
  }
  showNotes(report);
}

function showServers({ servers }: TokenReport): void {
  const rows = servers.map(({ id, toolCount, tokens, meanTokens }) => [id, toolCount, tokens, meanTokens]);
  printNumbers(["SERVER", "TOOLS", "TOKENS", "MEAN"], rows);
}

function showTools({ servers }: TokenReport): void {
  const tools = servers.flatMap((server) => server.tools).sort((a, b) => b.tokens - a.tokens);
  printNumbers(
    ["TOOL", "TOKENS"],
    tools.map(({ name, tokens }) => [name, tokens]),
  );
}

function showFaces(faces: readonly ViewTokens[]): void {
  printNumbers(
    ["", "IN FORCE", "LEAN: START", "+ TASK", "FULL: START", "+ TASK"],
    faces.map((face) => [
      titleOf(face),
      face.mode,
      face.lean.startTokens,
      face.lean.taskTokens ?? "no search",
      face.full.startTokens,
      face.full.taskTokens ?? "no search",
    ]),
  );
  print();
  for (const face of faces) print(`${bold(titleOf(face))}: ${escapeUnprintable(face.why)}`);
}

function showNotes({ faces, tokenizer }: TokenReport): void {
  const { queryCount, tokens } = faces[0]!.search;
  note(
    "START: tokens at the start of every conversation: the meta-tools and the library; in full mode also all tools.",
  );
  if (queryCount > 0) {
    const measured = `measured with ${queryCount} searches made from your own tools`;
    note(
      `TASK: tokens that a search and a call through execute add: ${withCommas(tokens)} for the search, ${measured}.`,
    );
  }
  note(`Counted with ${tokenizer}; other models differ by a few percent.`);
}

function titleOf({ profile }: ViewTokens): string {
  return profile === null ? "gateway" : `profile ${profile}`;
}

/** Names to the left, numbers to the right. */
function printNumbers(head: readonly string[], rows: readonly (readonly (string | number)[])[]): void {
  const texts = [head, ...rows.map((row) => row.map(cellOf))];
  const widths = head.map((_, column) => Math.max(...texts.map((row) => row[column]!.length)));
  printTable(
    texts.map((row) => row.map((cell, column) => (column === 0 ? cell : cell.padStart(widths[column]!)))),
  );
}

function cellOf(cell: string | number): string {
  return typeof cell === "number" ? withCommas(cell) : cell;
}
