/** `repertoire stats`: what the gateway was used for, and what it spared. */
import type { AnswerOf } from "../../../operator/contract/contract.ts";
import { DAYS_MAX } from "../../../operator/contract/stats.ts";
import { testLibrary } from "../../../operator/library-check.ts";
import { getStats } from "../../../operator/stats.ts";
import { useApp } from "../../app-call.ts";
import { defineCommand } from "../../command.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { dim, note, print, printTable } from "../../terminal/terminal.ts";
import { agoOf, countOf, withCommas } from "../../terminal/wording.ts";
import { parseCount } from "./list-options.ts";

type Stats = AnswerOf<"getStats">;

interface StatsOptions extends GlobalOptions {
  readonly days: number;
  readonly test?: boolean;
}

export const statsCommand = defineCommand({
  name: "stats",
  group: "operate",
  summary: "Show what the gateway was used for, how much came from the library, and what it spared in tokens",
  options: [
    {
      flags: "--days <n>",
      about: `look back so many days, up to ${DAYS_MAX}`,
      parse: (written: string) => parseCount(written, DAYS_MAX),
      default: 28,
    },
    { flags: "--test", about: "First replay the examples of the library offline, as `repertoire test` does" },
  ],
  help: `Weeks are ISO weeks in UTC; the first and the last are cut. Plain calls are in the call log, which has no scope and
is kept as long as calls.days says. Only what a client started spares tokens: what a person runs here or in the console
does not count there. No server is started.`,
  examples: ["repertoire stats", "repertoire stats --days 7 --json | jq .tokens", "repertoire stats --test"],
  run: (options: StatsOptions) => stats(options),
});

function stats(options: StatsOptions): Promise<number> {
  return useApp(
    options,
    async (_app, { deps, viewer }) => {
      const tested = options.test === true ? await testLibrary(deps, viewer, viewer.context) : undefined;
      return tested?.success === false ? tested : getStats(deps, viewer, options);
    },
    { show, progress: options.test === true ? "replaying the examples" : "counting" },
  );
}

const LABEL_WIDTH = 10;

function line(label: string, text: string): void {
  print(`${dim(label.padEnd(LABEL_WIDTH))} ${text}`);
}

function show({ days, from, executions, reuse, tests, tokens, hint }: Stats): void {
  line("time", `${countOf(days, "day")}, since ${from.slice(0, 10)}`);
  line("executions", executionsText(executions));
  line("library", libraryText(executions));
  if (tests !== undefined) line("tests", testsText(tests));
  line("tokens", tokensText(tokens));
  printTable([
    ["WEEK", "FROM", "USES", "TOOLS", "NEW"],
    ...reuse.weeks.map(({ week, from: begin, uses, tools, saved }) => {
      return [
        week,
        begin.slice(0, 10),
        String(uses),
        String(tools),
        saved === undefined ? "-" : String(saved),
      ];
    }),
  ]);
  note(dim(tokens.how));
  if (hint !== undefined) note(hint);
}

function executionsText({
  total,
  code,
  kept,
  workflows,
  calls,
  calls_since: since,
}: Stats["executions"]): string {
  const logged = since === null ? "plain calls are not logged" : countOf(calls, "plain call");
  const runs = `${code} of code, ${kept} of kept tools, ${countOf(workflows, "workflow")}`;
  return `${withCommas(total)}: ${runs}, ${logged}`;
}

function libraryText({ library_share: share, library_share_of_runs: ofRuns }: Stats["executions"]): string {
  if (share === null) return "no executions";
  return `${percent(share)} of executions came from the library, ${ofRuns === null ? "of no runs" : `${percent(ofRuns)} of runs`}`;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

function testsText({
  saved,
  with_example: replayable,
  last_check: last,
}: NonNullable<Stats["tests"]>): string {
  const known = `${saved} kept, ${replayable} with an example`;
  if (last === null) return `${known}; not checked yet: repertoire test`;
  const { at, passed, failed, skipped } = last;
  return `${known}; checked ${agoOf(at)}: ${passed} passed, ${failed} failed, ${skipped} skipped`;
}

function tokensText({ not_sent: notSent, definitions, results }: Stats["tokens"]): string {
  const ofResults = `${withCommas(results.not_sent)} of results (${countOf(results.calls, "call")} in ${countOf(results.runs, "run")})`;
  if (definitions === null || notSent === null)
    return `about ${ofResults} not sent; definitions are not counted`;
  const { conversations, not_sent: ofDefinitions } = definitions;
  return `about ${withCommas(notSent)} not sent: ${withCommas(ofDefinitions)} of definitions (${countOf(conversations, "conversation")}), ${ofResults}`;
}
