/**
 * `repertoire start`, and `repertoire` alone on a new machine: from nothing to a connected client. It finds the servers of the clients,
 * takes over those that are chosen, moves their secrets, starts each once, connects the clients and says what that comes to. Every
 * change is a whole one with a way back, and is a command of its own that is printed with it; Ctrl-C between two changes ends the
 * start and says which were made.
 */
import type { Command } from "commander";
import { CLIENT_TITLES } from "../../clients/client.ts";
import type { ClientsRead } from "../../clients/read-clients.ts";
import type { Config, ServerConfig } from "../../config/config.ts";
import { loadConfigWithInputs } from "../../secrets/inputs.ts";
import { commandLine } from "../command-line.ts";
import { canAsk } from "../terminal/confirm.ts";
import { editedFile } from "../edited-file.ts";
import { EXIT } from "../terminal/exit-code.ts";
import { lookAtClients } from "../init/init.ts";
import { ownProcess, typedCommand } from "../connect/own-command.ts";
import type { Finish } from "../program.ts";
import { configError, globalOptionsOf, openSession, type GlobalOptions, type Session } from "../session.ts";
import { watchSignals } from "../terminal/signals.ts";
import { checkServers, type ServerCheck } from "./try-servers.ts";
import { connectClients } from "./connect-clients.ts";
import { describeCosts, type Connected } from "./cost-summary.ts";
import { addFirst } from "./first-server.ts";
import { takeOver, tellFound } from "./import-servers.ts";
import { listOf, type Guide, type StartWorld, type Story } from "./start-deps.ts";
import { openScreen, Stopped, type Screen } from "./dialog.ts";
import { bold, cyan, dim, note, red, yellow } from "../terminal/terminal.ts";
import { thisPlace } from "../place.ts";
import { within } from "../../timing/deadline.ts";

export function addStart(program: Command, finish: Finish): void {
  program
    .command("start")
    .description("Set everything up, step by step: servers, secrets, clients")
    .addHelpText(
      "after",
      `
It asks before each change, and prints the command that does the same without questions. It can be run again at any time.

Examples:
  $ repertoire start`,
    )
    .action(async (_options: unknown, command: Command) => {
      finish(await start(globalOptionsOf(command), startWorld()));
    });
}

export function startWorld(): StartWorld {
  return { place: thisPlace(), own: ownProcess() };
}

/** Whether there is a person who reads and answers. */
export function isAtTerminal(): boolean {
  return canAsk() && process.stdout.isTTY && process.stderr.isTTY;
}

export async function start(options: GlobalOptions, world: StartWorld): Promise<number> {
  if (!isAtTerminal() || options.json === true) {
    const words = ["init", "--yes", "--move-secrets", "--connect"];
    note(`${red("error")} the guided start needs a terminal. Without one: ${commandLine(words, options)}`);
    return EXIT.usage;
  }
  const screen = openScreen();
  const story: Story = {
    done: [],
    left: ["adding servers", "connecting clients"],
    change: Promise.resolve(),
  };
  const target = editedFile(options, world.place);
  const signals = watchSignals();
  void signals.stopped.then((exitCode) => leave(exitCode, story, options, screen));
  let exitCode: number = EXIT.ok;
  try {
    await guide({ ...world, options, screen, story, target });
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    tellStop(story, options, screen);
    exitCode = EXIT.interrupted;
  } finally {
    // From here on Ctrl-C ends the process at once.
    signals.release();
    if (story.session !== undefined) await close(story.session, exitCode);
  }
  return exitCode;
}

/** Servers that are up end within this; one that is still starting may take as long as its limit gives it. */
const CLOSE_WAIT_MS = 2_000;

/** Whoever leaves does not wait for a server that is still starting: it ends with the process. */
async function close(session: Session, exitCode: number): Promise<void> {
  await within(session.close(), CLOSE_WAIT_MS, { late: () => process.exit(exitCode) });
}

const SHOW_CURSOR = "\u001B[?25h";

/** A signal comes at any time, also while a question is open, which would hold the process. Servers end with it. */
async function leave(exitCode: number, story: Story, options: GlobalOptions, screen: Screen): Promise<void> {
  await story.change.catch(() => {});
  process.stderr.write(SHOW_CURSOR);
  tellStop(story, options, screen);
  process.exit(exitCode);
}

