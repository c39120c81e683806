/**
 * The steps that have to do with clients: what they have is imported, and at the end they are connected. Each change
 * of another program's file is shown, asked about and kept as it was.
 */
import { countOf, listOf } from "../terminal/wording.ts";
import { CLIENT_IDS, CLIENT_TITLES, type ClientId } from "../../clients/client.ts";
import type { ImportPlan } from "../../clients/import/plan-import.ts";
import type { ClientsRead } from "../../clients/read/read-clients.ts";
import { writeImport } from "../../clients/import/write-import.ts";
import { escapeUnprintable } from "../../text/printable.ts";
import { openInputs } from "../../secrets/inputs.ts";
import { commandLine } from "../command-line.ts";
import { keepOnly } from "../init/init.ts";
import { targetOf } from "../init/init-view.ts";
import { describePlace } from "../../operator/servers/new-servers.ts";
import { askSecrets, short, tellCommands, type StartDeps } from "./start-deps.ts";
import { green, yellow, bold, cyan, note, red } from "../terminal/terminal.ts";
import { writeClientEdit } from "../../clients/connect/client-edit.ts";
import { planConnection } from "../connect/connect.ts";
import { wordsOf } from "../connect/connect-server.ts";
import { diffServers, showDiff } from "../terminal/shown-diff.ts";
import type { Connected } from "./cost-summary.ts";

export function tellFound(
  { servers, read, problems }: ClientsRead,
  plan: ImportPlan,
  { dialog, place }: StartDeps,
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
    dialog.say("Found on this machine:");
    for (const [title, state] of rows) dialog.say(`  ${title!.padEnd(width)}  ${state!}`);
  }
  const twins = plan.duplicates.filter(({ where }) => where === "plan").length;
  if (twins > 0) {
    dialog.say(
      `  ${twins === 1 ? "One server is" : `${twins} servers are`} in more than one client, and shown once below.`,
    );
  }
  const there = plan.duplicates.filter(({ where }) => where === "file").map(({ sameAs }) => sameAs);
  if (there.length > 0)
    dialog.say(`  Already in your config: ${[...new Set(there)].map(escapeUnprintable).join(", ")}`, 4);
  for (const { key, reason } of plan.skipped.filter(({ isOwn }) => !isOwn))
    dialog.say(`  ${yellow("!")} ${escapeUnprintable(key)} is skipped: ${escapeUnprintable(reason)}`, 4);
  for (const { path, message } of problems)
    dialog.say(`  ${yellow("!")} ${escapeUnprintable(`${short(path, place)} ${message}`)}`, 4);
  if (rows.length > 0) dialog.say();
}

/** Asks which, moves secrets, and writes our config. */
export async function takeOver(plan: ImportPlan, deps: StartDeps): Promise<void> {
  const { dialog, progress, target, options } = deps;
  const choices = plan.additions.map((addition) => ({
    value: addition.key,
    label: labelOf(addition),
    hint: shortened(targetOf(addition, COMMAND_LENGTH_MAX)),
  }));
  const keys = await dialog.some("Which servers should Repertoire import?", choices);
  if (keys.length === 0) return dialog.say("No server was chosen.");
  const chosen = keepOnly(plan, keys);
  const secrets = chosen.additions.flatMap(({ key, secrets: own }) =>
    own.map(({ name }) => `${name} of ${key}`),
  );
  const moves = secrets.length > 0 && (await askSecrets(secrets, "in these files", dialog));
  const inputs = openInputs(target);
  const writing = writeImport(chosen, { ...target, moves }, inputs);
  progress.change = writing;
  const { moved } = await writing;
  const back = commandLine(["init", "--undo"], options);
  const file = short(target.path, deps.place);
  progress.done.push(`Added ${countOf(keys.length, "server")} to ${file}. To undo: ${back}`);
  dialog.say(`${green("✓")} Added ${countOf(keys.length, "server")} to ${file}.`, 2);
  if (moved.length > 0)
    dialog.say(
      `${green("✓")} Moved ${countOf(moved.length, "secret")} to ${short(describePlace(inputs, moved[0]), deps.place)}.`,
      2,
    );
  for (const { key, notes, entry } of chosen.additions) {
    if (entry["enabled"] === false)
      dialog.say(`${yellow("!")} ${escapeUnprintable(`${key} is disabled. ${notes.join(" ")}`)}`, 2);
  }
  const only = keys.length === plan.additions.length ? [] : ["--only", ...keys];
  const words = ["init", "--yes", ...only, ...(moves ? ["--move-secrets"] : [])];
  tellCommands([commandLine(words, options)], back, dialog);
}

