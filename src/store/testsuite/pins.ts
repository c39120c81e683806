import { expect, it } from "vitest";
import { hashOfDefinition } from "../../core/definition-hash.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Pin, PinKey, PinOffer, PinStore } from "../../core/trust-store.ts";
import type { StoreFixture } from "./fixture.ts";

const keyOf = (name: string): PinKey => ({ server: "s", kind: "tool", name });
const toolOf = (name: string, description = "one"): JsonObject => ({ name, description });
const baselineOf = (...names: string[]) => names.map((name) => ({ ...keyOf(name), approved: toolOf(name) }));

function offerOf(name: string, description: string, status: PinOffer["status"] = "held"): PinOffer {
  const offered = toolOf(name, description);
  const offeredHash = hashOfDefinition(offered);
  return { ...keyOf(name), status, offered, offeredHash, reasons: ["description changed"] };
}

const YES = { isApproved: true, by: "ada" };
const NO = { isApproved: false, by: "ada" };

async function pinOf(pins: PinStore, name: string): Promise<Pin | undefined> {
  return (await pins.list("s")).find((pin) => pin.name === name);
}

export function describePins(fixture: () => StoreFixture): void {
  it("puts a baseline on record that nobody has approved yet, also after a restart", async () => {
    const { store, clock, reopen } = fixture();
    expect(await store.pins.begin("s", baselineOf("b", "a"))).toBe(true);
    const pins = await (await reopen()).pins.list();
    expect(pins.map(({ name }) => name)).toEqual(["a", "b"]);
    expect(pins[0]).toEqual({
      ...keyOf("a"),
      status: "approved",
      approved: toolOf("a"),
      approvedAt: clock.now(),
      approvedBy: null,
      offered: null,
      offeredHash: null,
      offeredAt: null,
      reasons: [],
    });
  });

  it("lets one of several that see a server first make the baseline, and writes none of the others", async () => {
    const { store } = fixture();
    const names = Array.from({ length: 8 }, (_, i) => `t${i}`);
    const begun = await Promise.all(names.map((name) => store.pins.begin("s", baselineOf(name))));
    const winner = begun.indexOf(true);
    expect(begun.filter(Boolean)).toHaveLength(1);
    expect((await store.pins.list("s")).map(({ name }) => name)).toEqual([names[winner]]);
  });

  it("takes a baseline of a thousand tools, and lists one server or all", async () => {
    const { store } = fixture();
    await store.pins.begin("s", baselineOf(...Array.from({ length: 1000 }, (_, i) => `t${i}`)));
    await store.pins.begin("other", [{ ...keyOf("x"), server: "other", approved: toolOf("x") }]);
    expect(await store.pins.list("s")).toHaveLength(1000);
    expect(await store.pins.list("other")).toHaveLength(1);
    expect(await store.pins.list()).toHaveLength(1001);
  });

  it("puts what is offered beside the approved definition, and keeps its time while it is the same", async () => {
    const { store, clock } = fixture();
    await store.pins.begin("s", baselineOf("a"));
    const at = clock.now();
    await store.pins.offer("s", [offerOf("a", "two")], []);
    clock.advance(1000);
    await store.pins.offer("s", [offerOf("a", "two", "noted")], []);
    const changed = offerOf("a", "two");
    expect(await pinOf(store.pins, "a")).toMatchObject({
      status: "noted",
      approved: toolOf("a"),
      offered: changed.offered,
      offeredHash: changed.offeredHash,
      offeredAt: at,
      reasons: ["description changed"],
    });
    await store.pins.offer("s", [offerOf("a", "three")], []);
    expect((await pinOf(store.pins, "a"))?.offeredAt).toBe(at + 1000);
  });

  it("forgets an offer that was taken back, and something new that is gone", async () => {
    const { store } = fixture();
    await store.pins.begin("s", baselineOf("a"));
    await store.pins.offer("s", [offerOf("a", "two"), offerOf("new", "new")], []);
    expect((await pinOf(store.pins, "new"))?.approved).toBeNull();
    await store.pins.offer("s", [], [keyOf("a"), keyOf("new"), keyOf("unknown")]);
    expect(await store.pins.list("s")).toMatchObject([{ name: "a", status: "approved", offered: null }]);
  });

  it("approves exactly what was shown", async () => {
    const { store, clock } = fixture();
    await store.pins.begin("s", baselineOf("a"));
    const shown = offerOf("a", "two");
    await store.pins.offer("s", [shown], []);
    await store.pins.offer("s", [offerOf("a", "three")], []);
    expect(await store.pins.decide(keyOf("a"), shown.offeredHash, YES)).toEqual({ kind: "changed" });
    expect(await store.pins.decide(keyOf("a"), null, YES)).toEqual({ kind: "changed" });
    expect(await pinOf(store.pins, "a")).toMatchObject({ status: "held", approved: toolOf("a") });
    clock.advance(5);
    const { offeredHash } = offerOf("a", "three");
    expect(await store.pins.decide(keyOf("a"), offeredHash, YES)).toMatchObject({ kind: "decided" });
    expect(await pinOf(store.pins, "a")).toMatchObject({
      status: "approved",
      approved: toolOf("a", "three"),
      approvedAt: clock.now(),
      approvedBy: "ada",
      offered: null,
      reasons: [],
    });
    expect(await store.pins.decide(keyOf("unknown"), null, YES)).toEqual({ kind: "missing" });
  });

  it("remembers a no while the same, the approved one or nothing is offered, and not beyond", async () => {
    const { store } = fixture();
    await store.pins.begin("s", baselineOf("a"));
    const bad = offerOf("a", "two");
    await store.pins.offer("s", [bad], []);
    await store.pins.decide(keyOf("a"), bad.offeredHash, NO);
    await store.pins.offer("s", [], [keyOf("a")]);
    await store.pins.offer("s", [{ ...bad, status: "noted" }], []);
    expect(await pinOf(store.pins, "a")).toMatchObject({ status: "rejected", offeredHash: bad.offeredHash });
    await store.pins.offer("s", [offerOf("a", "three")], []);
    expect(await pinOf(store.pins, "a")).toMatchObject({ status: "held" });
  });

  it("confirms or rejects an approved definition to which nothing else is offered", async () => {
    const { store } = fixture();
    await store.pins.begin("s", baselineOf("a", "b"));
    await store.pins.decide(keyOf("a"), null, YES);
    expect(await pinOf(store.pins, "a")).toMatchObject({ approved: toolOf("a"), approvedBy: "ada" });
    await store.pins.decide(keyOf("b"), null, NO);
    const offeredHash = hashOfDefinition(toolOf("b"));
    expect(await pinOf(store.pins, "b")).toMatchObject({
      status: "rejected",
      offered: toolOf("b"),
      offeredHash,
    });
  });

  it("lets one of two decisions on one offer count", async () => {
    const { store } = fixture();
    await store.pins.begin("s", baselineOf("a"));
    const shown = offerOf("a", "two");
    await store.pins.offer("s", [shown], []);
    const outcomes = await Promise.all([
      store.pins.decide(keyOf("a"), shown.offeredHash, YES),
      store.pins.decide(keyOf("a"), shown.offeredHash, YES),
    ]);
    expect(outcomes.map(({ kind }) => kind).toSorted()).toEqual(["changed", "decided"]);
  });

  it("has a revision that grows with every change, and with nothing else", async () => {
    const { store } = fixture();
    const seen = [await store.pins.revision()];
    const look = async (work: Promise<unknown>): Promise<void> => {
      await work;
      seen.push(await store.pins.revision());
    };
    const change = offerOf("a", "two");
    await look(store.pins.begin("s", baselineOf("a")));
    await look(store.pins.offer("s", [change], []));
    await look(store.pins.decide(keyOf("a"), change.offeredHash, YES));
    await look(store.pins.forget("s"));
    expect(seen).toEqual([0, 1, 2, 3, 4]);
    await store.pins.begin("s", baselineOf("a"));
    await store.pins.offer("s", [change], []);
    const before = await store.pins.revision();
    await store.pins.begin("s", baselineOf("b"));
    await store.pins.offer("s", [change], [keyOf("unknown")]);
    await store.pins.decide(keyOf("a"), "another", YES);
    await store.pins.forget("unknown");
    expect(await store.pins.revision()).toBe(before);
  });

  it("has the next sight of a server that was forgotten be the first", async () => {
    const { store } = fixture();
    await store.pins.begin("s", baselineOf("a"));
    await store.pins.forget("s");
    expect(await store.pins.list()).toEqual([]);
    expect(await store.pins.begin("s", baselineOf("b"))).toBe(true);
  });
}
