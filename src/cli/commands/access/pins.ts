/** `repertoire pins` and `repertoire reject`, and what `repertoire approve` does for a server. */
import type { PinView } from "../../../app/app.ts";
import { fail, succeed, type ToolResult } from "../../../core/result.ts";
import {
  decidePins as decideOn,
  identityLast,
  isOpen,
  listPins,
  nothingPinned,
  viewPin,
} from "../../../operator/access/pins.ts";
import { quote } from "../../../text/quote.ts";
import { didYouMean, nearest } from "../../../text/nearest.ts";
import { refuse, useApp } from "../../app-call.ts";
import { commandLine } from "../../command-line.ts";
import { defineCommand } from "../../command.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { openSession, type Session } from "../../session.ts";
import { askYesNo, canAsk, whyNotAsked } from "../../terminal/confirm.ts";
import { EXIT } from "../../terminal/exit-code.ts";
import {
  bold,
  dim,
  escapeLines,
  green,
  note,
  print,
  printJson,
  printTable,
  red,
  tell,
  yellow,
} from "../../terminal/terminal.ts";
import { agoOf, countOf, listOf } from "../../terminal/wording.ts";
import type { Json } from "../../../core/json.ts";
import { escapeUnprintable } from "../../../text/printable.ts";

interface PinsOptions extends GlobalOptions {
  readonly all?: boolean;
}

interface DecideOptions extends GlobalOptions {
  readonly yes?: boolean;
}

const SERVER = { about: "the id of the server", completes: ["servers"] } as const;
const TOOL = {
  words: "[tool]",
  about: "only this tool, prompt or template; or identity, or instructions",
} as const;

export const pinsCommand = defineCommand({
  name: "pins",
  group: "access",
  summary: "Show what servers offer and nobody has approved: what changed, since when, and who uses it",
  arguments: [{ words: "[server]", ...SERVER }],
  options: [{ flags: "--all", about: "list every pin, with who approved it" }],
  help: `What a server offered when it was first seen is its baseline. Later changes are noted or held, as "trust" of the server
says; what is held is neither listed nor callable until you approve it.`,
  examples: [
    "repertoire pins",
    "repertoire pins github",
    "repertoire pins github --all",
    "repertoire pins --json",
  ],
  run: (options: PinsOptions, server?: string) =>
    useApp(options, (app) => listPins(app, server, options.all === true), {
      view: (pins) => ({ pins: pins.map(viewPin) }),
      show: (pins) => (options.all === true ? showAll(pins) : showOpen(pins, options)),
    }),
});

function showOpen(pins: readonly PinView[], options: GlobalOptions): void {
  if (pins.length === 0) return note("Nothing is held, and nothing has changed since it was approved.");
  for (const pin of pins) describePin(pin).forEach((line) => print(line));
  const servers = [...new Set(pins.filter(({ status }) => status === "held").map(({ server }) => server))];
  for (const server of servers) {
    const [approve, reject] = ["approve", "reject"].map((word) => commandLine([word, server], options));
    note(`Decide on all of it with: ${approve}, or ${reject}; add a name to decide on one`);
  }
}

function showAll(pins: readonly PinView[]): void {
  printTable(pins.map(rowOf));
}

export const rejectCommand = defineCommand({
  name: "reject",
  group: "access",
  summary: "Reject what a server offers: it stays held until the server offers something else",
  arguments: [{ words: "<server>", ...SERVER }, TOOL],
  options: [{ flags: "--yes", about: "Do not ask; required without a terminal" }],
  examples: ["repertoire reject github create_issue", "repertoire reject github --yes"],
  run: async (options: DecideOptions, server: string, tool?: string) => {
    const session = await openSession(options);
    try {
      return await decidePins(session, { server, tool, isApproved: false }, options);
    } finally {
      await session.close();
    }
  },
});

export interface PinChoice {
  readonly server: string;
  readonly tool: string | undefined;
  readonly isApproved: boolean;
}

/** Shows what is decided on, asks, and decides on exactly that. */
export async function decidePins(
  session: Session,
  choice: PinChoice,
  options: DecideOptions,
): Promise<number> {
  const { pinReview } = session.app;
  const chosen = choosePins(await pinReview.list(choice.server), choice);
  if (!chosen.success) return refuse(chosen.error, options);
  for (const pin of chosen.data.filter(isOpen)) describePin(pin).forEach(tell);
  const agreed = await isAgreed(choice, chosen.data, options);
  if (!agreed.success) return refuse(agreed.error, options);
  if (!agreed.data) {
    tell("Nothing was decided.");
    return EXIT.refused;
  }
  const { server, isApproved } = choice;
  const decided = await decideOn(session.app, { server, isApproved, pins: chosen.data });
  return report(decided, choice, options);
}

