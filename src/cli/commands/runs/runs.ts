import { agoOf } from "../../terminal/wording.ts";
import { InvalidArgumentError } from "commander";
import { shortRunIds } from "../../../app/app.ts";
import type { ToolResult } from "../../../core/result.ts";
import { RUN_KINDS, RUN_STATUSES } from "../../../operator/contract/runs.ts";
import { listRuns } from "../../../operator/runs/list-runs.ts";
import type { RunView } from "../../../operator/runs/run-view.ts";
import { useApp, type Operator } from "../../app-call.ts";
import { durationOf, paintStatus, statusOf, timeOf } from "./run-view.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { note, printTable } from "../../terminal/terminal.ts";
import { defineCommand } from "../../command.ts";

interface RunsOptions extends GlobalOptions {
  readonly status?: string;
  readonly kind?: string;
  readonly tool?: string;
  readonly text?: string;
  readonly since?: string;
  readonly limit: number;
  readonly all?: boolean;
  readonly background?: boolean;
  readonly time: (typeof TIMES)[number];
}

const TIMES = ["relative", "iso"] as const;
/** On a narrower terminal what ran is worth more than its kind. */
const WIDE_COLUMNS = 100;

const LIMIT_DEFAULT = 20;
/** What `--all` shows; more is no longer a list to read. */
const LIMIT_MAX = 1_000;

interface Listed {
  readonly runs: readonly RunView[];
}

export const runsCommand = defineCommand({
  name: "runs",
  group: "runs",
  summary: "List runs, newest first",
  options: [
    { flags: "--status <status>", about: "only runs with this status", choices: RUN_STATUSES },
    { flags: "--kind <kind>", about: "only runs of this kind", choices: RUN_KINDS },
    {
      flags: "--tool <pattern>",
      about: "only runs with a step of such a tool; * matches any characters",
      completes: ["tools"],
    },
    { flags: "--text <words>", about: "only runs with these words in the intent, the source or the name" },
    { flags: "--since <time>", about: "only since this time: 30m, 2h, 7d, or a date such as 2026-03-01" },
    {
      flags: "--limit <n>",
      about: `show at most this many, up to ${LIMIT_MAX}`,
      parse: parseLimit,
      default: LIMIT_DEFAULT,
    },
    { flags: "--background", about: "only background runs" },
    { flags: "--all", about: `up to ${LIMIT_MAX}` },
    { flags: "--time <form>", about: "the format of times", choices: TIMES, default: "relative" },
  ],
  help: `The id that is shown is the end of the full id (--json has the full one). show, resume and approve take any start or
end of an id that only one run has.`,
  examples: ["repertoire runs", "repertoire runs --status paused", "repertoire runs --all --json"],
  run: (options: RunsOptions) =>
    useApp(options, (_app, operator) => list(operator, options), { show: (listed) => show(listed, options) }),
});

function parseLimit(written: string): number {
  const limit = Number(written);
  if (Number.isSafeInteger(limit) && limit >= 1 && limit <= LIMIT_MAX) return limit;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${LIMIT_MAX}.`);
}

/** As the API has them: what it is asked there are options here. */
function list({ deps, viewer }: Operator, options: RunsOptions): Promise<ToolResult<Listed>> {
  const { status, kind, tool, text, since, limit, all, background } = options;
  const page = { limit: all === true ? LIMIT_MAX : limit };
  const mode = background === true ? { mode: "background" as const } : {};
  return listRuns(deps, viewer, { status, kind, tool, text, since, ...mode }, page);
}

function show({ runs }: Listed, options: RunsOptions): void {
  const { status, kind, tool, text, since, time, background } = options;
  if (runs.length === 0) {
    const isNarrowed = [kind, tool, text, since, background].some((option) => option !== undefined);
    const all = status === undefined ? "Nothing has run yet." : `No run is ${status}.`;
    note(isNarrowed ? "There is no such run." : all);
    return;
  }
  const isWide = !process.stdout.isTTY || process.stdout.columns >= WIDE_COLUMNS;
  const shortIds = shortRunIds(
    runs.flatMap(({ run_id: id, resumed_by: next }) => [id, ...(next === undefined ? [] : [next])]),
  );
  const rows = runs.map((run) => [
    shortIds.get(run.run_id)!,
    statusOf(run),
    time === "iso" ? timeOf(run.started_at) : agoOf(run.started_at),
    durationOf(run.elapsed_ms),
    ...(isWide ? [run.kind] : []),
    whatOf(run, shortIds),
  ]);
  const heading = ["RUN", "STATUS", "STARTED", "TOOK", ...(isWide ? ["KIND"] : []), "WHAT"];
  printTable([heading, ...rows], {
    column: 1,
    paint: (cell) => (isHeading(cell) ? cell : paintStatus(cell)),
  });
}

function whatOf(
  { intent, name, mode, resumed_by: next }: RunView,
  shortIds: ReadonlyMap<string, string>,
): string {
  const what = intent ?? name;
  return [
    ...(what === undefined ? [] : [what]),
    ...(mode === undefined ? [] : [`(${mode})`]),
    ...(next === undefined ? [] : [`(continued as ${shortIds.get(next)})`]),
  ].join(" ");
}

function isHeading(cell: string): boolean {
  return cell.trim() === "STATUS";
}
