import { checkSandbox, openInputsOf } from "../../app/app.ts";
import type { LoadResult } from "../../config/load.ts";
import type { Config } from "../../config/config.ts";
import { locateStore, type StoreLocated } from "../../config/locate-store.ts";
import { locateConfig } from "../../config/locate.ts";
import { messageOf } from "../../core/errors.ts";
import { escapeUnprintable } from "../../text/printable.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import { loadConfigWithInputs } from "../../secrets/inputs.ts";
import { refuse } from "../app-call.ts";
import { askYesNo, canAsk, whyNotAsked } from "../terminal/confirm.ts";
import { shellWord, type Check, type ServerReport } from "./check.ts";
import {
  checkClients,
  checkHome,
  checkNode,
  checkStore,
  describeSandbox,
  checkSecrets,
} from "./machine-checks.ts";
import { checkConfig, checkPrograms, checkServers, checkStarters } from "./config-checks.ts";
import { checkIsolation } from "./isolation-check.ts";
import { planFixes, type Fix } from "./fix.ts";
import { chooseServers, startServers, describeServer } from "./server-checks.ts";
import { EXIT } from "../terminal/exit-code.ts";
import type { GlobalOptions } from "../global-options.ts";
import { green, note, print, printJson, tell, yellow, bold, dim, red } from "../terminal/terminal.ts";
import { thisPlace } from "../place.ts";
import { defineCommand } from "../command.ts";