function tellStop({ done, left }: Story, options: GlobalOptions, screen: Screen): void {
  screen.say();
  screen.say(done.length === 0 ? "Stopped. Nothing was changed." : "Stopped. This was done:");
  for (const line of done) screen.say(`  ${line}`, 4);
  if (done.length > 0 && left.length > 0) screen.say(`Not done: ${left.join(", ")}.`);
  screen.say(`To go on: ${cyan(commandLine(["start"], options))}`);
}

async function guide(parts: Guide): Promise<void> {
  const { options, screen, story } = parts;
  screen.say(bold("Welcome to Repertoire."));
  screen.say(
    "It puts all your MCP servers behind one. Your AI client then carries a few tools in every conversation instead of all " +
      "of them, and what worked once can be kept as a tool of its own.",
  );
  screen.say();
  const { found, plan } = lookAtClients(options, parts);
  tellFound(found, plan, parts);
  if (plan.additions.length > 0) await takeOver(plan, parts);
  if (!(await hasServers(parts)) && !(await addFirst(parts))) return;
  story.left.shift();
  story.session = await openSession(options, "silent");
  await tryOut(story.session, found, parts);
}

/** Servers that can be tried; those that are switched off are named where there are no others. */
async function hasServers({ options: { config: configPath, home }, screen }: Guide): Promise<boolean> {
  const loaded = await loadConfigWithInputs({ configPath, home });
  if (!loaded.ok) throw configError(loaded.problems);
  const { servers } = loaded.config;
  const isAnyOn = usableOf(loaded.config).length > 0;
  if (!isAnyOn && servers.length > 0) {
    const ids = servers.map(({ id }) => id);
    screen.say(
      `Switched off in your config: ${ids.join(", ")}. To switch one on: repertoire enable ${ids[0]}`,
    );
  }
  return isAnyOn;
}

function usableOf({ servers }: Config): ServerConfig[] {
  return servers.filter(({ enabled, trusted }) => enabled && trusted);
}

async function tryOut({ app, config: source }: Session, found: ClientsRead, parts: Guide): Promise<void> {
  const { screen, story, options } = parts;
  const config = source.current();
  const servers = usableOf(config);
  screen.say("Starting each server once, to see that it works:");
  const place = { options, limits: config.limits };
  const check = await checkServers(app, servers, place, screen);
  screen.say(`  The same without questions: ${commandLine(["doctor", "--servers"], options)}`, 4, dim);
  screen.say();
  const connected = await connectClients(found, [...check.failed, ...check.pending], parts);
  story.left.shift();
  const costs = describeCosts(await app.weighTools(), connected, servers.length);
  for (const line of costs) screen.say(line);
  screen.say();
  tellNext(check, connected, parts);
  const late = servers.filter(({ id }) => check.pending.includes(id));
  if (late.length === 0) return;
  screen.say();
  screen.say(`Everything is set up. Still starting: ${listOf(check.pending)}.`);
  const again = commandLine(["doctor", "--servers", ...check.pending], options);
  await checkServers(app, late, place, screen, `has not answered yet. How it goes: ${again}`);
}

function tellNext({ ready }: ServerCheck, connected: readonly Connected[], parts: Guide): void {
  const { screen, options, own } = parts;
  const command = (...words: string[]): string => cyan(commandLine(words, options));
  screen.say(bold("What to try now:"));
  screen.say(`  1. ${firstStep(connected, command)}`, 5);
  screen.say(
    `  2. Ask it: "Which tools do you have for ${ready[0] ?? "my servers"}? Try one that only reads."`,
    5,
  );
  screen.say(
    `  3. Here: ${command("tools")} lists the tools, ${command("call", "SERVER.TOOL")} calls one.`,
    5,
  );
  const typed = typedCommand(own, process.cwd());
  if (typed !== "repertoire") {
    screen.say(
      `${yellow("!")} \`repertoire\` is not in your PATH. Write ${cyan(typed)} in its place, or install it: ${cyan("npm install -g repertoire")}`,
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
