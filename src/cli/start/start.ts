import { listOf } from "../terminal/wording.ts";
import { CLIENT_TITLES } from "../../clients/client.ts";
import type { ClientsRead } from "../../clients/read/read-clients.ts";
import type { Config, ServerConfig } from "../../config/config.ts";
import { loadConfigWithInputs } from "../../secrets/inputs.ts";
import { commandLine } from "../command-line.ts";
import { canAsk } from "../terminal/confirm.ts";
import { EXIT } from "../terminal/exit-code.ts";
import { lookAtClients } from "../init/init.ts";
import { ownProcess, typedCommand } from "../connect/own-command.ts";
import { configError } from "../../operator/servers/config-change.ts";
import { openSession, type Session } from "../session.ts";
import type { GlobalOptions } from "../global-options.ts";
import { watchSignals } from "../terminal/signals.ts";
import { checkServers, type ServerCheck } from "./try-servers.ts";
import { connectClients, takeOver, tellFound } from "./clients.ts";
import { describeCosts, type Connected } from "./cost-summary.ts";
import { addFirst } from "./first-server.ts";
import { type StartDeps, type StartEnvironment, type StartProgress } from "./start-deps.ts";
import { openDialog, Stopped, type Dialog } from "./dialog.ts";
import { bold, cyan, dim, note, red, yellow, print } from "../terminal/terminal.ts";
import { thisPlace, editedFile } from "../place.ts";
import { within } from "../../timing/deadline.ts";
import { defineCommand } from "../command.ts";
import { showStatus } from "./status.ts";

export const startCommand = defineCommand({
  name: "start",
  group: "start",
  summary: "Set up servers, secrets and clients, step by step",
  help: `It asks before each change and prints the command that makes the same change without questions. You can run it again
at any time.`,
  examples: ["repertoire start"],
  run: (options: GlobalOptions) => start(options, startEnvironment()),
});

function startEnvironment(): StartEnvironment {
  return { place: thisPlace(), own: ownProcess() };
}

/** Whether there is a person who reads and answers. */
function isAtTerminal(): boolean {
  return canAsk() && process.stdout.isTTY && process.stderr.isTTY;
}

async function start(options: GlobalOptions, environment: StartEnvironment): Promise<number> {
  if (!isAtTerminal() || options.json === true) {
    const words = ["init", "--yes", "--move-secrets", "--connect"];
    note(
      `${red("error")} the guided setup needs a terminal. Without one, run: ${commandLine(words, options)}`,
    );
    return EXIT.usage;
  }
  const dialog = openDialog();
  const progress: StartProgress = {
    done: [],
    left: ["adding servers", "connecting clients"],
    change: Promise.resolve(),
  };
  const target = editedFile(options, environment.place);
  const signals = watchSignals();
  void signals.stopped.then((exitCode) => stop(exitCode, progress, options, dialog));
  let exitCode: number = EXIT.ok;
  try {
    await guide({ ...environment, options, dialog, progress, target });
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    tellStop(progress, options, dialog);
    exitCode = EXIT.interrupted;
  } finally {
    // From here on Ctrl-C ends the process at once.
    signals.release();
    if (progress.session !== undefined) await close(progress.session, exitCode);
  }
  return exitCode;
}

/** Servers that are up end within this; one that is still starting may take as long as its limit gives it. */
const CLOSE_WAIT_MS = 2_000;

/** The exit does not wait for a server that is still starting: it ends with the process. */
async function close(session: Session, exitCode: number): Promise<void> {
  await within(session.close(), CLOSE_WAIT_MS, { late: () => process.exit(exitCode) });
}

const SHOW_CURSOR = "\u001B[?25h";

/** A signal comes at any time, also while a question is open, which would hold the process. Servers end with it. */
async function stop(
  exitCode: number,
  progress: StartProgress,
  options: GlobalOptions,
  dialog: Dialog,
): Promise<void> {
  await progress.change.catch(() => {});
  process.stderr.write(SHOW_CURSOR);
  tellStop(progress, options, dialog);
  process.exit(exitCode);
}

function tellStop({ done, left }: StartProgress, options: GlobalOptions, dialog: Dialog): void {
  dialog.say();
  dialog.say(done.length === 0 ? "Stopped. Nothing was changed." : "Stopped. This was done:");
  for (const line of done) dialog.say(`  ${line}`, 4);
  if (done.length > 0 && left.length > 0) dialog.say(`Not done: ${left.join(", ")}.`);
  dialog.say(`To continue: ${cyan(commandLine(["start"], options))}`);
}

