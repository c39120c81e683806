/** `repertoire migrate`: brings the store up to date, or moves a home to PostgreSQL. */
import type { Moved, StoreMoved } from "../../../app/store/move-store.ts";
import type { StoreUpdated } from "../../../app/store/update-store.ts";
import { findDatabaseUrlProblem } from "../../../config/store.ts";
import { loadConfig } from "../../../config/load.ts";
import { locateConfig } from "../../../config/locate.ts";
import { DEFAULT_SCOPE, type Scope } from "../../../core/names.ts";
import { fail, type ToolResult } from "../../../core/result.ts";
import { placeOfDatabase } from "../../../text/database-place.ts";
import { refuse } from "../../app-call.ts";
import { defineCommand } from "../../command.ts";
import { commandLine } from "../../command-line.ts";
import { beginDryRun, endDryRun, type DryRunOptions } from "../../dry-run.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { storePlaceOf } from "../../store-call.ts";
import { EXIT } from "../../terminal/exit-code.ts";
import { withProgress } from "../../terminal/progress-line.ts";
import { green, note, printJson, tell, yellow } from "../../terminal/terminal.ts";
import { countOf, withCommas } from "../../terminal/wording.ts";

interface MigrateOptions extends DryRunOptions {
  readonly to?: string;
}

export const migrateCommand = defineCommand({
  name: "migrate",
  group: "operate",
  summary: "Bring the store up to date, or copy a home into a PostgreSQL database",
  options: [
    {
      flags: "--to <url>",
      about: "copy everything of the home into this empty database, such as postgres://user@host/database",
    },
  ],
  help: `Without --to: makes or updates the tables of the configured store. A gateway does the same when it starts; before a
rolling upgrade, run it once. Gateways of the version before go on working meanwhile. With --to: copies the database
of the home in one transaction, then tokens, drafts and stored secrets. The home stays as it is. It refuses a database
with rows, and a home that a gateway serves. Secrets need REPERTOIRE_SECRET_KEY.`,
  examples: [
    "repertoire migrate",
    'repertoire migrate --to "$REPERTOIRE_DATABASE_URL" --dry-run',
    'repertoire migrate --to "$REPERTOIRE_DATABASE_URL"',
  ],
  dryRun: "own",
  async run(options: MigrateOptions) {
    const isDry = options.dryRun === true;
    if (isDry) beginDryRun();
    const exitCode = await (options.to === undefined ? update(options) : move(options.to, options));
    return isDry ? endDryRun(exitCode) : exitCode;
  },
});

async function update(options: MigrateOptions): Promise<number> {
  const { updateStore } = await import("../../../app/store/update-store.ts");
  const updated = await updateStore(await storePlaceOf(options), options.dryRun);
  if (options.json === true) printJson(updated);
  else note(describeUpdate(updated));
  return EXIT.ok;
}

function describeUpdate({ place, from, to }: StoreUpdated): string {
  if (from === null) return `${green("made")} ${place}, schema version ${to}.`;
  if (from === to) return `${place} is up to date: schema version ${to}.`;
  return `${green("migrated")} ${place} from schema version ${from} to ${to}.`;
}

/** Longer than a person waits for a mistake in the address, and shorter than a gateway waits for its database. */
const WAIT_MS = 10_000;

async function move(url: string, options: MigrateOptions): Promise<number> {
  const problem = findDatabaseUrlProblem(url);
  if (problem !== undefined) {
    const { message, hint } = problem;
    return refuse(
      fail("TOOL_INVALID_INPUT", `--to ${message}.`, { field: "to", ...(hint !== undefined && { hint }) })
        .error,
      options,
    );
  }
  const { home } = locateConfig({ configPath: options.config, home: options.home });
  const { moveStore } = await import("../../../app/store/move-store.ts");
  const moved = await withProgress("copying", (line) =>
    moveStore({
      home,
      url,
      waitMs: WAIT_MS,
      scope: scopeOf(options),
      isDry: options.dryRun === true,
      progress: (table, count) => line.show(`copying ${table}: ${withCommas(count)}`),
    }),
  );
  if (moved.kind !== "moved") return refuse(refusalOf(moved, home, url), options);
  if (options.json === true) printJson(viewOf(moved, home, options.dryRun === true));
  else showMoved(moved, home, options);
  return moved.auditBreak === undefined ? EXIT.ok : EXIT.failed;
}

