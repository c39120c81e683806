import { CLIENT_IDS, type ClientId, type ClientPlace } from "../../clients/client.ts";
import { planImport, type ImportPlan } from "../../clients/import/plan-import.ts";
import { readClients, type ClientsRead } from "../../clients/read/read-clients.ts";
import { writeImport } from "../../clients/import/write-import.ts";
import { loadConfig } from "../../config/load.ts";
import { parseDocument } from "../../config/files/document.ts";
import { objectAt } from "../../config/entries/server-check.ts";
import { didYouMean, nearest } from "../../text/nearest.ts";
import type { JsonObject } from "../../core/json.ts";
import { openInputs } from "../../secrets/inputs.ts";
import { commandLine } from "../command-line.ts";
import { askYesNo, canAsk, interrupted, whyNotAsked } from "../terminal/confirm.ts";
import { UNDONE } from "../connect/connect.ts";
import { EXIT } from "../terminal/exit-code.ts";
import { finishUnchanged, finishWritten, printJson } from "./init-end.ts";
import { showImport } from "./init-view.ts";
import type { Answer, InitOptions, InitEnvironment } from "./init-options.ts";
import { findOwnScript, ownProcess } from "../connect/own-command.ts";
import { configError } from "../../operator/servers/config-change.ts";
import { failWith, green, note, print, red, tell, terminalOptions, yellow } from "../terminal/terminal.ts";
import { thisPlace, editedFile } from "../place.ts";
import { defineCommand } from "../command.ts";
import { readWhole } from "../../config/files/read-file.ts";
import { undoChange } from "../../config/files/backup.ts";

export const initCommand = defineCommand({
  name: "init",
  group: "start",
  summary: "Import the MCP servers of your other clients",
  options: [
    { flags: "--yes", about: "Do not ask; required without a terminal" },
    {
      flags: "--from <client...>",
      about: `import only from these clients: ${CLIENT_IDS.join(", ")}`,
      completes: ["clients"],
    },
    { flags: "--only <server...>", about: "import only these servers, by the names that are shown" },
    {
      flags: "--move-secrets",
      about: "Move secrets from plain text to the keyring, or to a file that only you can read",
    },
    {
      flags: "--connect",
      about: "Also connect each client in which servers were found",
    },
    {
      flags: "--keep-servers",
      about: "With --connect: leave the imported servers in the clients",
    },
    { flags: "--dry-run", about: "Show what would be added, and change nothing" },
    { flags: "--undo", about: "Restore the config file as it was, byte for byte" },
    {
      flags: "--force",
      about: "With --undo: also if the file was changed since; those changes are lost",
    },
  ],
  help: `It reads the config files of Claude Code, Claude Desktop, Cursor, VS Code, Windsurf, Codex and Gemini CLI: your own
and those of this folder. It starts nothing, and changes their files only with --connect. Servers of a project file that
you never approved are added disabled.`,
  examples: [
    "repertoire init",
    "repertoire init --dry-run",
    "repertoire init --yes --move-secrets --connect",
    "repertoire init --from cursor claude",
    "repertoire init --undo",
  ],
  run: (options: InitOptions) => init(options, currentEnvironment()),
});

function currentEnvironment(): InitEnvironment {
  return {
    place: thisPlace(),
    own: ownProcess(),
    print,
    note,
    tell,
    ...(canAsk() ? { ask: askAtTerminal } : {}),
  };
}

/** One question, whatever was found. */
async function askAtTerminal(question: string, secretCount: number): Promise<Answer> {
  if (secretCount === 0) return (await askYesNo(question)) ? "add" : "no";
  const clack = await import("@clack/prompts");
  const answer = await clack.select<Answer>({
    message: `${question} ${secretCount} of their secrets are in plain text.`,
    output: process.stderr,
    options: [
      {
        value: "move",
        label: "Add them, and move the secrets to the keyring or a file that only I can read",
      },
      { value: "add", label: "Add them as they are" },
      { value: "no", label: "Change nothing" },
    ],
  });
  if (clack.isCancel(answer)) throw interrupted(question);
  return answer;
}

