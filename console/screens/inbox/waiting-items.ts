/** What waits, for the list: grouped by kind, and what names one item in the URL. */
import type { Answer } from "../../api/client.ts";
import { WAITING_KINDS, type WaitingKind } from "../../parts/waiting-kinds.ts";
import { heldOf, serverOf } from "./item-details.ts";

export type WaitingItem = Answer<"listInbox">["items"][number];
export interface WaitingGroup {
  readonly kind: WaitingKind;
  readonly items: readonly WaitingItem[];
}

/** The groups that have something, of the chosen kinds or of all. */
export function groupItems(items: readonly WaitingItem[], kinds: readonly string[] = []): WaitingGroup[] {
  return WAITING_KINDS.filter((kind) => kinds.length === 0 || kinds.includes(kind))
    .map((kind) => ({ kind, items: items.filter((item) => item.kind === kind) }))
    .filter((group) => group.items.length > 0);
}

/** The same for as long as the item waits: what the URL and the list call it. */
export function keyOfItem({ kind, subject, question, details }: WaitingItem): string {
  return [kind, subject, question ?? withinSubject(kind, details)]
    .filter((part) => part !== undefined && part !== "")
    .join(":");
}

/** A server can hold several things, and several servers can need one input. */
function withinSubject(kind: WaitingKind, details: unknown): string | undefined {
  const held = heldOf(details);
  if (kind === "held") return `${held.kind}:${held.name}`;
  return kind === "input" ? serverOf(details) : undefined;
}

/** The item that is shown: the chosen one; else the first, where there is room beside the list. */
export function shownItem(
  items: readonly WaitingItem[],
  chosen: string | undefined,
  isWide: boolean,
): WaitingItem | undefined {
  const found = items.find((item) => keyOfItem(item) === chosen);
  return found ?? (isWide ? items[0] : undefined);
}

/** The item after or before the shown one. */
export function neighbourOf(
  items: readonly WaitingItem[],
  shown: string | undefined,
  step: 1 | -1,
): WaitingItem | undefined {
  const at = items.findIndex((item) => keyOfItem(item) === shown);
  return at === -1 ? items[0] : items[Math.max(0, Math.min(items.length - 1, at + step))];
}
