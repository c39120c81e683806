/** What an import would do, for a person and for a script. It has the names of secrets, never their values. */
import { CLIENT_TITLES, type ClientId } from "../../clients/client.ts";
import { withInputs } from "../../clients/import/plain-secrets.ts";
import type { ImportPlan } from "../../clients/import/plan-import.ts";
import type { ClientsRead } from "../../clients/read/read-clients.ts";
import { findEntryRisks } from "../../config/entries/entry-risks.ts";
import type { JsonObject } from "../../core/json.ts";
import { escapeUnprintable } from "../../text/printable.ts";
import { createRedactor } from "../../text/redaction.ts";
import { bold, cyan, dim, green, yellow } from "../terminal/terminal.ts";
import { cut } from "../../text/cut.ts";

type Addition = ImportPlan["additions"][number];

/** Longer lines are cut. */
const TARGET_LENGTH_MAX = 100;

/** Where it is shown, and to whom. */
interface ImportOutput {
  readonly place: { readonly homedir: string };
  readonly print: (line: string) => void;
}

export function showImport(plan: ImportPlan, found: ClientsRead, { place, print }: ImportOutput): void {
  const home = place.homedir;
  const short = (path: string): string =>
    escapeUnprintable(path.startsWith(home) ? `~${path.slice(home.length)}` : path);
  const titleOf = (client: ClientId) => CLIENT_TITLES[client];
  for (const client of new Set(found.read.map(({ client: id }) => id))) {
    const paths = found.read.filter((file) => file.client === client).map(({ path }) => short(path));
    print(`${bold(titleOf(client))} ${dim(paths.join(", "))}`);
  }
  if (found.read.length > 0) print("");
  for (const addition of plan.additions) showAddition(addition, print);
  for (const { key, from, sameAs, where } of plan.duplicates) {
    const what = where === "file" ? `already exists as ${sameAs}` : `is the same as ${sameAs}`;
    print(
      `${dim("=")} ${escapeUnprintable(key)} ${dim(`of ${titleOf(from.client)} ${escapeUnprintable(what)}`)}`,
    );
  }
  for (const { key, from, reason } of plan.skipped) {
    print(
      `${yellow("-")} ${escapeUnprintable(key)} ${dim(`of ${titleOf(from.client)}: ${escapeUnprintable(reason)}`)}`,
    );
  }
}

function showAddition(addition: Addition, print: ImportOutput["print"]): void {
  const { key, entry, from, notes, secrets, inputs } = addition;
  const clients = [...new Set(from.map(({ client }) => CLIENT_TITLES[client]))].join(", ");
  const off = entry["enabled"] === false ? yellow(" (off)") : "";
  print(
    `${green("+")} ${bold(escapeUnprintable(key))}${off} ${cyan(targetOf(addition))} ${dim(`from ${clients}`)}`,
  );
  if (secrets.length > 0) {
    print(`    ${yellow(`in plain text: ${secrets.map(({ name }) => escapeUnprintable(name)).join(", ")}`)}`);
  }
  if (inputs.length > 0)
    print(`    ${dim(`needs the inputs ${inputs.map(({ id }) => escapeUnprintable(id)).join(", ")}`)}`);
  for (const line of notes) print(`    ${dim(escapeUnprintable(line))}`);
  for (const line of warningsOf(addition)) print(`    ${yellow(line)}`);
}

/** What is unusual about it, with the whole command; that a package has no version is said by `doctor`, of all at once. */
function warningsOf(addition: Addition): string[] {
  const risks = findEntryRisks(addition.entry).filter(({ kind }) => kind !== "unpinned");
  if (risks.length === 0) return [];
  return [
    ...risks.map(({ message }) => escapeUnprintable(message)),
    `starts: ${targetOf(addition, Infinity)}`,
  ];
}

/** The command or address, with its secrets as the inputs that they would be. */
export function targetOf({ entry, secrets }: Addition, lengthMax = TARGET_LENGTH_MAX): string {
  const shown: JsonObject = withInputs(entry, secrets).entry;
  const { url, command, args } = shown;
  const words = typeof url === "string" ? [url] : [command, ...(Array.isArray(args) ? args : [])];
  const line = createRedactor().text(words.map(String).join(" "));
  return escapeUnprintable(cut(line, lengthMax));
}

export function describeImport(plan: ImportPlan, found: ClientsRead): object {
  return {
    read: found.read.map(({ client, path }) => ({ client, path })),
    problems: found.problems,
    added: plan.additions.map((addition) => ({
      key: addition.key,
      target: targetOf(addition),
      enabled: addition.entry["enabled"] !== false,
      from: addition.from,
      secrets: addition.secrets.map(({ name, suggestedInput }) => ({ name, input: suggestedInput })),
      inputs: addition.inputs.map(({ id }) => id),
      notes: addition.notes,
      warnings: warningsOf(addition),
    })),
    duplicates: plan.duplicates,
    conflicts: plan.conflicts,
    skipped: plan.skipped.map(({ key, from, reason }) => ({ key, from, reason })),
  };
}
