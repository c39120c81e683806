/**
 * `repertoire start`, and `repertoire` alone on a new machine: from nothing to a connected client. It finds the servers of the clients,
 * takes over those that are chosen, moves their secrets, starts each once, connects the clients and says what that comes to. Every
 * change is a whole one with a way back, and is a command of its own that is printed with it; Ctrl-C between two changes ends the
 * start and says which were made.
 */
import { spawnSync } from "node:child_process";
import type { Command } from "commander";
import { CLIENT_IDS, CLIENT_TITLES, type ClientId, type ClientPlace } from "../config/clients/client.ts";
import { writeJoin } from "../config/clients/join-plan.ts";
import type { ImportPlan } from "../config/clients/plan-import.ts";
import type { ClientsRead } from "../config/clients/read-clients.ts";
import { writeImport } from "../config/clients/write-import.ts";
import type { Config, ServerConfig } from "../config/config.ts";
import { escapeUnprintable } from "../core/printable.ts";
import { serverIdOf } from "../core/names.ts";
import { loadConfigWithInputs, openInputs } from "../inputs.ts";
import { commandLine } from "./command-line.ts";
import { countOf } from "./config.ts";
import { planConnection } from "./connect.ts";
import { wordsOf } from "./connect-server.ts";
import { editedFile } from "./edited-file.ts";
import { EXIT } from "./exit-code.ts";
import { keepOnly, lookAtClients } from "./init.ts";
import { targetOf } from "./init-view.ts";
import { describePlace, planNewServers, writeNewServers } from "./new-servers.ts";
import { ownProcess, typedCommand, type OwnProcess } from "./own-command.ts";
import type { Finish } from "./program.ts";
import { configError, globalOptionsOf, openSession, type GlobalOptions, type Session } from "./session.ts";
import { diffServers, showDiff } from "./shown-diff.ts";
import { watchSignals } from "./signals.ts";
import { checkServers, type ServerCheck } from "./start-check.ts";
import { describeCosts, type Connected } from "./start-costs.ts";
import { isSnippet } from "./server-snippet.ts";
import { isWholePaste, readPastedServers, splitWords } from "./start-paste.ts";
import { openScreen, Stopped, type Screen } from "./start-screen.ts";
import { bold, cyan, dim, green, note, red, yellow } from "./terminal.ts";
import { thisPlace } from "./this-place.ts";

export interface StartWorld {
  readonly place: ClientPlace;
  readonly own: OwnProcess;
}

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
  return process.stdin.isTTY && process.stdout.isTTY && process.stderr.isTTY;
}

/** What has been done, with the way back, and what would come next. */
interface Story {
  readonly done: string[];
  readonly left: string[];
  /** A change under way: whoever stops the start waits for it. */
  change: Promise<unknown>;
  /** Open while servers are tried out. */
  session?: Session;
}

/** Everything that a step needs. */
interface Guide extends StartWorld {
  readonly options: GlobalOptions;
  readonly screen: Screen;
  readonly story: Story;
  readonly target: { readonly path: string; readonly home: string };
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
  try {
    await guide({ ...world, options, screen, story, target });
    return EXIT.ok;
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    tellStop(story, options, screen);
    return EXIT.interrupted;
  } finally {
    // From here on Ctrl-C ends the process at once.
    signals.release();
    await story.session?.close();
  }
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
  if (!(await hasServers(options)) && !(await addFirst(parts))) return;
  story.left.shift();
  story.session = await openSession(options, "silent");
  await tryOut(story.session, found, parts);
}

async function hasServers({ config: configPath, home }: GlobalOptions): Promise<boolean> {
  const loaded = await loadConfigWithInputs({ configPath, home });
  if (!loaded.ok) throw configError(loaded.problems);
  return usableOf(loaded.config).length > 0;
}

function usableOf({ servers }: Config): ServerConfig[] {
  return servers.filter(({ enabled, trusted }) => enabled && trusted);
}

// ── what there is ───────────────────────────────────────────────────────────────────────────────────────────────────

