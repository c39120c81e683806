/**
 * The pins of all servers: what is on record, in the memory of this process, and what follows from it for what a server
 * offers now.
 *
 * Memory decides, so that a call waits for no store; what other processes decide is read by `freshen`, when the revision
 * has grown and before a call is refused. A process judges what it was itself served: two processes that are served
 * different things may differ, and each is right for its own server process. The first baseline in the store counts for
 * both.
 */
import { systemClock, type Clock } from "../core/clock.ts";
import { hashOfDefinition } from "../core/definition-hash.ts";
import type { JsonObject } from "../core/json.ts";
import {
  NOTHING_HELD,
  type Hold,
  type Holds,
  type OfferedThing,
  type PinCheck,
  type Sighting,
} from "../core/pin-check.ts";
import { isDeepStrictEqual } from "node:util";
import type { TrustLevel } from "../core/rule.ts";
import type { ToolDefinition } from "../core/tool.ts";
import type { Pin, PinKey, PinKind, PinOffer, PinStore } from "../core/trust-store.ts";
import { Mutex } from "../timing/mutex.ts";
import { changedFields } from "./definition-changes.ts";
import { judgeThing, type PinVerdict } from "./verdict.ts";

export interface PinsDeps {
  readonly store: PinStore;
  /** The trust in a server as the config says now. */
  readonly trustOf: (server: string) => TrustLevel;
  /**
   * Whether the first sight of a server is its baseline. Where it is not, everything is new: nobody has chosen what a server
   * offers that was installed by its name.
   */
  readonly hasBaseline?: (server: string) => boolean;
  /** Puts on the audit trail what was held, noted or released. */
  readonly record?: (action: string, subject: string, details: JsonObject) => void;
  readonly clock?: Clock;
}

export interface Pins extends PinCheck {
  /** Whether a person approved the server: its identity is what they approved. */
  isApproved(server: string): boolean;
  /** Whether a person approved what a tool says of itself: its annotations are those that they approved. */
  areHintsApproved(server: string, tool: ToolDefinition): boolean;
  close(): void;
}

type ServerPins = ReadonlyMap<string, Pin>;

const NO_PINS: ServerPins = new Map();