/** Imports, or takes that back; the exit code says how it went. */
export async function init(options: InitOptions, environment: InitEnvironment): Promise<number> {
  const unknown = (options.from ?? []).find((name) => !CLIENT_IDS.includes(name as ClientId));
  if (unknown !== undefined) {
    const near = didYouMean(nearest(unknown, CLIENT_IDS));
    return refuse(
      `there is no client "${unknown}".${near} Clients: ${CLIENT_IDS.join(", ")}.`,
      EXIT.usage,
      environment,
    );
  }
  const target = editedFile(options, environment.place);
  if (options.undo === true) return undo(target, options, environment);
  const { found, plan: all } = lookAtClients(options, environment);
  const missing = (options.only ?? []).find((key) => !all.additions.some((one) => one.key === key));
  if (missing !== undefined) {
    const keys = all.additions.map(({ key }) => key);
    const near = didYouMean(nearest(missing, keys));
    return refuse(
      `there is no new server "${missing}".${near} New servers: ${keys.join(", ")}.`,
      EXIT.usage,
      environment,
    );
  }
  const plan = keepOnly(all, options.only);
  for (const { path, message } of found.problems)
    environment.note(`${yellow("warning")} ${path}: ${message}`);
  if (options.json !== true) showImport(plan, found, environment);
  if (plan.additions.length === 0 || options.dryRun === true) {
    return finishUnchanged(plan, found, target.path, options, environment);
  }
  const answer = await answerOf(plan, target.path, options, environment);
  if (answer === undefined) {
    const again = commandLine(["init", "--yes"], options);
    const why = `nothing was changed: ${whyNotAsked()}. To do it, run: ${again}`;
    return refuse(why, EXIT.usage, environment);
  }
  if (answer === "no") return refuse("nothing was changed", EXIT.refused, environment);
  const written = await writeImport(plan, { ...target, moves: answer === "move" }, openInputs(target));
  return finishWritten(plan, found, written, options, environment);
}

/** What the clients have and what of it is new. Throws where our own config has mistakes. */
export function lookAtClients(
  options: InitOptions,
  { place, own }: Pick<InitEnvironment, "place" | "own">,
): { readonly found: ClientsRead; readonly plan: ImportPlan } {
  requireSoundConfig(options, place);
  const found = readChosen(options, place);
  const plan = planImport({
    found: found.servers,
    existing: serversIn(editedFile(options, place).path),
    env: place.env,
    ownCommand: { command: own.execPath, args: [findOwnScript(own)] },
  });
  return { found, plan };
}

/** The plan with these of its additions, or with all. */
export function keepOnly(plan: ImportPlan, only: readonly string[] | undefined): ImportPlan {
  if (only === undefined) return plan;
  return { ...plan, additions: plan.additions.filter(({ key }) => only.includes(key)) };
}

function readChosen({ from }: InitOptions, place: ClientPlace): ClientsRead {
  const all = readClients(place);
  if (from === undefined) return all;
  return {
    ...all,
    servers: all.servers.filter(({ client }) => from.includes(client)),
    read: all.read.filter(({ client }) => from.includes(client)),
  };
}

/** A file with mistakes in it is not made longer. */
function requireSoundConfig(options: InitOptions, { env, homedir: user, cwd, platform }: ClientPlace): void {
  const { config: configPath, home } = options;
  const loaded = loadConfig({ configPath, home, env, homedir: user, cwd, platform, assumeTrusted: true });
  const isMissing = configPath !== undefined && readWhole(configPath) === undefined;
  if (!loaded.ok && !isMissing) throw configError(loaded.problems);
}

/** As they are written. */
function serversIn(path: string): JsonObject {
  const text = readWhole(path);
  if (typeof text !== "string" || text.trim() === "") return {};
  const parsed = parseDocument(text.replace(/^\uFEFF/, ""), path);
  return parsed.ok ? ((objectAt(parsed.document.value, "mcpServers") ?? {}) as JsonObject) : {};
}

/** Undefined if no question can be asked. */
async function answerOf(
  { additions }: ImportPlan,
  path: string,
  options: InitOptions,
  { ask }: InitEnvironment,
): Promise<Answer | undefined> {
  const secretCount = additions.reduce((sum, { secrets }) => sum + secrets.length, 0);
  if (options.yes === true) return options.moveSecrets === true ? "move" : "add";
  if (ask === undefined) return undefined;
  const what = additions.length === 1 ? "this server" : `these ${additions.length} servers`;
  const answer = await ask(`Add ${what} to ${path}?`, options.moveSecrets === true ? 0 : secretCount);
  return answer === "add" && options.moveSecrets === true ? "move" : answer;
}

async function undo(
  target: { path: string; home: string },
  options: InitOptions,
  environment: InitEnvironment,
): Promise<number> {
  const undone = undoChange(
    { client: "init", scope: "user" },
    target.path,
    target.home,
    options.force === true,
  );
  if (undone.kind === "none") {
    return refuse(`there is nothing to undo in ${target.path}`, EXIT.failed, environment);
  }
  if (undone.kind === "changed") {
    const again = commandLine(["init", "--undo", "--force"], options);
    return refuse(
      `${target.path} was changed since; restoring it would lose those changes. To do it anyway: ${again}`,
      EXIT.refused,
      environment,
    );
  }
  const inputs = openInputs(target);
  for (const id of undone.backup.inputs ?? []) await inputs.forget(id);
  if (options.json === true)
    printJson(environment, { file: target.path, changed: undone.kind !== "already" });
  else environment.note(`${green("undone")} ${target.path} ${UNDONE[undone.kind]}`);
  return EXIT.ok;
}

function refuse(message: string, exitCode: number, environment: InitEnvironment): number {
  // As JSON it is the answer, and not a note.
  if (terminalOptions().json) return failWith(exitCode, message);
  environment.tell(`${red("error")} ${message}`);
  return exitCode;
}