function tellFound(
  { servers, read, problems }: ClientsRead,
  plan: ImportPlan,
  { screen, place }: Guide,
): void {
  const own = new Set(
    plan.skipped.filter(({ isOwn }) => isOwn).map(({ from, key }) => `${from.path}\n${key}`),
  );
  const rows = CLIENT_IDS.flatMap((client) => {
    const files = read.filter((file) => file.client === client);
    if (files.length === 0) return [];
    const count = servers.filter(
      (server) => server.client === client && !own.has(`${server.path}\n${server.key}`),
    ).length;
    const isConnected = plan.skipped.some(({ isOwn, from }) => isOwn && from.client === client);
    const state = isConnected ? ", Repertoire is connected" : "";
    return [[CLIENT_TITLES[client], `${count === 0 ? "no servers" : countOf(count, "server")}${state}`]];
  });
  if (rows.length > 0) {
    const width = Math.max(...rows.map(([title]) => title!.length));
    screen.say("Found on this machine:");
    for (const [title, state] of rows) screen.say(`  ${title!.padEnd(width)}  ${state!}`);
  }
  const twins = plan.duplicates.filter(({ where }) => where === "plan").length;
  if (twins > 0) {
    screen.say(
      `  ${twins === 1 ? "One server is" : `${twins} servers are`} in more than one client, and shown once below.`,
    );
  }
  const there = plan.duplicates.filter(({ where }) => where === "file").map(({ sameAs }) => sameAs);
  if (there.length > 0)
    screen.say(`  In your config already: ${[...new Set(there)].map(escapeUnprintable).join(", ")}`, 4);
  for (const { key, reason } of plan.skipped.filter(({ isOwn }) => !isOwn))
    screen.say(`  ${yellow("!")} ${escapeUnprintable(key)} is left out: ${escapeUnprintable(reason)}`, 4);
  for (const { path, message } of problems)
    screen.say(`  ${yellow("!")} ${escapeUnprintable(`${short(path, place)} ${message}`)}`, 4);
  if (rows.length > 0) screen.say();
}

// ── taking over ─────────────────────────────────────────────────────────────────────────────────────────────────────

async function takeOver(plan: ImportPlan, parts: Guide): Promise<void> {
  const { screen, story, target, options } = parts;
  const choices = plan.additions.map((addition) => ({
    value: addition.key,
    label: labelOf(addition),
    hint: shortened(targetOf(addition, COMMAND_LENGTH_MAX)),
  }));
  const keys = await screen.some("Which servers should Repertoire take over?", choices);
  if (keys.length === 0) return screen.say("None was chosen.");
  const chosen = keepOnly(plan, keys);
  const secrets = chosen.additions.flatMap(({ key, secrets: own }) =>
    own.map(({ name }) => `${name} of ${key}`),
  );
  const moves = secrets.length > 0 && (await askSecrets(secrets, screen));
  const inputs = openInputs(target);
  const writing = writeImport(chosen, { ...target, moves }, inputs);
  story.change = writing;
  const { moved } = await writing;
  const back = commandLine(["init", "--undo"], options);
  const file = short(target.path, parts.place);
  story.done.push(`Added ${countOf(keys.length, "server")} to ${file}. To take it back: ${back}`);
  screen.say(`${green("✓")} Added ${countOf(keys.length, "server")} to ${file}.`, 2);
  if (moved.length > 0)
    screen.say(
      `${green("✓")} Moved ${countOf(moved.length, "secret")} to ${short(describePlace(inputs, moved[0]), parts.place)}.`,
      2,
    );
  for (const { key, notes, entry } of chosen.additions) {
    if (entry["enabled"] === false)
      screen.say(`${yellow("!")} ${escapeUnprintable(`${key} is switched off. ${notes.join(" ")}`)}`, 2);
  }
  const only = keys.length === plan.additions.length ? [] : ["--only", ...keys];
  const words = ["init", "--yes", ...only, ...(moves ? ["--move-secrets"] : [])];
  tellCommands([commandLine(words, options)], back, screen);
}

/** Of a command that is shortened afterwards. */
const COMMAND_LENGTH_MAX = 500;

/** A whole path says no more than its end. */
function shortened(command: string): string {
  return command.replaceAll(/(?<=^| )\/\S*\/(?=[^/\s])/g, "…/");
}

