import { agoOf } from "../../terminal/wording.ts";
import { InvalidArgumentError } from "commander";
import { shortRunIds, type App } from "../../../app/app.ts";
import { displayNameOf } from "../../../core/names.ts";
import { succeed, type ToolResult } from "../../../core/result.ts";
import { useApp } from "../../app-call.ts";
import { durationOf, paintStatus, RUN_STATUSES, statusOf, timeOf, type RunView } from "./run-view.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { note, printTable } from "../../terminal/terminal.ts";
import { defineCommand } from "../../command.ts";

interface RunsOptions extends GlobalOptions {
  readonly status?: string;
  readonly limit: number;
  readonly all?: boolean;
  readonly time: (typeof TIMES)[number];
}

const TIMES = ["relative", "iso"] as const;
/** On a narrower terminal what ran is worth more than its kind. */
const WIDE_COLUMNS = 100;

const LIMIT_DEFAULT = 20;
/** What `--all` shows; more is no longer a list to read. */
const LIMIT_MAX = 1_000;
/** How many are read at a time where only some of them are shown. */
const PAGE_LENGTH = 200;

interface Listed {
  readonly runs: readonly NamedRun[];
}

interface NamedRun extends RunView {
  /** What was kept and ran, or the first words of what ran, where it has no intent of its own. */
  readonly name?: string;
  /** The run that goes on from it. */
  readonly resumed_by?: string;
}

export const runsCommand = defineCommand({
  name: "runs",
  group: "runs",
  summary: "List runs, newest first",
  options: [
    { flags: "--status <status>", about: "only runs with this status", choices: RUN_STATUSES },
    {
      flags: "--limit <n>",
      about: `show at most this many, up to ${LIMIT_MAX}`,
      parse: parseLimit,
      default: LIMIT_DEFAULT,
    },
    { flags: "--all", about: `up to ${LIMIT_MAX}` },
    { flags: "--time <form>", about: "the format of times", choices: TIMES, default: "relative" },
  ],
  help: `The id that is shown is the end of the full id (--json has the full one). show, resume and approve take any start or
end of an id that only one run has.`,
  examples: ["repertoire runs", "repertoire runs --status paused", "repertoire runs --all --json"],
  run: (options: RunsOptions) =>
    useApp(options, (app) => list(app, options), { show: (listed) => show(listed, options) }),
});

function parseLimit(written: string): number {
  const limit = Number(written);
  if (Number.isSafeInteger(limit) && limit >= 1 && limit <= LIMIT_MAX) return limit;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${LIMIT_MAX}.`);
}

async function list(app: App, { status, limit, all }: RunsOptions): Promise<ToolResult<Listed>> {
  const countMax = all === true ? LIMIT_MAX : limit;
  const runs: NamedRun[] = [];
  // Newest first: whatever goes on from a run comes before it.
  const successors = new Map<string, string>();
  let beforeId: string | undefined;
  while (runs.length < countMax) {
    const page = (await app.traces.list(PAGE_LENGTH, beforeId)) as unknown as RunView[];
    for (const { run_id: id, resumed_from: from } of page) if (from !== undefined) successors.set(from, id);
    const chosen = page.filter((run) => status === undefined || run.status === status);
    for (const run of chosen.slice(0, countMax - runs.length)) {
      const next = successors.get(run.run_id);
      runs.push({ ...(await named(app, run)), ...(next !== undefined && { resumed_by: next }) });
    }
    beforeId = page.at(-1)?.run_id;
    if (page.length < PAGE_LENGTH) break;
  }
  return succeed({ runs });
}

async function named({ store, traces }: App, run: RunView): Promise<NamedRun> {
  if (run.intent !== null) return run;
  if (run.kind !== "capability") {
    const title = await traces.title(run.run_id);
    return title === undefined ? run : { ...run, name: title };
  }
  const id = (await store.runs.find(run.run_id))?.capabilityId;
  const capability = typeof id === "string" ? await store.capabilities.get(id) : undefined;
  return capability === undefined ? run : { ...run, name: displayNameOf(capability) };
}

function show({ runs }: Listed, { status, time }: RunsOptions): void {
  if (runs.length === 0) {
    note(status === undefined ? "Nothing has run yet." : `No run is ${status}.`);
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

function whatOf({ intent, name, resumed_by: next }: NamedRun, shortIds: ReadonlyMap<string, string>): string {
  const what = intent ?? name;
  return [
    ...(what === undefined ? [] : [what]),
    ...(next === undefined ? [] : [`(continued as ${shortIds.get(next)})`]),
  ].join(" ");
}

function isHeading(cell: string): boolean {
  return cell.trim() === "STATUS";
}