interface DoctorOptions extends GlobalOptions {
  /** `true` for all of them. */
  readonly servers?: true | readonly string[];
  readonly fix?: boolean;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

export const doctorCommand = defineCommand({
  name: "doctor",
  group: "operate",
  summary: "Check that everything works, and print the command that fixes each problem",
  options: [
    {
      flags: "--servers [names...]",
      about: "Also start the servers, or those named, and check what they offer",
      completes: ["servers"],
    },
    {
      flags: "--fix",
      about:
        "Fix what has one safe fix: file modes, left-over files, small mistakes in the config; then check again",
    },
    { flags: "--yes", about: "With --fix: change the config without asking" },
    { flags: "--dry-run", about: "With --fix: show what would be fixed, and change nothing" },
  ],
  examples: [
    "repertoire doctor",
    "repertoire doctor --fix",
    "repertoire doctor --fix --dry-run",
    "repertoire doctor --servers",
    "repertoire doctor --servers github files",
    "repertoire doctor --json | jq '.checks[] | select(.state == \"failed\")'",
  ],
  run: doctor,
});

async function doctor(options: DoctorOptions): Promise<number> {
  const fixes = options.fix === true ? await repair(options, planFixes(options)) : undefined;
  if (fixes?.success === false) return refuse(fixes.error, options);
  const checks = await examine(options);
  const hasFailed = checks.some((check) => check.state === "failed");
  if (options.json === true)
    printJson({ ok: !hasFailed, ...(fixes !== undefined && { fixes: fixes.data }), checks });
  else for (const line of renderChecks(checks)) print(line);
  return hasFailed ? EXIT.failed : EXIT.ok;
}

/** What was repaired, and how to take it back. */
interface Repair {
  readonly what: string;
  readonly undo?: string;
  /** False for what would be done, and for what a person did not want. */
  readonly done: boolean;
}

async function repair({ yes, dryRun }: DoctorOptions, fixes: readonly Fix[]): Promise<ToolResult<Repair[]>> {
  const isAsked = ({ diff }: Fix): boolean => diff !== undefined && yes !== true && dryRun !== true;
  if (fixes.some(isAsked) && !canAsk()) {
    const message = `Nothing was fixed: the config would be changed, and ${whyNotAsked()}.`;
    const hint = "Check the change with --dry-run, then give --yes.";
    return fail("TOOL_INVALID_INPUT", message, { field: "yes", hint });
  }
  const repairs: Repair[] = [];
  for (const fix of fixes) {
    if (fix.diff !== undefined && yes !== true)
      for (const line of fix.diff.split("\n")) tell(escapeUnprintable(line));
    const done = dryRun !== true && (!isAsked(fix) || (await askYesNo("Write this change?")));
    if (done) await fix.apply();
    const { what, undo } = fix;
    repairs.push({ what, ...(undo !== undefined && { undo }), done });
    const mark = done ? green("fixed") : yellow(dryRun === true ? "would fix" : "skipped");
    note(
      `${mark} ${escapeUnprintable(what)}${undo === undefined || !done ? "" : `. To undo: ${escapeUnprintable(undo)}`}`,
    );
  }
  if (fixes.length === 0) note("There is nothing that --fix can fix.");
  return succeed(repairs);
}

export async function examine(options: DoctorOptions): Promise<Check[]> {
  const { home } = locateConfig({ configPath: options.config, home: options.home });
  const place = await locateStore({ configPath: options.config, home: options.home });
  const isShared = place.ok && place.store.url !== undefined;
  const homeCheck = checkHome(home, !isShared);
  const machine = [checkNode(), homeCheck, ...(await examineStore(options, place, homeCheck))];
  const secrets = await attempt("secrets", home, () => checkSecrets(home, options));
  let loaded: LoadResult | undefined;
  const config = await attempt("config", home, async () => {
    const inputs = place.ok ? openInputsOf(place) : undefined;
    loaded = await loadConfigWithInputs({ configPath: options.config, home: options.home }, inputs);
    const found = [
      ...checkConfig(loaded, options),
      ...checkServers(loaded, options),
      ...(await checkStarters(loaded)),
    ];
    return loaded.ok && isShared ? [...found, ...(await examineReplica(loaded.config))] : found;
  });
  const clients = checkClients(thisPlace(), options);
  const before = [...machine, ...config, ...secrets, ...clients, describeSandbox(await checkSandbox())];
  if (loaded?.ok !== true) return before;
  const programs = [...(await checkIsolation(loaded.config, options)), ...checkPrograms(loaded, options)];
  const isReady = [...machine, ...config].every((check) => check.state !== "failed");
  if (options.servers === undefined || !isReady) return [...before, ...programs];
  const names = options.servers === true ? [] : options.servers;
  const { ids, unknown } = chooseServers(loaded.config.servers, names, options);
  const started = await attempt("server", home, () => startServers(ids, options));
  // A server that was started is reported once, with its result.
  const others = programs.filter(({ server }) => server !== undefined && !ids.includes(server.id));
  return [...before, ...others, ...unknown, ...started];
}

/** Where the config does not say where the store is, the config's own checks say what is wrong. */
async function examineStore(options: GlobalOptions, place: StoreLocated, home: Check): Promise<Check[]> {
  if (!place.ok) return [];
  if (place.store.url === undefined) return home.state === "failed" ? [] : [await checkStore(place)];
  const { examineDatabase } = await import("./examine-database.ts");
  return examineDatabase(place, options);
}

async function examineReplica(config: Config): Promise<Check[]> {
  const { examineReplica: examineOwn } = await import("./examine-database.ts");
  return examineOwn(config);
}

async function attempt(
  name: "secrets" | "config" | "server",
  home: string,
  work: () => Promise<Check[]>,
): Promise<Check[]> {
  try {
    return await work();
  } catch (error) {
    const cure = `ls -la ${shellWord(home)}`;
    return [{ name, state: "failed", message: messageOf(error), cure }];
  }
}

const MARKS = { ok: green("✓"), warning: yellow("!"), failed: red("✗") } as const;
const NAME_WIDTH = 8;
const INDENT = " ".repeat(NAME_WIDTH + 3);
/** Enough to see what is going on; `--json` has them all. */
const FINDINGS_SHOWN_MAX = 3;
const STDERR_LINES_SHOWN_MAX = 5;

/** The report for people: one line for each check, servers in columns, and what else there is to say indented below. */
export function renderChecks(checks: readonly Check[]): string[] {
  const reports = checks.flatMap(({ server }) => server ?? []);
  const idWidth = Math.max(0, ...reports.map(({ id }) => escapeUnprintable(id).length));
  const widths = widthsOf(checks.filter(isUp).map(({ server }) => describeServer(server!)));
  return checks.flatMap((check) => [
    lineOf(check, idWidth, widths),
    ...detailsOf(check).map((line) => `${INDENT}${line}`),
  ]);
}

function lineOf(check: Check, idWidth: number, widths: readonly number[]): string {
  const { name, state, cure, server } = check;
  const head = `${MARKS[state]} ${name.padEnd(NAME_WIDTH)} `;
  const id = server === undefined ? "" : `${escapeUnprintable(server.id).padEnd(idWidth)}  `;
  const message = isUp(check) ? inColumns(describeServer(server!), widths) : escapeUnprintable(check.message);
  return `${head}${id}${message}${cure === undefined ? "" : `  → ${bold(escapeUnprintable(cure))}`}`;
}

function isUp({ server, state }: Check): boolean {
  return server?.era !== undefined && state !== "failed";
}

function widthsOf(rows: readonly (readonly string[])[]): number[] {
  return (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
}

function inColumns(cells: readonly string[], widths: readonly number[]): string {
  return cells
    .map((cell, column) => escapeUnprintable(cell).padEnd(widths[column]!))
    .join("  ")
    .trimEnd();
}

function detailsOf({ advice, server }: Check): string[] {
  return [
    ...(server === undefined ? [] : serverDetailsOf(server)),
    ...(advice === undefined ? [] : [escapeUnprintable(advice)]),
  ];
}

function serverDetailsOf({ rejected, findings, stderr = [] }: ServerReport): string[] {
  const [first] = rejected;
  const shown = findings.slice(0, FINDINGS_SHOWN_MAX);
  const more = findings.length - shown.length;
  return [
    ...stderr.slice(-STDERR_LINES_SHOWN_MAX).map((line) => dim(`│ ${escapeUnprintable(line)}`)),
    ...shown.map(({ kind, tool, message, excerpt }) =>
      yellow(escapeUnprintable(`warning: ${kind} ${tool}: ${message}: ${excerpt}`)),
    ),
    ...(more > 0 ? [yellow(`and ${more} more`)] : []),
    ...(first === undefined ? [] : [escapeUnprintable(describeRejected(rejected.length, first))]),
  ];
}

function describeRejected(
  count: number,
  { kind, name, code, reason }: ServerReport["rejected"][number],
): string {
  const more = count === 1 ? "" : ` (and ${count - 1} more)`;
  return `${count} rejected: ${kind} ${name} (${code}): ${reason}${more}`;
}