function labelOf({ key, from, entry }: ImportPlan["additions"][number]): string {
  const clients = [...new Set(from.map(({ client }) => CLIENT_TITLES[client]))].join(", ");
  const off = entry["enabled"] === false ? ", switched off" : "";
  return `${escapeUnprintable(key)} (${clients}${off})`;
}

async function askSecrets(secrets: readonly string[], screen: Screen): Promise<boolean> {
  const names = secrets.map(escapeUnprintable).join(", ");
  const what = secrets.length === 1 ? "A secret is" : `${secrets.length} secrets are`;
  screen.say(
    `${what} in plain text there: ${names}. In the secret store, a value is encrypted with the system's keyring, or in a file that only you can read.`,
  );
  return screen.yesNo(
    secrets.length === 1 ? "Move it to the secret store?" : "Move them to the secret store?",
  );
}

/** The same without questions, and the way back. */
function tellCommands(same: readonly string[], back: string, screen: Screen): void {
  for (const command of same) screen.say(`  The same without questions: ${command}`, 4, dim);
  screen.say(`  To take it back: ${back}`, 4, dim);
  screen.say();
}

// ── nothing to take over ────────────────────────────────────────────────────────────────────────────────────────────

/** Whether a server was added. */
async function addFirst(parts: Guide): Promise<boolean> {
  const { screen, story, options } = parts;
  screen.say(`There is no server yet. Repertoire looked in ${listOf(Object.values(CLIENT_TITLES))}.`);
  const way = await screen.one("What would you like to do?", [
    { value: "paste", label: "Add a server: paste a command, an address, or JSON from a README" },
    { value: "demo", label: "See the demo first (a minute, in a temporary folder)" },
    { value: "leave", label: "Nothing for now" },
  ]);
  if (way === "demo") {
    spawnSync(parts.own.execPath, [parts.own.script, "demo", "--no-serve"], { stdio: "inherit" });
    screen.say();
    screen.say(
      `That was the demo. To go on with a server of your own: ${cyan(commandLine(["start"], options))}`,
    );
    return false;
  }
  if (way === "leave") {
    screen.say("Nothing was changed.");
    screen.say(`To add a server later: ${cyan(commandLine(["add", "NAME", "--", "COMMAND"], options))}`);
    return false;
  }
  screen.say("Paste it here and press Enter; after JSON, an empty line ends it.");
  const text = await screen.paste(isWholePaste);
  const pasted = readPastedServers(text);
  if (typeof pasted === "string") {
    screen.say(`${red("✗")} ${pasted}. Nothing was changed.`, 2);
    return addFirst(parts);
  }
  const servers = [];
  for (const { key, proposal, entry } of pasted) {
    const name = key ?? (await screen.word("What should it be called?", proposal));
    const id = serverIdOf(name);
    if (!id.success) {
      screen.say(`${red("✗")} ${id.error.message}`, 2);
      return addFirst(parts);
    }
    servers.push({ key: name, id: id.data, entry });
  }
  const plan = planNewServers(servers, parts.target);
  const moves = plan.secretNames.length > 0 && (await askSecrets(plan.secretNames, screen));
  const writing = writeNewServers(plan, moves);
  story.change = writing;
  const { moved, keptIn } = await writing;
  const names = servers.map(({ id }) => id).join(", ");
  const file = short(plan.path, parts.place);
  const back = servers.map(({ id }) => commandLine(["remove", id], options)).join("; ");
  story.done.push(`Added ${names} to ${file}. To take it back: ${back}`);
  screen.say(`${green("✓")} Added ${names} to ${file}.`, 2);
  if (moved.length > 0)
    screen.say(`${green("✓")} Moved ${countOf(moved.length, "secret")} to ${short(keptIn, parts.place)}.`, 2);
  const words =
    moved.length === 0 && !text.includes("\n") ? addWords(servers[0]!.key, text) : ["WHAT-YOU-PASTED"];
  tellCommands([commandLine(["add", ...words], options)], back, screen);
  return true;
}

/** How `add` is told the same. */
function addWords(key: string, text: string): string[] {
  if (isSnippet(text)) return [text];
  return /^https?:/i.test(text) ? [key, text] : [key, "--", ...(splitWords(text) ?? [])];
}

