/** `repertoire schedules`: what runs by itself and when, and what other systems can start. */
import type { App } from "../../../app/app.ts";
import { succeed } from "../../../core/result.ts";
import { useApp } from "../../app-call.ts";
import { defineCommand } from "../../command.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { note, printTable, red } from "../../terminal/terminal.ts";
import { agoOf } from "../../terminal/wording.ts";

export const schedulesCommand = defineCommand({
  name: "schedules",
  group: "operate",
  summary: "List the schedules and webhooks of the config: next time, last run, problems",
  help: `A schedule with a problem does not run; the others do. A time at which no gateway served is not made up for.`,
  examples: ["repertoire schedules", "repertoire schedules --json"],
  run: (options: GlobalOptions) =>
    useApp(options, async (app) => succeed({ starters: await app.listStarters() }), { show }),
});

interface Listed {
  readonly starters: Awaited<ReturnType<App["listStarters"]>>;
}

function show({ starters }: Listed): void {
  if (starters.length === 0) return note("The config has no schedules and no hooks.");
  const rows = starters.map(({ kind, name, tool, when, next, last, problem, enabled }) => [
    name,
    kind,
    tool,
    when,
    enabled ? (next ?? "-") : "off",
    last === undefined ? "-" : `${last.status} ${agoOf(last.started_at)}`,
    problem === undefined ? "" : red(problem),
  ]);
  printTable([["NAME", "KIND", "TOOL", "WHEN", "NEXT", "LAST RUN", "PROBLEM"], ...rows]);
}