/** Of a config that cannot be read, what it would be without one. */
function scopeOf(options: GlobalOptions): Scope {
  const loaded = loadConfig({ configPath: options.config, home: options.home });
  return loaded.ok ? loaded.config.scope : DEFAULT_SCOPE;
}

function refusalOf(moved: Exclude<StoreMoved, Moved>, home: string, url: string) {
  const { message, hint } = describeRefusal(moved, home, placeOfDatabase(url));
  const refused: ToolResult<never> = fail("TOOL_EXECUTION_FAILED", message, { reason: moved.kind, hint });
  return refused.error;
}

function describeRefusal(
  moved: Exclude<StoreMoved, Moved>,
  home: string,
  place: string,
): { readonly message: string; readonly hint: string } {
  switch (moved.kind) {
    case "no_store":
      return {
        message: `There is no database to copy: ${moved.path} does not exist.`,
        hint: "Name the home with --home. For a new database without anything, run: repertoire migrate",
      };
    case "in_use":
      return {
        message: `A gateway serves ${home} (process ${moved.pids.join(", ")}): what it writes meanwhile would be lost.`,
        hint: "Stop it, then run this again.",
      };
    case "not_empty":
      return {
        message: `${place} is not empty: its table ${moved.table} has rows. Nothing was copied.`,
        hint: "Name an empty database: create one, or drop and create this one if nothing in it is needed.",
      };
    case "nul": {
      const rows = moved.rows.map(({ table, column, row }) => `${table}.${column} (${row})`);
      return {
        message: `PostgreSQL keeps no NUL characters, and these texts have one: ${rows.join("; ")}. Nothing was copied.`,
        hint: "Remove these rows, or the characters, from a copy of the home, and name that with --home.",
      };
    }
    case "miscounted":
      return {
        message: `The table ${moved.table} has ${moved.found} rows after copying and should have ${moved.expected}. Nothing was copied.`,
        hint: "Something else writes to the database: stop it, then run this again.",
      };
  }
}

function viewOf(moved: Moved, home: string, isDry: boolean) {
  const { auditBreak } = moved;
  return {
    from: home,
    to: moved.place,
    rows: moved.rows,
    tokens: moved.tokenCount,
    drafts: moved.draftCount,
    secrets: moved.secretCount,
    left_secrets: moved.leftSecrets.map(({ name }) => name),
    // The trail is followed in the database that it was copied to.
    ...(!isDry && {
      audit: auditBreak === undefined ? { whole: true } : { whole: false, broken_at: auditBreak },
    }),
  };
}

function showMoved(moved: Moved, home: string, options: MigrateOptions): void {
  const rowCount = Object.values(moved.rows).reduce((sum, count) => sum + count, 0);
  const files = [
    countOf(moved.tokenCount, "token"),
    countOf(moved.draftCount, "draft"),
    countOf(moved.secretCount, "secret"),
  ];
  note(`${green("copied")} ${withCommas(rowCount)} rows, ${files.join(", ")} to ${moved.place}.`);
  if (moved.auditBreak !== undefined)
    tell(
      `${yellow("warning")} the audit trail is broken at entry ${moved.auditBreak}, as it may have been before.`,
    );
  const noKey = moved.leftSecrets.filter(({ why }) => why === "no_key").length;
  if (noKey > 0)
    tell(
      `${yellow("warning")} ${countOf(noKey, "stored secret")} left in the home: they need REPERTOIRE_SECRET_KEY. ` +
        "Set them again with: repertoire input set, repertoire login",
    );
  const unreadable = moved.leftSecrets.filter(({ why }) => why === "unreadable").map(({ name }) => name);
  if (unreadable.length > 0)
    tell(`${yellow("warning")} not readable here, and left in the home: ${unreadable.join(", ")}`);
  if (options.dryRun === true) return;
  note(
    `${home} is as it was. To use the database from now on, set REPERTOIRE_DATABASE_URL to it where the gateway starts,`,
  );
  note(`or store.url in the config; then check with: ${commandLine(["doctor"], options)}`);
}