export function createPins(deps: PinsDeps): Pins {
  const { store, trustOf, hasBaseline = () => true, clock = systemClock } = deps;
  const listeners = new Set<(server: string) => void>();
  const turns = new Map<string, Mutex>();
  /** One read at a time, so that an older one never takes the place of a newer. */
  const reads = new Mutex();
  const servers = new Map<string, ServerPins>();
  /** Servers of which a person rejected something. */
  const withRejected = new Set<string>();
  let readRevision: number | undefined;
  let isClosed = false;

  async function readAll(): Promise<void> {
    // Read before the pins: what changes in between is read again.
    const revision = await store.revision();
    const read = byServer(await store.list());
    readRevision = revision;
    for (const server of new Set([...servers.keys(), ...read.keys()]))
      take(server, read.get(server) ?? NO_PINS);
  }

  async function readServer(server: string): Promise<ServerPins> {
    const pins = byServer(await store.list(server)).get(server) ?? NO_PINS;
    take(server, pins);
    return pins;
  }

  /** Whoever reads a change tells of it: nobody reads it a second time. */
  function take(server: string, pins: ServerPins): void {
    const before = servers.get(server);
    servers.set(server, pins);
    if ([...pins.values()].some(isRejected)) withRejected.add(server);
    else withRejected.delete(server);
    if (markOf(before) !== markOf(pins)) for (const listener of listeners) listener(server);
  }

  async function freshen(revision?: number): Promise<void> {
    if (!isClosed && (revision ?? (await store.revision())) !== readRevision) await reads.run(readAll);
  }

  function judgeAll(sighting: Sighting, pins: ServerPins): JudgedSighting {
    const trust = trustOf(sighting.server);
    const renamedFrom = createRenames(sighting, pins);
    return sighting.things.map((thing) => {
      const pin = pins.get(keyText(thing));
      return {
        thing,
        pin,
        verdict: judgeThing({ ...thing, pin, trust, renamedFrom: () => renamedFrom(thing) }),
      };
    });
  }

  function judge(sighting: Sighting): Holds | undefined {
    const { server } = sighting;
    const pins = servers.get(server) ?? NO_PINS;
    const isAllowed = trustOf(server) === "allow";
    if (pins.size === 0) return isAllowed ? NOTHING_HELD : undefined;
    const things = isAllowed
      ? sighting.things.filter((thing) => isRejected(pins.get(keyText(thing))))
      : sighting.things;
    const held = judgeAll({ ...sighting, things }, pins).flatMap(
      ({ thing, pin, verdict }): [string, Hold][] => {
        if (verdict.kind !== "held" && verdict.kind !== "rejected") return [];
        const isKnown = pin?.offeredHash === hashOfDefinition(thing.definition);
        const since = (isKnown ? pin.offeredAt : null) ?? clock.now();
        const hold = {
          since,
          words: verdict.words,
          isRejected: verdict.kind === "rejected",
          isOfServer: false,
        };
        return [[keyText(thing), hold]];
      },
    );
    return held.length === 0 ? NOTHING_HELD : createHolds(new Map(held));
  }

  async function see(sighting: Sighting): Promise<void> {
    const { server } = sighting;
    let pins = servers.get(server) ?? NO_PINS;
    if (pins.size === 0 && hasBaseline(server)) {
      await store.begin(server, baselineOf(sighting));
      pins = await reads.run(() => readServer(server));
    }
    const judged = judgeAll(sighting, pins);
    const offers = judged.flatMap(({ thing, verdict }) => offerOf(server, thing, verdict) ?? []);
    const settled = [...pins.values()].filter((pin) => isOpen(pin) && isSettled(pin, judged, sighting));
    if (offers.every((offer) => isOnRecord(offer, pins)) && settled.length === 0) return;
    await store.offer(server, offers, settled);
    await reads.run(() => readServer(server));
    recordChanges(offers, settled, pins);
  }

  function recordChanges(offers: readonly PinOffer[], settled: readonly Pin[], before: ServerPins): void {
    for (const offer of offers) {
      const pin = before.get(keyText(offer));
      if (pin?.offeredHash === offer.offeredHash && [offer.status, "rejected"].includes(pin.status)) continue;
      const { kind, status, offeredHash, reasons } = offer;
      const fields = pin?.approved == null ? [] : changedFields(pin.approved, offer.offered);
      const details = {
        server: offer.server,
        kind,
        hash: offeredHash,
        reasons,
        fields: fields as unknown as JsonObject[],
      };
      deps.record?.(`pin.${status}`, subjectOf(offer), details);
    }
    for (const pin of settled) {
      const details = { server: pin.server, kind: pin.kind, hash: pin.offeredHash! };
      deps.record?.("pin.released", subjectOf(pin), details);
    }
  }

  function isApproved(server: string): boolean {
    const identity = servers.get(server)?.get(keyText({ kind: "identity", name: "" }));
    return (
      identity !== undefined &&
      identity.approvedBy !== null &&
      ["approved", "noted"].includes(identity.status)
    );
  }

  return {
    trustOf,
    mayHold: (server) => trustOf(server) !== "allow" || withRejected.has(server),
    load: () => reads.run(readAll),
    judge,
    see(sighting) {
      const turn = turns.get(sighting.server) ?? new Mutex();
      turns.set(sighting.server, turn);
      return turn.run(() => see(sighting));
    },
    freshen,
    isApproved,
    areHintsApproved(server, tool) {
      const pin = servers.get(server)?.get(keyText({ kind: "tool", name: tool.name }));
      if (pin?.approved == null || pin.approvedBy === null || !isApproved(server)) return false;
      return isDeepStrictEqual(pin.approved["annotations"], tool.annotations);
    },
    changed(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close() {
      isClosed = true;
    },
  };
}

type JudgedSighting = readonly {
  readonly thing: OfferedThing;
  readonly pin: Pin | undefined;
  readonly verdict: PinVerdict;
}[];

/** How one thing of a server is called on the audit trail. */
export function subjectOf({ server, kind, name }: PinKey): string {
  return name === "" ? `${server} ${kind}` : `${server} ${kind} ${name}`;
}

function keyText({ kind, name }: { readonly kind: PinKind; readonly name: string }): string {
  return `${kind} ${name}`;
}

function byServer(pins: readonly Pin[]): Map<string, ServerPins> {
  const servers = new Map<string, Map<string, Pin>>();
  for (const pin of pins) {
    const own = servers.get(pin.server) ?? new Map<string, Pin>();
    servers.set(pin.server, own.set(keyText(pin), pin));
  }
  return servers;
}

/** Another one for every change that decides something. */
function markOf(pins: ServerPins = NO_PINS): string {
  const marks = [...pins.values()].map((pin) => [
    pin.kind,
    pin.name,
    pin.status,
    pin.approvedAt,
    pin.approvedBy,
    pin.offeredHash,
    pin.approved === null ? null : hashOfDefinition(pin.approved),
  ]);
  return JSON.stringify(marks);
}

function createHolds(held: ReadonlyMap<string, Hold>): Holds {
  const own = held.get(keyText({ kind: "identity", name: "" }));
  const ofServer = own && { ...own, isOfServer: true };
  return {
    ofServer,
    of: (kind, name) => held.get(keyText({ kind, name })) ?? ofServer,
    mark: [...held.keys()].sort().join("\n"),
  };
}

function baselineOf({ server, things }: Sighting) {
  return things.map(({ kind, name, definition }) => ({ server, kind, name, approved: definition }));
}

function offerOf(
  server: string,
  { kind, name, definition }: OfferedThing,
  { kind: verdict, reasons }: PinVerdict,
): PinOffer | undefined {
  if (verdict === "approved") return undefined;
  const offeredHash = hashOfDefinition(definition);
  return {
    server,
    kind,
    name,
    status: verdict === "noted" ? "noted" : "held",
    offered: definition,
    offeredHash,
    reasons,
  };
}

function isOnRecord(offer: PinOffer, pins: ServerPins): boolean {
  const pin = pins.get(keyText(offer));
  if (pin?.offeredHash !== offer.offeredHash) return false;
  return (
    pin.status === "rejected" ||
    (pin.status === offer.status && String(pin.reasons) === String(offer.reasons))
  );
}

function isRejected(pin: Pin | undefined): boolean {
  return pin?.status === "rejected";
}

/** Something else is on record as offered, and no person has said no to it. */
function isOpen(pin: Pin): boolean {
  return pin.offeredHash !== null && !isRejected(pin);
}

/** It is offered as it was approved, or it is gone. */
function isSettled(pin: Pin, judged: JudgedSighting, { isWhole }: Sighting): boolean {
  const now = judged.find(({ thing }) => thing.kind === pin.kind && thing.name === pin.name);
  return now === undefined ? isWhole : now.verdict.kind === "approved";
}

/** Something new has the body of something that is gone. */
function createRenames(
  { things, isWhole }: Sighting,
  pins: ServerPins,
): (thing: OfferedThing) => string | undefined {
  let gone: Map<string, string> | undefined;
  const goneBodies = () => {
    const offered = new Set(things.map(keyText));
    const pinned = [...pins.values()].filter((pin) => pin.approved !== null && !offered.has(keyText(pin)));
    return new Map(pinned.map((pin) => [bodyHash(pin.kind, pin.approved!), pin.name]));
  };
  return ({ kind, definition }) =>
    isWhole ? (gone ??= goneBodies()).get(bodyHash(kind, definition)) : undefined;
}

function bodyHash(kind: PinKind, definition: JsonObject): string {
  const { name: _name, uriTemplate: _template, ...body } = definition;
  return `${kind} ${hashOfDefinition(body)}`;
}
