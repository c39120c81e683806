/** `repertoire calls`: who called what, newest first, or as it happens. */
import { setTimeout as sleep } from "node:timers/promises";
import { shortRunIds } from "../../../app/app.ts";
import type { CallFilter, CallOutcome, CallStore, StoredCall } from "../../../core/trust-store.ts";
import { reserveStdout } from "../../../process/stdout.ts";
import { viewCall } from "../../../operator/call-view.ts";
import type { AnswerOf } from "../../../operator/contract/contract.ts";
import { listCalls } from "../../../operator/calls.ts";
import { cut } from "../../../text/cut.ts";
import { escapeUnprintable } from "../../../text/printable.ts";
import { refuse } from "../../app-call.ts";
import { defineCommand } from "../../command.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { useStore } from "../../store-call.ts";
import { EXIT } from "../../terminal/exit-code.ts";
import { watchSignals } from "../../terminal/signals.ts";
import { failWith, note, print, printJson, printTable, terminalOptions } from "../../terminal/terminal.ts";
import { agoOf } from "../../terminal/wording.ts";
import { durationOf } from "../runs/run-view.ts";
import { limitOption, SINCE_OPTION } from "./list-options.ts";

interface CallsOptions extends GlobalOptions {
  readonly follow?: boolean;
  readonly tool?: string;
  readonly who?: string;
  readonly outcome?: CallOutcome;
  readonly run?: string;
  /** In milliseconds since 1970. */
  readonly since?: number;
  readonly limit: number;
}

const LIMIT_DEFAULT = 50;
const LIMIT_MAX = 10_000;
/** Entries are written every fifth of a second. */
const FOLLOW_MS = 250;
/** How many are read at a time while they come. */
const FOLLOW_PAGE_LENGTH = 500;

export const callsCommand = defineCommand({
  name: "calls",
  group: "operate",
  summary: "Show who called what: tool, effect, the rule that decided, outcome, newest first",
  options: [
    { flags: "--follow", about: "print new calls as they come, oldest first, until Ctrl-C" },
    {
      flags: "--tool <pattern>",
      about: "only tools, nodes, prompts or URIs like this; * matches any characters",
      completes: ["tools"],
    },
    { flags: "--who <pattern>", about: "only callers like this, such as token:ci, local or profile:*" },
    {
      flags: "--outcome <outcome>",
      about: "only calls that ended like this: refused by a rule, or failed for another reason",
      choices: ["ok", "failed", "refused"],
    },
    { flags: "--run <run>", about: "only calls of this run, by its full id", completes: ["runs"] },
    SINCE_OPTION,
    limitOption(LIMIT_DEFAULT, LIMIT_MAX),
  ],
  help: `Every call is in it, made or refused: of clients, code, capabilities and workflows. DECISION is what the rules said and
which rule it was. OUTCOME is ok, tool_error (the tool itself says that it failed), or the code of an error with its
reason.
Of the arguments there is a digest (--json): equal digests are equal arguments. calls.arguments in the config keeps the
arguments as well, without secrets; calls.days says for how long entries are kept.`,
  examples: [
    "repertoire calls",
    'repertoire calls --tool "github__*" --who token:ci --since 2h',
    "repertoire calls --follow --json",
  ],
  run: (options: CallsOptions) =>
    useStore(options, ({ calls }) =>
      options.follow === true ? follow(calls, options) : list(calls, options),
    ),
});

function filterOf({ tool, who, since, outcome, run }: CallsOptions): Omit<CallFilter, "limit"> {
  return {
    ...(outcome !== undefined && { outcome }),
    ...(run !== undefined && { runId: run }),
    ...(tool !== undefined && { tool }),
    ...(who !== undefined && { who }),
    ...(since !== undefined && { since }),
  };
}

/** The person at this machine sees everybody's. */
const EVERYBODY = { owner: undefined, view: undefined };

async function list(calls: CallStore, options: CallsOptions): Promise<number> {
  const { tool, who, since, outcome, run, limit } = options;
  const asked = {
    tool,
    who,
    outcome,
    run,
    limit,
    since: since === undefined ? since : new Date(since).toISOString(),
  };
  const listed = await listCalls({ calls }, EVERYBODY, asked);
  if (!listed.success) return refuse(listed.error, options);
  const { calls: found } = listed.data;
  if (options.json === true) printJson(listed.data);
  else if (found.length === 0) note("The call log has no such calls.");
  else printTable([CALL_HEADING, ...found.map((call) => callRow(call))]);
  return EXIT.ok;
}

/** Ends with a signal, or when nobody reads any more. */
async function follow(calls: CallStore, options: CallsOptions): Promise<number> {
  if (terminalOptions().jq !== undefined)
    return failWith(EXIT.usage, "--jq filters one answer, and --follow has no end.", "Pipe the lines to jq.");
  const ending = new AbortController();
  const { stopped } = watchSignals();
  void stopped.then(() => ending.abort());
  reserveStdout().once("error", () => ending.abort());
  if (options.json !== true) print(callLine(CALL_HEADING));
  let afterId = options.since === undefined ? ((await calls.list({ limit: 1 }))[0]?.id ?? "") : "";
  while (!ending.signal.aborted) {
    const page = await calls.list({ ...filterOf(options), afterId, limit: FOLLOW_PAGE_LENGTH });
    for (const call of page) printCall(call, options);
    afterId = page.at(-1)?.id ?? afterId;
    if (page.length < FOLLOW_PAGE_LENGTH) await sleep(FOLLOW_MS, undefined, ending).catch(() => {});
  }
  // Either a signal came, or the reader has gone.
  return Promise.race([stopped, Promise.resolve(EXIT.ok)]);
}

function printCall(call: StoredCall, { json }: CallsOptions): void {
  const view = viewCall(call);
  if (json === true) print(JSON.stringify(view));
  else print(callLine(callRow(view, timeOfDay(call.at))));
}

/** By the clock of this machine: `14:03:59`. */
function timeOfDay(at: number): string {
  return new Date(at).toTimeString().slice(0, 8);
}

/** As `--json` has it. */
type CallView = AnswerOf<"listCalls">["calls"][number];

const CALL_HEADING = [
  "WHEN",
  "WHO",
  "CLIENT",
  "TOOL",
  "EFFECT",
  "DECISION",
  "OUTCOME",
  "TOOK",
  "BYTES",
  "RUN",
] as const;

/** How wide a column is where the rows to come are not known. */
const WIDTHS = [8, 16, 20, 32, 7, 24, 24, 8, 8, 8] as const;

function callRow(call: CallView, time: string = agoOf(call.at)): string[] {
  const { who, profile, client, tool, effect, decision, rule, outcome, run_id: runId } = call;
  return [
    time,
    profile === null ? who : `${who} (${profile})`,
    client ?? "-",
    tool,
    effect,
    `${decision}: ${rule}`,
    outcome,
    durationOf(call.elapsed_ms),
    String(call.bytes),
    runId === null ? "-" : shortRunIds([runId]).get(runId)!,
  ];
}

/** A line among others that come one by one. */
function callLine(row: readonly string[]): string {
  const cells = row.map((cell, column) => {
    const width = WIDTHS[column]!;
    return cut(escapeUnprintable(cell), width).padEnd(width);
  });
  return cells.join("  ").trimEnd();
}
