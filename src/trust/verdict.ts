/**
 * Whether something that a server offers may be used, by the pin that is on record of it.
 *
 * | what is offered                                   | allow | scan  | ask  |
 * |---------------------------------------------------|-------|-------|------|
 * | what a person approved                            | used  | used  | used |
 * | what was first seen                               | used  | used; held on a finding ||
 * | a change that can only narrow                     | noted | noted | noted |
 * | new or changed, the identity of the server too    | noted | noted; held on a finding | held |
 * | what a person rejected                            | held  | held  | held |
 *
 * With `scan` a new command line or version is noted and not held: it comes from the user's own config or with an
 * update, and every definition of the server is compared and scanned by itself.
 */
import { hashOfDefinition } from "../core/definition-hash.ts";
import type { JsonObject } from "../core/json.ts";
import type { OfferedThing } from "../core/pin-check.ts";
import type { TrustLevel } from "../core/rule.ts";
import type { Pin } from "../core/trust-store.ts";
import { quote } from "../text/quote.ts";
import { tellChanges } from "./definition-changes.ts";
import { canOnlyNarrow } from "./narrowing.ts";

export interface Verdict {
  readonly kind: "approved" | "noted" | "held" | "rejected";
  readonly reasons: readonly string[];
}

const APPROVED: Verdict = { kind: "approved", reasons: [] };

export interface JudgedThing extends OfferedThing {
  readonly pin: Pin | undefined;
  readonly trust: TrustLevel;
  /** The name of something that is gone and had the same body. */
  readonly renamedFrom: () => string | undefined;
}

export function judgeThing(thing: JudgedThing): Verdict {
  const { pin, definition, trust } = thing;
  if (pin?.status === "rejected" && pin.offeredHash === hashOfDefinition(definition))
    return { kind: "rejected", reasons: pin.reasons };
  const approved = pin?.approved ?? undefined;
  if (approved === undefined) return judgeNew(thing);
  const isByPerson = pin!.approvedBy !== null;
  if (isSame(thing, approved)) {
    const finding = trust === "allow" || isByPerson ? undefined : thing.finding();
    return finding === undefined ? APPROVED : { kind: "held", reasons: [finding] };
  }
  return judgeChange(thing, approved, isByPerson);
}

function judgeNew(thing: JudgedThing): Verdict {
  const old = thing.renamedFrom();
  const reason =
    old === undefined ? "new: it was not there before" : `renamed from ${quote(old)}, with an equal body`;
  return withFinding(thing, [reason]);
}

function judgeChange(thing: JudgedThing, approved: JsonObject, isByPerson: boolean): Verdict {
  const { kind, trust } = thing;
  const offered = comparable(thing, approved);
  const changes = tellChanges(approved, offered);
  const narrows = trust !== "allow" && canOnlyNarrow(kind, approved, offered);
  if (narrows && (isByPerson || thing.finding() === undefined))
    return { kind: "noted", reasons: [...changes, "it can only narrow"] };
  return withFinding(thing, changes);
}

function withFinding({ trust, finding }: JudgedThing, reasons: readonly string[]): Verdict {
  if (trust === "allow") return { kind: "noted", reasons };
  const found = finding();
  if (found !== undefined) return { kind: "held", reasons: [...reasons, found] };
  return { kind: trust === "ask" ? "held" : "noted", reasons };
}

function isSame(thing: OfferedThing, approved: JsonObject): boolean {
  return hashOfDefinition(approved) === hashOfDefinition(comparable(thing, approved));
}

/** What a server calls itself is not known before it runs: a cached list may be without it. */
function comparable({ kind, definition }: OfferedThing, approved: JsonObject): JsonObject {
  const { serverInfo } = approved;
  if (kind !== "identity" || serverInfo === undefined || definition["serverInfo"] !== undefined)
    return definition;
  return { ...definition, serverInfo };
}