/** Without a name, all that waits; and to approve a server is to confirm all of it. The identity comes last. */
function choosePins(
  pins: readonly PinView[],
  { server, tool, isApproved }: PinChoice,
): ToolResult<readonly PinView[]> {
  if (pins.length === 0) return nothingPinned(server, []);
  if (tool !== undefined) return findPins(pins, server, tool);
  const waits = ({ status }: PinView) => status === "held" || status === "noted";
  const chosen = pins.filter((pin) => waits(pin) || (isApproved && pin.status === "approved"));
  if (chosen.length > 0) return succeed(identityLast(chosen));
  return fail("TOOL_NOT_FOUND", `The server "${server}" has nothing that waits for a decision.`, {
    field: "server",
    hint: `To reject something that is in use, name it: repertoire reject ${server} TOOL`,
  });
}

function findPins(pins: readonly PinView[], server: string, tool: string): ToolResult<readonly PinView[]> {
  const isMeant = (name: string) => name !== "" && [name, `${server}__${name}`].includes(tool);
  const named = pins.filter(({ name }) => isMeant(name));
  const found = named.length > 0 ? named : pins.filter(({ kind, name }) => name === "" && kind === tool);
  if (found.length > 0) return succeed(found);
  const near = nearest(
    tool,
    pins.map(({ name }) => name),
  );
  return fail("TOOL_NOT_FOUND", `The server "${server}" has no pin ${quote(tool)}.${didYouMean(near)}`, {
    field: "tool",
    nearest: near,
    hint: `Run: repertoire pins ${server} --all`,
  });
}

async function isAgreed(
  { server, isApproved }: PinChoice,
  chosen: readonly PinView[],
  { yes }: DecideOptions,
): Promise<ToolResult<boolean>> {
  if (yes === true) return succeed(true);
  const same = chosen.filter((pin) => !isOpen(pin)).length;
  if (same > 0) tell(dim(`${countOf(same, "definition")} of ${server} as first seen or approved before`));
  if (canAsk()) return succeed(await askYesNo(`${isApproved ? "Approve" : "Reject"} this?`));
  return fail("TOOL_INVALID_INPUT", `Nothing was decided: ${whyNotAsked()}.`, {
    field: "yes",
    hint: "Read the difference, then give --yes.",
  });
}

function report(
  outcome: Awaited<ReturnType<typeof decideOn>>,
  { server, isApproved }: PinChoice,
  options: GlobalOptions,
): number {
  const { changed } = outcome;
  const decided = outcome.approved ?? outcome.rejected ?? [];
  const word = isApproved ? "approved" : "rejected";
  if (options.json === true) printJson(outcome);
  if (decided.length > 0)
    note(`${(isApproved ? green : red)(word)} ${countOf(decided.length, "definition")} of ${server}`);
  for (const pin of changed) tell(`${red("not decided")} ${labelOf(pin)}: something else is offered by now.`);
  if (changed.length > 0) note(`Look again: ${commandLine(["pins", server], options)}`);
  return changed.length > 0 ? EXIT.failed : EXIT.ok;
}

/** `tool send`, or `identity`. */
function labelOf({ kind, name }: { readonly kind: string; readonly name: string }): string {
  return name === "" ? kind : `${kind} ${escapeUnprintable(name)}`;
}

const PAINT = { approved: green, noted: yellow, held: red, rejected: red } as const;

/** The rejection is kept when the server takes its change back, in case that it comes again. */
const WHILE_REJECTED =
  "this definition is not used; the one before it is, whenever the server offers that one";

/** As a person reads it: everything that differs, cut nowhere, with what would not show written out. */
function describePin(pin: PinView): string[] {
  const { server, status, since, reasons, usedBy } = pin;
  const when = since === null ? "" : ` ${agoOf(since)}`;
  return [
    `${bold(server)} ${labelOf(pin)}: ${PAINT[status](status)}${dim(when)}`,
    ...reasons.map((reason) => `  ${escapeUnprintable(reason)}`),
    ...(usedBy.length === 0 ? [] : [`  used by ${listOf(usedBy.map(escapeUnprintable))}`]),
    ...(status === "rejected" && pin.approvedAt !== null ? [`  ${WHILE_REJECTED}`] : []),
    ...pin.changes.flatMap(describeChange),
  ];
}

function describeChange({ path, before, after }: PinView["changes"][number]): string[] {
  return [
    `  ${dim(escapeUnprintable(path))}`,
    ...linesOf(before).map((line) => red(`  - ${line}`)),
    ...linesOf(after).map((line) => green(`  + ${line}`)),
  ];
}

function linesOf(value: Json | undefined): string[] {
  if (value === undefined) return [];
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return escapeLines(text).split("\n");
}

/** One line for each pin. */
function rowOf({ server, kind, name, status, approvedBy, approvedAt }: PinView): string[] {
  // Of something that changed, a person approved the definition before.
  const what = status === "approved" ? "" : "before: ";
  const by = approvedBy === null ? "first seen" : `approved by ${approvedBy}`;
  const base = approvedAt === null ? "never approved" : `${what}${by} ${agoOf(approvedAt)}`;
  return [server, kind, name, status, base];
}