/** Of a command that is shortened afterwards. */
const COMMAND_LENGTH_MAX = 500;

/** A whole path says no more than its end. */
function shortened(command: string): string {
  return command.replaceAll(/(?<=^| )\/\S*\/(?=[^/\s])/g, "…/");
}

function labelOf({ key, from, entry }: ImportPlan["additions"][number]): string {
  const clients = [...new Set(from.map(({ client }) => CLIENT_TITLES[client]))].join(", ");
  const off = entry["enabled"] === false ? ", disabled" : "";
  return `${escapeUnprintable(key)} (${clients}${off})`;
}

/** Servers that have not answered stay in the client: there, they may work. */
export async function connectClients(
  found: ClientsRead,
  silent: readonly string[],
  deps: StartDeps,
): Promise<Connected[]> {
  const clients = CLIENT_IDS.filter((id) =>
    found.read.some(({ client, scope }) => client === id && scope === "user"),
  );
  const connected: Connected[] = [];
  for (const client of clients) {
    const one = await connectClient(client, silent, deps);
    if (one !== undefined) connected.push(one);
  }
  if (clients.length === 0) {
    deps.dialog.say("No AI client was found on this machine. To connect one later:");
    deps.dialog.say(
      `  ${cyan(commandLine(["connect", "CLIENT"], deps.options))}  (${CLIENT_IDS.join(", ")})`,
      4,
    );
    deps.dialog.say();
  }
  return connected;
}

async function connectClient(
  client: ClientId,
  silent: readonly string[],
  deps: StartDeps,
): Promise<Connected | undefined> {
  const { options, place, own, target, dialog, progress } = deps;
  const title = CLIENT_TITLES[client];
  const wanted = silent.length === 0 ? options : { ...options, keepServers: silent };
  const plan = await planConnection(client, wanted, { place, own, home: target.home });
  if (plan.kind === "refused") {
    dialog.say(
      `${red("✗")} ${title} was not connected: ${escapeUnprintable(plan.message.replaceAll("\n", ". "))}`,
      2,
    );
    return undefined;
  }
  if (plan.kind === "unchanged") {
    dialog.say(`${green("✓")} ${title} is already connected.`);
    dialog.say();
    return { client, isNew: false, serverIds: [] };
  }
  const { change, moved } = plan;
  const file = short(change.target.path, place);
  dialog.say(bold(`${title} will change like this:`));
  const { path, format } = change.target;
  showDiff(diffServers({ ...change, path, format }), note, dialog.width());
  const gone = moved.here.filter(({ key }) => change.gone.includes(key));
  if (gone.length > 0) {
    dialog.say(
      `The lines with - are removed: Repertoire has ${gone.length === 1 ? "this server" : "these servers"} now, and ${title} would list every tool twice.`,
    );
  }
  const staying = [...moved.kept.map(({ key }) => key), ...moved.waiting];
  if (staying.length > 0) {
    const names = listOf(staying.map(escapeUnprintable));
    const again = commandLine(["connect", client], options);
    dialog.say(
      staying.length === 1
        ? `${names} stays in ${title}, because it did not answer. Once it works: ${again}`
        : `${names} stay in ${title}, because they did not answer. Once they work: ${again}`,
    );
  }
  const back = commandLine(["connect", client, "--undo"], options);
  if (!(await dialog.yesNo(`Write this to ${file}? A backup is kept.`))) {
    dialog.say(
      `${title} was not changed. To connect it later: ${cyan(commandLine(["connect", client], options))}`,
      2,
    );
    dialog.say();
    return undefined;
  }
  if (writeClientEdit(change, target.home).kind === "changed") {
    dialog.say(
      `${red("✗")} ${file} was changed by another program meanwhile, so nothing was written. Run ${cyan(commandLine(["connect", client], options))}`,
      2,
    );
    return undefined;
  }
  progress.done.push(`Connected ${title}. To undo: ${back}`);
  dialog.say(`${green("✓")} Connected ${title}.`);
  const kept = moved.kept.map(({ id }) => id);
  const words = kept.length === 0 ? [] : wordsOf({ keepServers: kept });
  tellCommands([commandLine(["connect", client, "--yes", ...words], options)], back, dialog);
  return { client, isNew: true, serverIds: gone.map(({ id }) => id) };
}
