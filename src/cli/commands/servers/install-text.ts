/** What a person reads before a server is added: whole, each word in quotes, and what would not show written out. */
import { isJsonObject, type Json } from "../../../core/json.ts";
import type { FoundLaunch, InstallPlan } from "../../../operator/servers/install/install-plan.ts";
import { warningsOf } from "../../../operator/servers/server-risks.ts";
import { escapeUnprintable } from "../../../text/printable.ts";
import { createRedactor } from "../../../text/redaction.ts";
import { bold, yellow } from "../../terminal/terminal.ts";

export function describeInstall(plan: InstallPlan, { description, launch, bundle }: FoundLaunch): string[] {
  const { origin, id, entry, risks, missing, values } = plan;
  const { show, texts } = createShown();
  const rows: [string, string][] = [
    ["about", show(description)],
    ["from", show(origin.registry ?? "a file")],
    ...(origin.sha256 === undefined ? [] : [["sha256", origin.sha256] as [string, string]]),
    ...(bundle === undefined ? [] : [["signature", signatureOf(bundle.isSigned)] as [string, string]]),
    ...commandRows(entry, texts),
    ...namesRow("variables", entry["env"], texts),
    ...namesRow("headers", entry["headers"], texts),
    ...(values.size + missing.length === 0 ? [] : [["inputs", inputsOf(plan)] as [string, string]]),
  ];
  const told = new Set(risks.map(({ kind, message }) => `${kind}: ${message}`));
  const unpinned = warningsOf(id, entry).filter((line) => line.includes("is started with"));
  return [
    `${bold(show(`${origin.name} ${origin.version}`))} (${launch.kind}) would be added as ${id}:`,
    ...rows.map(([name, text]) => `  ${name.padEnd(ROW_NAME_LENGTH)} ${text}`),
    ...[...told, ...unpinned].map((line) => `${yellow("warning")} ${show(line)}`),
  ];
}

const ROW_NAME_LENGTH = 9;

/** Says what is true, and promises nothing. */
function signatureOf(isSigned: boolean): string {
  return isSigned ? "there is one, and it was not checked" : "none";
}

function createShown() {
  const redactor = createRedactor();
  const show = (text: string): string => escapeUnprintable(redactor.text(text));
  return {
    show,
    texts: (words: readonly Json[]) => show(words.map((word) => JSON.stringify(word)).join(" ")),
  };
}

type Rows = [string, string][];

function commandRows(
  { command, args, url }: InstallPlan["entry"],
  texts: (words: readonly Json[]) => string,
): Rows {
  if (typeof url === "string") return [["address", texts([url])]];
  return [["starts", texts([command!, ...(Array.isArray(args) ? args : [])])]];
}

/** Each with its value, which is the publisher's, or an input. */
function namesRow(name: string, record: Json | undefined, texts: (words: readonly Json[]) => string): Rows {
  if (!isJsonObject(record)) return [];
  return [[name, texts(Object.entries(record).map(([key, value]) => `${key}=${value as string}`))]];
}

function inputsOf({ inputs, missing }: InstallPlan): string {
  return inputs.map(({ id }) => (missing.includes(id) ? `${id} (no value yet)` : id)).join(", ");
}
