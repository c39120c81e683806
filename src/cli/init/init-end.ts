/** What is said at the end of an import, and what comes after it. */
import { countOf } from "../terminal/wording.ts";
import { CLIENT_IDS } from "../../clients/client.ts";
import type { ImportPlan } from "../../clients/import/plan-import.ts";
import type { ClientsRead } from "../../clients/read/read-clients.ts";
import type { ImportWritten } from "../../clients/import/write-import.ts";
import { commandLine } from "../command-line.ts";
import { connect } from "../connect/connect.ts";
import { editedFile } from "../place.ts";
import { EXIT } from "../terminal/exit-code.ts";
import { describeImport } from "./init-view.ts";
import type { InitOptions, InitEnvironment } from "./init-options.ts";
import { green, yellow } from "../terminal/terminal.ts";

export async function finishUnchanged(
  plan: ImportPlan,
  found: ClientsRead,
  path: string,
  options: InitOptions,
  environment: InitEnvironment,
): Promise<number> {
  if (options.json === true)
    printJson(environment, { file: path, changed: false, ...describeImport(plan, found) });
  else if (options.dryRun === true) environment.note("Nothing was changed (--dry-run).");
  else if (found.servers.length === 0) {
    environment.note(
      `No servers were found. Add one: ${commandLine(["add", "NAME", "--", "COMMAND"], options)}`,
    );
  } else environment.note(`Nothing to add: ${path} has all servers.`);
  return options.dryRun === true ? EXIT.ok : connectAll(plan, found, options, environment);
}

export async function finishWritten(
  plan: ImportPlan,
  found: ClientsRead,
  written: ImportWritten,
  options: InitOptions,
  environment: InitEnvironment,
): Promise<number> {
  const { file, moved, protection } = written;
  if (options.json === true) {
    printJson(environment, { file, changed: true, moved: moved.length, ...describeImport(plan, found) });
    return connectAll(plan, found, options, environment);
  }
  const off = plan.additions.filter(({ entry }) => entry["enabled"] === false).length;
  const rest = off === 0 ? "" : `, ${off} of them disabled`;
  environment.note(`${green("added")} ${countOf(plan.additions.length, "server")} to ${file}${rest}.`);
  if (moved.length > 0) {
    const where =
      protection === "keyring" ? "encrypted with the keyring" : "in a file that only you can read";
    environment.note(
      `${green("moved")} ${countOf(moved.length, "secret")} out of plain text: stored ${where}.`,
    );
  }
  const plain = moved.length > 0 ? 0 : plan.additions.reduce((sum, { secrets }) => sum + secrets.length, 0);
  if (plain > 0) {
    const again = commandLine(["init", "--undo"], options);
    const move = commandLine(["init", "--yes", "--move-secrets"], options);
    environment.note(
      `${yellow("warning")} ${countOf(plain, "secret")} of these servers are in plain text. To move them: ${again} && ${move}`,
    );
  }
  environment.note(
    `Try: ${commandLine(["tools"], options)}   To undo: ${commandLine(["init", "--undo"], options)}`,
  );
  return connectAll(plan, found, options, environment);
}

/** The clients that servers were found in, without those that have the gateway already. */
async function connectAll(
  plan: ImportPlan,
  found: ClientsRead,
  options: InitOptions,
  { place, own, note: say }: InitEnvironment,
): Promise<number> {
  const joined = new Set(plan.skipped.filter(({ isOwn }) => isOwn).map(({ from }) => from.client));
  const clients = CLIENT_IDS.filter(
    (id) => found.read.some(({ client }) => client === id) && !joined.has(id),
  );
  if (clients.length === 0) return EXIT.ok;
  if (options.connect !== true) {
    if (options.json !== true)
      say(`Connect your clients: ${clients.map((id) => commandLine(["connect", id], options)).join(", ")}`);
    return EXIT.ok;
  }
  let exitCode: number = EXIT.ok;
  const { home } = editedFile(options, place);
  const { config, home: chosenHome, keepServers } = options;
  for (const client of clients) {
    const code = await connect(
      client,
      { config, home: chosenHome, keepServers, yes: true },
      { place, home, own },
    );
    if (code !== EXIT.ok) exitCode = code;
  }
  return exitCode;
}

export function printJson(environment: InitEnvironment, value: unknown): void {
  environment.print(JSON.stringify(value, null, 2));
}
