/**
 * `repertoire doctor`: looks at everything that the gateway needs, changes nothing, and ends each red line with the command that
 * cures it. A check that throws is a red line, not the end of the report.
 */
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { checkSandbox, openStore, type SandboxCheck, type ServerView } from "../app.ts";
import type { LoadResult } from "../config/load.ts";
import { locateConfig } from "../config/locate.ts";
import { formatProblem } from "../config/problem.ts";
import { messageOf, RepertoireError } from "../core/errors.ts";
import { escapeUnprintable } from "../core/printable.ts";
import { loadConfigWithInputs } from "../inputs.ts";
import { countOf } from "./config.ts";
import { EXIT } from "./exit-code.ts";
import type { Finish } from "./program.ts";
import { globalOptionsOf, openSession, type GlobalOptions } from "./session.ts";
import { bold, green, print, printJson, red, yellow } from "./terminal.ts";

interface Check {
  readonly name: string;
  readonly state: "ok" | "warning" | "failed";
  readonly message: string;
  /** The command that cures it. */
  readonly cure?: string;
}

export function addDoctor(program: Command, finish: Finish): void {
  program
    .command("doctor")
    .description("Check that everything is in order, and say what cures what is not")
    .option("--servers", "Start each server as well, and ask what it offers")
    .addHelpText(
      "after",
      "\nExamples:\n  $ repertoire doctor\n  $ repertoire doctor --json | jq '.checks[] | select(.state == \"failed\")'",
    )
    .action(async (_options: unknown, command: Command) => {
      const options = { ...globalOptionsOf(command), ...command.opts<DoctorOptions>() };
      const checks = await examine(options);
      const failed = checks.some((check) => check.state === "failed");
      if (options.json === true) printJson({ ok: !failed, checks });
      else for (const check of checks) showCheck(check);
      finish(failed ? EXIT.failed : EXIT.ok);
    });
}

interface DoctorOptions extends GlobalOptions {
  readonly servers?: boolean;
}

async function examine(options: DoctorOptions): Promise<Check[]> {
  const { home } = locateConfig({ configPath: options.config, home: options.home });
  const loaded = await loadConfigWithInputs({ configPath: options.config, home: options.home });
  const homeCheck = checkHome(home);
  const storeCheck = homeCheck.state === "failed" ? [] : [await checkStore(home)];
  const checks = [
    checkNode(),
    homeCheck,
    ...storeCheck,
    ...checkConfig(loaded, options),
    ...checkServers(loaded),
    sandboxLine(await checkSandbox()),
  ];
  const isWell = checks.every((check) => check.state !== "failed");
  return options.servers === true && isWell ? [...checks, ...(await startServers(options))] : checks;
}

/** Needs everything else to be in order, for it opens the gateway. */
async function startServers(options: GlobalOptions): Promise<Check[]> {
  const session = await openSession(options, "silent");
  try {
    const views = await session.app.viewServers(true);
    return views.filter((view) => view.state !== "disabled").map(checkServer);
  } finally {
    await session.close();
  }
}

function checkServer(view: ServerView): Check {
  const name = "server";
  if (view.state === "untrusted") {
    return { name, state: "warning", message: `${view.id} is not trusted yet`, cure: "repertoire trust" };
  }
  if (view.missingInputs !== undefined) {
    const message = `${view.id} needs an input: ${view.missingInputs.join(", ")}`;
    const cure = view.missingInputs.map((input) => `repertoire input set ${input}`).join("; ");
    return { name, state: "warning", message, cure };
  }
  if (view.state === "failed") {
    const said = view.stderr?.length ? ` (it said: ${view.stderr.slice(-3).join(" | ")})` : "";
    const message = `${view.id}: ${view.error ?? "it does not answer"}${said}`;
    return { name, state: "failed", message, cure: `repertoire disable ${shellWord(view.id)}` };
  }
  const rejected = view.rejected.length === 0 ? "" : `, ${view.rejected.length} entries left out`;
  const [finding] = view.findings;
  if (finding !== undefined) {
    const more = view.findings.length === 1 ? "" : ` (and ${view.findings.length - 1} more)`;
    const message = `${view.id}: ${finding.kind} ${finding.tool}: ${finding.message}: ${finding.excerpt}${more}`;
    return { name, state: "warning", message, cure: "repertoire servers --json" };
  }
  const message = `${view.id}: ${view.era}, ${countOf(view.toolCount ?? 0, "tool")}${rejected}, up in ${Math.round(view.connectMs ?? 0)} ms`;
  return { name, state: "ok", message };
}

