/** How a pin is shown to a person: everything that differs, cut nowhere, with what would not show written out. */
import type { PinView } from "../../../app/app.ts";
import type { Json } from "../../../core/json.ts";
import { escapeUnprintable } from "../../../text/printable.ts";
import { agoOf, listOf } from "../../terminal/wording.ts";
import { bold, dim, escapeLines, green, red, yellow } from "../../terminal/terminal.ts";

export function isOpen({ status }: PinView): boolean {
  return status !== "approved";
}

/** `tool send`, or `identity`. */
export function labelOf({ kind, name }: Pick<PinView, "kind" | "name">): string {
  return name === "" ? kind : `${kind} ${escapeUnprintable(name)}`;
}

const PAINT = { approved: green, noted: yellow, held: red, rejected: red } as const;

export function describePin(pin: PinView): string[] {
  const { server, status, since, reasons, usedBy } = pin;
  const when = since === null ? "" : ` ${agoOf(since)}`;
  return [
    `${bold(server)} ${labelOf(pin)}: ${PAINT[status](status)}${dim(when)}`,
    ...reasons.map((reason) => `  ${escapeUnprintable(reason)}`),
    ...(usedBy.length === 0 ? [] : [`  used by ${listOf(usedBy.map(escapeUnprintable))}`]),
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
export function rowOf({ server, kind, name, status, approvedBy, approvedAt }: PinView): string[] {
  const by = approvedBy === null ? "first seen" : `approved by ${approvedBy}`;
  return [server, kind, name, status, approvedAt === null ? "never approved" : `${by} ${agoOf(approvedAt)}`];
}
