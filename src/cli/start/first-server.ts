/** Adds the first server: a command, an address or JSON that the user pastes. */
import { spawnSync } from "node:child_process";
import { countOf, listOf } from "../terminal/wording.ts";
import { CLIENT_TITLES } from "../../clients/client.ts";
import { listFiledServers } from "../../config/entries/filed-servers.ts";
import type { JsonObject } from "../../core/json.ts";
import { serverIdOf } from "../../core/names.ts";
import { escapeUnprintable } from "../../text/printable.ts";
import { commandLine } from "../command-line.ts";
import { planNewServers, writeNewServers } from "../../operator/servers/new-servers.ts";
import { isWholePaste, readPastedServers } from "../../operator/servers/pasted-servers.ts";
import { askSecrets, short, tellCommands, type StartDeps } from "./start-deps.ts";
import { cyan, green, red } from "../terminal/terminal.ts";

/** Whether a server was added. */
export async function addFirst(deps: StartDeps): Promise<boolean> {
  const { dialog, progress, options } = deps;
  dialog.say(`No servers were found. Repertoire looked in ${listOf(Object.values(CLIENT_TITLES))}.`);
  const way = await dialog.one("What would you like to do?", [
    { value: "paste", label: "Add a server: paste a command, an address, or JSON from a README" },
    { value: "demo", label: "See the demo first (a minute, in a temporary folder)" },
    { value: "leave", label: "Nothing for now" },
  ]);
  if (way === "demo") {
    spawnSync(deps.own.execPath, [deps.own.script, "demo", "--no-serve"], { stdio: "inherit" });
    dialog.say();
    dialog.say(`That was the demo. To set up your own server: ${cyan(commandLine(["start"], options))}`);
    return false;
  }
  if (way === "leave") {
    dialog.say("Nothing was changed.");
    dialog.say(`To add a server later: ${cyan(commandLine(["add", "NAME", "--", "COMMAND"], options))}`);
    return false;
  }
  dialog.say("Paste it here and press Enter. End JSON with an empty line.");
  const pasted = readPastedServers(await dialog.paste(isWholePaste));
  if (typeof pasted === "string") {
    dialog.say(`${red("✗")} ${pasted}. Nothing was changed.`, 2);
    return addFirst(deps);
  }
  const servers = [];
  const taken = listFiledServers({ configPath: options.config, home: options.home }).servers;
  for (const { key, proposal, entry } of pasted) {
    const name = key ?? (await dialog.word("What should it be called?", proposal));
    const id = serverIdOf(name);
    const isTaken = id.success && taken.some((other) => other.id === id.data);
    if (!id.success || isTaken) {
      const why = id.success ? `A server "${name}" already exists.` : id.error.message;
      dialog.say(`${red("✗")} ${escapeUnprintable(why)} Nothing was changed.`, 2);
      return addFirst(deps);
    }
    servers.push({ key: name, id: id.data, entry });
  }
  const plan = planNewServers(servers, deps.target);
  const moves =
    plan.secretNames.length > 0 && (await askSecrets(plan.secretNames, "in what you pasted", dialog));
  const writing = writeNewServers(plan, moves);
  progress.change = writing;
  const { moved, keptIn, entries } = await writing;
  const names = servers.map(({ id }) => id).join(", ");
  const file = short(plan.path, deps.place);
  const back = servers.map(({ id }) => commandLine(["remove", id], options)).join("; ");
  progress.done.push(`Added ${names} to ${file}. To undo: ${back}`);
  dialog.say(`${green("✓")} Added ${names} to ${file}.`, 2);
  if (moved.length > 0)
    dialog.say(`${green("✓")} Moved ${countOf(moved.length, "secret")} to ${short(keptIn, deps.place)}.`, 2);
  tellCommands(
    entries.map(({ key, entry }) => commandLine(["add", ...addWords(key, entry)], options)),
    back,
    dialog,
  );
  return true;
}

/** The same as arguments of `add`; VALUE replaces a secret. */
function addWords(key: string, written: JsonObject): string[] {
  const text = JSON.stringify(written).replaceAll(/\$\{input:[^}]*\}/g, "VALUE");
  const { command, args = [], env = {}, type, url, ...rest } = JSON.parse(text) as ServerWords;
  const isPlain = Object.keys(rest).length === 0;
  if (isPlain && command !== undefined && url === undefined) {
    const variables = Object.entries(env).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
    return [key, ...variables, "--", command, ...args];
  }
  return isPlain && url !== undefined && (type ?? "http") === "http" ? [key, url] : [key, text];
}

/** The part of an entry that `add` has words for. */
interface ServerWords {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly type?: string;
  readonly url?: string;
}
