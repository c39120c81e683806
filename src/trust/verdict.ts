/**
 * Whether something that a server offers may be used, by the pin that is on record of it.
 *
 * | what is offered                                   | allow | scan  | ask  |
 * |---------------------------------------------------|-------|-------|------|
 * | what a person approved                            | used  | used  | used |
 * | what was first seen of one that was not installed | used  | used; held on a finding ||
 * | a change that can only narrow                     | noted | noted | noted |
 * | new or changed, the identity of the server too    | noted | noted; held on a finding | held |
 * | a new or changed skill                            | noted | held  | held |
 * | a skill without digests                           | noted | held  | held |
 * | what a person rejected                            | held  | held  | held |
 *
 * With `scan` a new command line or version is noted and not held: it comes from the user's own config or with an
 * update, and every definition of the server is compared and scanned by itself. A skill has its text in files that are
 * not read before somebody uses it: there is nothing to scan, so a person decides. Without digests, nothing binds what
 * they approved to what is read; they may still say that they want it.
 */
import { hashOfDefinition } from "../core/definition-hash.ts";
import type { JsonObject } from "../core/json.ts";
import type { OfferedThing, ThingFinding } from "../core/pin-check.ts";
import type { TrustLevel } from "../core/rule.ts";
import type { Pin } from "../core/trust-store.ts";
import { quote } from "../text/quote.ts";
import { tellChanges, tellFields } from "./definition-changes.ts";
import { canOnlyNarrow } from "./narrowing.ts";

export interface PinVerdict {
  readonly kind: "approved" | "noted" | "held" | "rejected";
  /** For a person: what changed and what was found, with the server's own names and texts. */
  readonly reasons: readonly string[];
  /** The same without anything of the server's. */
  readonly words: readonly string[];
}

const APPROVED: PinVerdict = { kind: "approved", reasons: [], words: [] };

export interface JudgedThing extends OfferedThing {
  readonly pin: Pin | undefined;
  readonly trust: TrustLevel;
  /** The name of something that is gone and had the same body. */
  readonly renamedFrom: () => string | undefined;
}

export function judgeThing(thing: JudgedThing): PinVerdict {
  const { pin, definition, trust } = thing;
  if (pin?.status === "rejected" && pin.offeredHash === hashOfDefinition(definition))
    return { kind: "rejected", reasons: pin.reasons, words: [] };
  const approved = pin?.approved ?? undefined;
  if (approved === undefined) return judgeNew(thing);
  const isByPerson = pin!.approvedBy !== null;
  if (isSame(thing, approved)) {
    if (isUnbound(thing) && !isByPerson) return { kind: "held", ...UNBOUND };
    const finding = trust === "allow" || isByPerson ? undefined : thing.finding();
    if (finding === undefined) return APPROVED;
    return { kind: "held", reasons: [tellFinding(finding)], words: [finding.code] };
  }
  return judgeChange(thing, approved, isByPerson);
}

function judgeNew(thing: JudgedThing): PinVerdict {
  const old = thing.renamedFrom();
  if (old === undefined) return withFinding(thing, ["new: it was not there before"], ["it is new"]);
  return withFinding(thing, [`renamed from ${quote(old)}, with an equal body`], ["it was renamed"]);
}

function judgeChange(thing: JudgedThing, approved: JsonObject, isByPerson: boolean): PinVerdict {
  const { kind, trust } = thing;
  const offered = comparable(thing, approved);
  const reasons = tellChanges(approved, offered);
  const words = tellFields(approved, offered);
  const narrows = trust !== "allow" && canOnlyNarrow(kind, approved, offered);
  if (narrows && (isByPerson || thing.finding() === undefined))
    return { kind: "noted", reasons: [...reasons, "it can only narrow"], words };
  return withFinding(thing, reasons, words);
}

function withFinding(
  { kind, trust, finding }: JudgedThing,
  reasons: readonly string[],
  words: readonly string[],
): PinVerdict {
  if (trust === "allow") return { kind: "noted", reasons, words };
  const found = finding();
  const isHeld = trust === "ask" || kind === "skill";
  if (found === undefined) return { kind: isHeld ? "held" : "noted", reasons, words };
  return { kind: "held", reasons: [...reasons, tellFinding(found)], words: [...words, found.code] };
}

const UNBOUND: Pick<PinVerdict, "reasons" | "words"> = {
  reasons: ["its files have no digests: what is read may differ each time"],
  words: ["its files have no digests"],
};

function isUnbound({ kind, trust, definition }: JudgedThing): boolean {
  return kind === "skill" && trust !== "allow" && !Array.isArray(definition["resources"]);
}

function tellFinding({ code, text }: ThingFinding): string {
  return `${code}: ${text}`;
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