// ── trying out and connecting ───────────────────────────────────────────────────────────────────────────────────────

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
}

/** Servers that have not answered stay in the client: there, they may work. */
async function connectClients(
  found: ClientsRead,
  silent: readonly string[],
  parts: Guide,
): Promise<Connected[]> {
  const clients = CLIENT_IDS.filter((id) =>
    found.read.some(({ client, scope }) => client === id && scope === "user"),
  );
  const connected: Connected[] = [];
  for (const client of clients) {
    const one = await connectClient(client, silent, parts);
    if (one !== undefined) connected.push(one);
  }
  if (clients.length === 0) {
    parts.screen.say("No AI client was found here. When you have one:");
    parts.screen.say(
      `  ${cyan(commandLine(["connect", "CLIENT"], parts.options))}  (${CLIENT_IDS.join(", ")})`,
      4,
    );
    parts.screen.say();
  }
  return connected;
}

async function connectClient(
  client: ClientId,
  silent: readonly string[],
  parts: Guide,
): Promise<Connected | undefined> {
  const { options, place, own, target, screen, story } = parts;
  const title = CLIENT_TITLES[client];
  const wanted = silent.length === 0 ? options : { ...options, keepServers: silent };
  const plan = await planConnection(client, wanted, { place, own, home: target.home });
  if (plan.kind === "refused") {
    screen.say(
      `${red("✗")} ${title} was not connected: ${escapeUnprintable(plan.message.replaceAll("\n", ". "))}`,
      2,
    );
    return undefined;
  }
  if (plan.kind === "unchanged") {
    screen.say(`${green("✓")} ${title} is connected already.`);
    screen.say();
    return { client, isNew: false, serverIds: [] };
  }
  const { change, moved } = plan;
  const file = short(change.target.path, place);
  screen.say(bold(`${title} would change like this:`));
  const { path, format } = change.target;
  showDiff(diffServers({ ...change, path, format }), note, screen.width());
  const gone = moved.here.filter(({ key }) => change.gone.includes(key));
  if (gone.length > 0) {
    screen.say(
      `The lines with - go: Repertoire has ${gone.length === 1 ? "this server" : "these servers"} now, and ${title} would see every tool twice.`,
    );
  }
  if (moved.kept.length > 0) {
    const names = listOf(moved.kept.map(({ key }) => escapeUnprintable(key)));
    const again = commandLine(["connect", client], options);
    screen.say(
      moved.kept.length === 1
        ? `${names} stays in ${title}, because it has not answered here. Once it works: ${again}`
        : `${names} stay in ${title}, because they have not answered here. Once they work: ${again}`,
    );
  }
  const back = commandLine(["connect", client, "--undo"], options);
  if (!(await screen.yesNo(`Write this to ${file}? A copy is kept.`))) {
    screen.say(`${title} was left as it is. Later: ${cyan(commandLine(["connect", client], options))}`, 2);
    screen.say();
    return undefined;
  }
  if (writeJoin(change, target.home).kind === "changed") {
    screen.say(
      `${red("✗")} ${file} has changed in the meantime, so nothing was written. Run ${cyan(commandLine(["connect", client], options))}`,
      2,
    );
    return undefined;
  }
  story.done.push(`Connected ${title}. To take it back: ${back}`);
  screen.say(`${green("✓")} Connected ${title}.`);
  const kept = moved.kept.map(({ id }) => id);
  const words = kept.length === 0 ? [] : wordsOf({ keepServers: kept });
  tellCommands([commandLine(["connect", client, "--yes", ...words], options)], back, screen);
  return { client, isNew: true, serverIds: gone.map(({ id }) => id) };
}

// ── the end ─────────────────────────────────────────────────────────────────────────────────────────────────────────

function tellNext({ ready, pending }: ServerCheck, connected: readonly Connected[], parts: Guide): void {
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
  for (const id of pending) {
    screen.say(
      `${yellow("…")} ${id} was still starting. How it went: ${command("doctor", "--servers", id)}`,
      2,
    );
  }
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

/** `a, b and c`. */
function listOf(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)!}`;
}

function short(path: string, { homedir: home }: ClientPlace): string {
  return escapeUnprintable(path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path);
}
