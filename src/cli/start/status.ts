/** A short status for a machine that is set up. It starts nothing. */
import { countOf } from "../terminal/wording.ts";
import { findProgramProblem, type ServerView } from "../../app/app.ts";
import { CLIENT_IDS, CLIENT_TITLES, type ClientId } from "../../clients/client.ts";
import { isOwnEntry } from "../../clients/read/own-entry.ts";
import { readClients } from "../../clients/read/read-clients.ts";
import type { ServerConfig } from "../../config/config.ts";
import { loadConfig } from "../../config/load.ts";
import { escapeUnprintable } from "../../text/printable.ts";
import { VERSION } from "../../core/version.ts";
import { findOwnScript } from "../connect/own-command.ts";
import { paintStatus, timeOf, type RunView } from "../commands/runs/run-view.ts";
import { openSession } from "../session.ts";
import type { StartEnvironment } from "./start-deps.ts";
import { openDialog } from "./dialog.ts";
import { bold, cyan, green, red, yellow } from "../terminal/terminal.ts";

/** Enough to see what went on last; `repertoire runs` has them all. */
const RUNS_SHOWN = 3;

/** False, and nothing shown, where there are no servers or no client is connected yet. */
export async function showStatus(environment: StartEnvironment): Promise<boolean> {
  const loaded = loadConfig();
  const { connected, others } = findClients(environment);
  if (!loaded.ok || loaded.config.servers.length === 0 || connected.length === 0) return false;
  const dialog = openDialog();
  const session = await openSession({}, "silent");
  try {
    const { app } = session;
    const views = (await app.viewServers(false)).map((view) => withProblem(view, loaded.config.servers));
    const kept = await app.library.list(null);
    const runs = (await app.traces.list(RUNS_SHOWN)) as unknown as RunView[];
    dialog.say(`${bold("Repertoire")} ${VERSION}`);
    dialog.say();
    dialog.say(`Servers  ${countOf(views.length, "server")}`);
    const width = Math.max(...views.map(({ id }) => id.length));
    for (const view of views) dialog.say(`  ${describeServer(view, width)}`, width + 6);
    const titles = (clients: readonly ClientId[]): string =>
      clients.map((id) => CLIENT_TITLES[id]).join(", ");
    dialog.say(`Clients  connected: ${titles(connected)}`, 9);
    if (others.length > 0) dialog.say(`         not connected: ${titles(others)}`, 9);
    dialog.say(`Library  ${kept.length === 0 ? "nothing yet" : countOf(kept.length, "tool")}`);
    dialog.say(`Runs     ${runs.length === 0 ? "none yet" : "the latest:"}`);
    for (const { status, started_at: at, intent, kind } of runs)
      dialog.say(`  ${timeOf(at)}  ${paintStatus(status)}  ${escapeUnprintable(intent ?? kind)}`, 4);
    dialog.say();
    dialog.say(bold("What to try:"));
    const tries = triesOf(views, others);
    const commandWidth = Math.max(...tries.map(([command]) => command.length));
    for (const [command, what] of tries) dialog.say(`  ${cyan(command.padEnd(commandWidth))}  ${what}`, 4);
    return true;
  } finally {
    await session.close();
  }
}

/** A program that is not there fails at the next need, and that can be told now. */
function withProblem(view: ServerView, servers: readonly ServerConfig[]): ServerView {
  const server = servers.find(({ id }) => id === view.id);
  const problem = view.state === "idle" && server !== undefined ? findProgramProblem(server) : undefined;
  return problem === undefined ? view : { ...view, state: "failed", error: problem.reason };
}

function triesOf(views: readonly ServerView[], others: readonly ClientId[]): [string, string][] {
  const isFailing = views.some(
    ({ state }) => state === "failed" || state === "unusable" || state === "needs_input",
  );
  return [
    ['repertoire tools "what you want to do"', "find a tool for a task"],
    isFailing
      ? ["repertoire doctor --servers", "show what is wrong, and how to fix it"]
      : ["repertoire doctor", "check that everything works"],
    others[0] === undefined
      ? ["repertoire start", "look for new servers and clients"]
      : [`repertoire connect ${others[0]}`, "connect one more client"],
  ];
}

function describeServer({ id, state, toolCount, error, missingInputs }: ServerView, width: number): string {
  const name = escapeUnprintable(id).padEnd(width);
  const tools = toolCount === undefined ? "" : countOf(toolCount, "tool");
  switch (state) {
    case "disabled":
      return `${yellow("-")} ${name}  disabled`;
    case "untrusted":
      return `${yellow("-")} ${name}  not trusted yet`;
    case "needs_input":
      return `${yellow("!")} ${name}  needs a value: repertoire input set ${(missingInputs ?? []).join(" ")}`;
    case "unusable":
      return `${red("✗")} ${name}  cannot start: the config has problems`;
    case "failed":
      return `${red("✗")} ${name}  ${escapeUnprintable(error ?? "failed")}`;
    default:
      return toolCount === undefined
        ? `${yellow("…")} ${name}  not started yet`
        : `${green("✓")} ${name}  ${tools}${state === "connecting" ? ", starting" : ""}`;
  }
}

/** The clients of this machine that have the gateway, and those that do not. */
function findClients({ place, own }: StartEnvironment): {
  readonly connected: ClientId[];
  readonly others: ClientId[];
} {
  const { servers, read } = readClients(place);
  const ownCommand = { command: own.execPath, args: [findOwnScript(own)] };
  const joined = new Set(
    servers.filter(({ key, entry }) => isOwnEntry(key, entry, ownCommand)).map(({ client }) => client),
  );
  const there = CLIENT_IDS.filter((id) =>
    read.some(({ client, scope }) => client === id && scope === "user"),
  );
  return {
    connected: CLIENT_IDS.filter((id) => joined.has(id)),
    others: there.filter((id) => !joined.has(id)),
  };
}
