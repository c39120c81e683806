/** What a person should see before a new server starts. */
import { findEntryRisks, packageOf } from "../../config/entries/entry-risks.ts";
import type { JsonObject } from "../../core/json.ts";
import { escapeUnprintable } from "../../text/printable.ts";
import { createRedactor } from "../../text/redaction.ts";
import { howToPin } from "./pinned-entry.ts";

/** Each in one line; with anything unusual, the whole command too. */
export function warningsOf(key: string, entry: JsonObject): string[] {
  const risks = findEntryRisks(entry);
  const lines = risks.map(({ kind, message }) =>
    kind === "unpinned" ? `${key}: ${message} ${pinAdvice(key, entry)}` : `${key}: ${message}`,
  );
  const isUnusual = risks.some(({ kind }) => kind !== "unpinned");
  return [...lines, ...(isUnusual ? [`${key} starts: ${wholeCommand(entry)}`] : [])].map(escapeUnprintable);
}

function pinAdvice(key: string, entry: JsonObject): string {
  const run = packageOf(entry);
  return run === undefined || run.kind === "npm"
    ? `Pin it: repertoire pin ${key}`
    : `To pin it, ${howToPin(run)}.`;
}

/** Every word in quotes, so that nobody takes two for one; nothing is cut. */
function wholeCommand({ command, args }: JsonObject): string {
  const words = [command, ...(Array.isArray(args) ? args : [])];
  return createRedactor().text(words.map((word) => JSON.stringify(word)).join(" "));
}