async function guide(deps: StartDeps): Promise<void> {
  const { options, dialog, progress } = deps;
  dialog.say(bold("Welcome to Repertoire."));
  dialog.say(
    "It puts all your MCP servers behind one. Your AI client then has a few tools in every conversation instead of " +
      "all of them, and code that worked can be saved as a new tool.",
  );
  dialog.say();
  const { found, plan } = lookAtClients(options, deps);
  tellFound(found, plan, deps);
  if (plan.additions.length > 0) await takeOver(plan, deps);
  if (!(await hasServers(deps)) && !(await addFirst(deps))) return;
  progress.left.shift();
  progress.session = await openSession(options, "silent");
  await tryOut(progress.session, found, deps);
}

/** Servers that can be tried; those that are switched off are named where there are no others. */
async function hasServers({ options: { config: configPath, home }, dialog }: StartDeps): Promise<boolean> {
  const loaded = await loadConfigWithInputs({ configPath, home });
  if (!loaded.ok) throw configError(loaded.problems);
  const { servers } = loaded.config;
  const isAnyOn = usableOf(loaded.config).length > 0;
  if (!isAnyOn && servers.length > 0) {
    const ids = servers.map(({ id }) => id);
    dialog.say(`Disabled in your config: ${ids.join(", ")}. Enable one with: repertoire enable ${ids[0]}`);
  }
  return isAnyOn;
}

function usableOf({ servers }: Config): ServerConfig[] {
  return servers.filter(({ enabled, trusted }) => enabled && trusted);
}

async function tryOut({ app, config: source }: Session, found: ClientsRead, deps: StartDeps): Promise<void> {
  const { dialog, progress, options } = deps;
  const config = source.current();
  const servers = usableOf(config);
  dialog.say("Starting each server once to check that it works:");
  const place = { options, limits: config.limits };
  const check = await checkServers(app, servers, place, dialog);
  dialog.say(`  Without questions: ${commandLine(["doctor", "--servers"], options)}`, 4, dim);
  dialog.say();
  const connected = await connectClients(found, [...check.failed, ...check.pending], deps);
  progress.left.shift();
  const costs = describeCosts(await app.weighTools(), connected, servers.length);
  for (const line of costs) dialog.say(line);
  dialog.say();
  tellNext(check, connected, deps);
  const late = servers.filter(({ id }) => check.pending.includes(id));
  if (late.length === 0) return;
  dialog.say();
  dialog.say(`Everything is set up. Still starting: ${listOf(check.pending)}.`);
  const again = commandLine(["doctor", "--servers", ...check.pending], options);
  await checkServers(app, late, place, dialog, `has not answered yet. Check later: ${again}`);
}

function tellNext({ ready }: ServerCheck, connected: readonly Connected[], deps: StartDeps): void {
  const { dialog, options, own } = deps;
  const command = (...words: string[]): string => cyan(commandLine(words, options));
  dialog.say(bold("What to try now:"));
  dialog.say(`  1. ${firstStep(connected, command)}`, 5);
  dialog.say(
    `  2. Ask it: "Which tools do you have for ${ready[0] ?? "my servers"}? Try one that only reads."`,
    5,
  );
  dialog.say(
    `  3. Here: ${command("tools")} lists the tools, ${command("call", "SERVER.TOOL")} calls one.`,
    5,
  );
  const typed = typedCommand(own, process.cwd());
  if (typed !== "repertoire") {
    dialog.say(
      `${yellow("!")} \`repertoire\` is not in your PATH. Type ${cyan(typed)} instead, or install it: ${cyan("npm install -g repertoire")}`,
      2,
    );
  }
}

function firstStep(connected: readonly Connected[], command: (...words: string[]) => string): string {
  const titlesOf = (some: readonly Connected[]): string =>
    listOf(some.map(({ client }) => CLIENT_TITLES[client]));
  if (connected.length === 0) return `Connect your AI client: ${command("connect", "CLIENT")}`;
  const changed = connected.filter(({ isNew }) => isNew);
  return changed.length > 0 ? `Restart ${titlesOf(changed)}.` : `Open ${titlesOf(connected)}.`;
}

export async function runWithoutCommand(): Promise<number> {
  if (!isAtTerminal()) {
    print(SHORT_HELP);
    return EXIT.ok;
  }
  const environment = startEnvironment();
  return (await showStatus(environment)) ? EXIT.ok : start({}, environment);
}

const SHORT_HELP = `Repertoire: all your MCP servers behind one; what worked is saved as tools.

  repertoire start            set up everything, step by step (needs a terminal)
  repertoire init --yes       import the servers of your AI clients
  repertoire connect CLIENT   add the gateway to a client's config
  repertoire tools [QUERY]    list the tools, or find one for a task
  repertoire call TOOL        call one: repertoire call files.read path=/tmp/a
  repertoire doctor           check that everything works

All commands: repertoire --help`;
