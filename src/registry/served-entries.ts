/** Entries that a server lists to a client itself, page by page, beside what the registry has read of it. */
import type { Admitted } from "../admission/admission.ts";
import { entryNameOf } from "../admission/entry-reading.ts";
import type { EntryFinding } from "../admission/findings.ts";
import { hashOfDefinition } from "../core/definition-hash.ts";
import type { JsonObject } from "../core/json.ts";
import { NOTHING_HELD, type PinCheck } from "../core/pin-check.ts";
import { sightingOf } from "./sighting.ts";
import type { SourceTable } from "./source-table.ts";

const KINDS = {
  tools: "tool",
  prompts: "prompt",
  resourceTemplates: "resource template",
  skills: "skill",
} as const;

type PinnedKind = keyof typeof KINDS;
export type ServedKind = PinnedKind | "resources";

/** One that was admitted, with what admission saw. */
export interface ServedEntry {
  readonly entry: JsonObject;
  readonly notes: readonly Pick<EntryFinding, "code" | "message" | "excerpt">[];
}

export function passServed(
  table: SourceTable,
  pins: PinCheck | undefined,
  id: string,
  key: ServedKind,
  entries: readonly ServedEntry[],
): boolean[] {
  const registered = table.sources.get(id);
  if (pins === undefined || registered === undefined) return entries.map(() => true);
  const isAllowed = pins.trustOf(id) === "allow";
  const { list } = registered;
  // Nothing is known of it that could be compared.
  if (list === undefined || !table.listings.has(id)) return entries.map(() => isAllowed);
  // A resource has no pin of its own.
  if (key === "resources") return entries.map(() => registered.holds.ofServer === undefined);
  const kind = KINDS[key];
  const others = entries.filter(({ entry }) => !isKnown(list.admitted, key, entry));
  const changed = withEntries(list.admitted, key, others);
  // Where nothing is held, what single clients are served is none of the registry's business.
  const judged = [registered.holds, pins.judge(sightingOf(id, changed, registered.identity))];
  const isNews = !isAllowed || judged.some((holds) => holds !== NOTHING_HELD);
  if (others.length > 0 && isNews) table.served(id, () => changed);
  return entries.map(({ entry }) => registered.holds.of(kind, entryNameOf(kind, entry)) === undefined);
}

/**
 * What a server has just said of one skill counts from now on: its files are verified by it. Whether it may be used.
 */
export function takeSkill(table: SourceTable, id: string, entry: JsonObject): boolean {
  const registered = table.sources.get(id);
  if (registered?.list === undefined) return false;
  const served = [{ entry, notes: [] }];
  if (!isKnown(registered.list.admitted, "skills", entry))
    table.served(id, (admitted) => withEntries(admitted, "skills", served));
  return registered.holds.of("skill", entryNameOf("skill", entry)) === undefined;
}

function isKnown(admitted: Admitted, key: PinnedKind, entry: JsonObject): boolean {
  const name = entryNameOf(KINDS[key], entry);
  const listed = entriesOf(admitted, key).find((one) => entryNameOf(KINDS[key], one) === name);
  return listed !== undefined && hashOfDefinition(listed) === hashOfDefinition(entry);
}

function entriesOf(admitted: Admitted, key: PinnedKind): readonly JsonObject[] {
  return (admitted[key] ?? []) as readonly JsonObject[];
}

/** Each in the place of the one that has its name, and what is new behind them. */
function withEntries(admitted: Admitted, key: PinnedKind, others: readonly ServedEntry[]): Admitted {
  const kind = KINDS[key];
  const nameOf = (entry: object) => entryNameOf(kind, entry as JsonObject);
  const served = new Map(others.map((other) => [nameOf(other.entry), other]));
  const kept = entriesOf(admitted, key).filter((entry) => !served.has(nameOf(entry)));
  const findings = others.flatMap(({ entry, notes }) =>
    notes.map((note) => ({ ...note, kind, tool: nameOf(entry) })),
  );
  const earlier = admitted.findings.filter((one) => one.kind !== kind || !served.has(one.tool));
  return {
    ...admitted,
    [key]: [...kept, ...others.map(({ entry }) => entry)],
    findings: [...earlier, ...findings],
  };
}
