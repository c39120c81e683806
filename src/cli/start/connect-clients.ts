/** The step that changes files of other programs: each is shown, asked about and kept as it was. */
import { listOf } from "../terminal/wording.ts";
import { CLIENT_IDS, CLIENT_TITLES, type ClientId } from "../../clients/client.ts";
import { writeClientEdit } from "../../clients/connect/client-edit.ts";
import type { ClientsRead } from "../../clients/read/read-clients.ts";
import { escapeUnprintable } from "../../text/printable.ts";
import { commandLine } from "../command-line.ts";
import { planConnection } from "../connect/connect.ts";
import { wordsOf } from "../connect/connect-server.ts";
import { diffServers, showDiff } from "../terminal/shown-diff.ts";
import type { Connected } from "./cost-summary.ts";
import { tellCommands, short, type StartDeps } from "./start-deps.ts";
import { bold, cyan, green, note, red } from "../terminal/terminal.ts";

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
