/** `repertoire inbox`: everything that waits for a person, with the command that settles each. */
import { succeed } from "../../../core/result.ts";
import { isJsonObject } from "../../../core/json.ts";
import type { AnswerOf } from "../../../operator/contract/contract.ts";
import { readInbox } from "../../../operator/inbox.ts";
import { escapeUnprintable } from "../../../text/printable.ts";
import { useApp } from "../../app-call.ts";
import { commandLine } from "../../command-line.ts";
import { defineCommand } from "../../command.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { bold, dim, escapeLines, note, print, yellow } from "../../terminal/terminal.ts";
import { agoOf } from "../../terminal/wording.ts";

type Item = AnswerOf<"listInbox">["items"][number];

export const inboxCommand = defineCommand({
  name: "inbox",
  group: "runs",
  summary:
    "List everything that waits for a person: approvals, held tools, uncertain calls, runs that were given up, inputs, logins",
  help: `Each entry names the command that settles it. An approval shows exactly what would be done; answer it with
repertoire approve, which shows it again and asks.`,
  examples: ["repertoire inbox", "repertoire inbox --json"],
  run: (options: GlobalOptions) =>
    useApp(options, async (_app, { deps, viewer }) => succeed({ items: await readInbox(deps, viewer) }), {
      show: ({ items }) => show(items, options),
    }),
});

const WORDS: Readonly<Record<Item["kind"], string>> = {
  approval: "approval",
  uncertain: "uncertain call",
  resume: "to continue",
  given_up: "given up",
  held: "held",
  input: "missing input",
  login: "login",
};

function show(items: readonly Item[], options: GlobalOptions): void {
  if (items.length === 0) return note("Nothing waits for you.");
  for (const { kind, subject, title, since, expires, details, command } of items) {
    const when = [since && `since ${agoOf(since)}`, expires && `until ${expires}`].filter(Boolean).join(", ");
    print(`${yellow(WORDS[kind])}  ${bold(escapeUnprintable(subject))}  ${dim(when)}`.trimEnd());
    print(`  ${escapeUnprintable(title)}`);
    const params = kind === "approval" && isJsonObject(details) ? details["details"] : undefined;
    if (params !== undefined) print(dim(`  ${escapeLines(JSON.stringify(params))}`));
    print(`  → ${commandLine(command, options)}`);
    if (kind === "given_up") print(`  → ${commandLine(["dismiss", subject], options)}`);
  }
}