function checkNode(): Check {
  return {
    name: "node",
    state: "ok",
    message: `${process.version}, SQLite ${process.versions["sqlite"] ?? "unknown"}`,
  };
}

function sandboxLine({ problem, typesProblem, hasNetworkFence, startMs }: SandboxCheck): Check {
  const name = "sandbox";
  const cure = "npm install --global --include=optional repertoire@latest";
  if (problem !== undefined) return { name, state: "failed", message: `code does not run: ${problem}`, cure };
  const network = hasNetworkFence ? "without a network" : "without a namespace of its own for the network";
  const runs = `code runs, up in ${Math.round(startMs)} ms, ${network}`;
  if (typesProblem !== undefined)
    return { name, state: "warning", message: `${runs}. ${typesProblem}`, cure };
  return { name, state: "ok", message: `${runs}, its types are checked` };
}

function checkHome(home: string): Check {
  const name = "home";
  const stat = statSync(home, { throwIfNoEntry: false });
  if (stat === undefined) return { name, state: "ok", message: `${home} will be made on first use` };
  if (!stat.isDirectory()) {
    const cure = `mv ${shellWord(home)} ${shellWord(`${home}.old`)}`;
    return { name, state: "failed", message: `${home} is not a folder`, cure };
  }
  if (process.platform === "win32" || (stat.mode & 0o077) === 0) return { name, state: "ok", message: home };
  const message = `other users can look into ${home}`;
  return { name, state: "failed", message, cure: `chmod 700 ${shellWord(home)}` };
}

async function checkStore(home: string): Promise<Check> {
  const name = "store";
  const path = join(home, "repertoire.db");
  if (!existsSync(path)) return { name, state: "ok", message: "empty; it is made on first use" };
  try {
    const store = await openStore(home);
    try {
      const damage = await store.findDamage();
      if (damage.length === 0) return { name, state: "ok", message: `${path} is sound` };
      const cure = `mv ${shellWord(path)} ${shellWord(`${path}.damaged`)}`;
      return { name, state: "failed", message: `${path} is damaged: ${damage.slice(0, 3).join("; ")}`, cure };
    } finally {
      await store.close();
    }
  } catch (error) {
    return { name, state: "failed", message: messageOf(error), cure: cureOf(error, path) };
  }
}

/** Never a command that deletes: what stands there may be all that is left. */
function cureOf(error: unknown, path: string): string {
  const code = error instanceof RepertoireError ? error.code : undefined;
  if (code === "STORE_NEWER") return "npm install --global repertoire@latest";
  if (code === "STORE_UNSUPPORTED") return "nvm install 24";
  if (code === "STORE_FULL") return `df -h ${shellWord(path)}`;
  if (code === "STORE_BUSY") return `fuser -v ${shellWord(path)}`;
  return `mv ${shellWord(path)} ${shellWord(`${path}.aside`)}`;
}

function checkConfig(loaded: LoadResult, options: GlobalOptions): Check[] {
  const name = "config";
  if (!loaded.ok) {
    const cure = `repertoire config check${options.config === undefined ? "" : ` --config ${shellWord(options.config)}`}`;
    return loaded.problems.map((problem) => ({
      name,
      state: "failed",
      message: formatProblem(problem),
      cure,
    }));
  }
  const { origin } = loaded.config;
  const message = origin.path ?? "no file; the defaults are in force";
  const warnings = loaded.warnings.map((problem): Check => ({
    name,
    state: "warning",
    message: formatProblem(problem),
    ...(origin.kind === "project" ? { cure: "repertoire trust" } : {}),
  }));
  return [{ name, state: "ok", message }, ...warnings];
}

function checkServers(loaded: LoadResult): Check[] {
  if (!loaded.ok) return [];
  const { servers } = loaded.config;
  const disabled = servers.filter((server) => !server.enabled).length;
  const rest = disabled === 0 ? "" : `, ${disabled} of them disabled`;
  return [
    { name: "servers", state: "ok", message: `${countOf(servers.length, "server")} configured${rest}` },
  ];
}

const MARKS = { ok: green("✓"), warning: yellow("!"), failed: red("✗") } as const;

function showCheck(check: Check): void {
  const cure = check.cure === undefined ? "" : `  → ${bold(escapeUnprintable(check.cure))}`;
  print(`${MARKS[check.state]} ${check.name.padEnd(8)} ${escapeUnprintable(check.message)}${cure}`);
}

function shellWord(text: string): string {
  return /^[\w./~+:@-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
