import fc from "fast-check";
import { expect, it } from "vitest";
import { DEFAULT_SCOPE, displayNameOf, type CapabilityName, type Scope } from "../../core/names.ts";
import type { CapabilityStore } from "../../core/store.ts";
import { draftOf, save, type StoreFixture } from "./fixture.ts";

const SUM: CapabilityName = { namespace: "math", action: "sum" };
const TOTAL: CapabilityName = { namespace: "math", action: "total" };
const ADD: CapabilityName = { namespace: "math", action: "add" };

export function describeCapabilityNames(fixture: () => StoreFixture): void {
  describeRenaming(fixture);
  describeRemoving(fixture);
  describeRevision(fixture);
  describeModel(fixture);

  it("lists a scope's capabilities by name", async () => {
    const { store } = fixture();
    for (const [namespace, action] of [
      ["text", "cut"],
      ["math", "sum"],
      ["math", "add"],
    ] as const)
      await save(store.capabilities, { namespace, action });
    await save(store.capabilities, { scope: { org: "local", project: "other" } });
    const listed = await store.capabilities.list(DEFAULT_SCOPE);
    expect(listed.map(displayNameOf)).toEqual(["math:add", "math:sum", "text:cut"]);
  });

  it("lists a scope's capabilities with their current versions by name", async () => {
    const { store, clock } = fixture();
    const cut = await save(store.capabilities, { namespace: "text", action: "cut" });
    const gone = await save(store.capabilities, { namespace: "text", action: "gone" });
    await save(store.capabilities, { author: "ada", source: "1" });
    clock.advance(5);
    const sum = await save(store.capabilities, { author: "bob", source: "2", overwrite: true });
    await store.capabilities.remove(gone.capability.id);
    await save(store.capabilities, { scope: { org: "local", project: "other" } });
    const current = await store.capabilities.listCurrent(DEFAULT_SCOPE);
    expect(current).toEqual([sum, cut].map(({ capability, version }) => ({ capability, version })));
    expect(current[0]?.capability).toMatchObject({ author: "ada", createdAt: clock.now() - 5 });
    expect(current[0]?.version).toMatchObject({ author: "bob", createdAt: clock.now(), version: 2 });
    expect(await store.capabilities.listCurrent({ org: "nobody", project: "none" })).toEqual([]);
  });

  it("finds nothing under a name that no capability has", async () => {
    const { store } = fixture();
    expect(await store.capabilities.find(DEFAULT_SCOPE, SUM)).toBeUndefined();
    expect(await store.capabilities.list(DEFAULT_SCOPE)).toEqual([]);
    expect(await store.capabilities.aliases("unknown")).toEqual([]);
  });
}

function describeRenaming(fixture: () => StoreFixture): void {
  it("renames, and finds the capability by the old name as well", async () => {
    const { store, clock } = fixture();
    const { capability, version } = await save(store.capabilities);
    clock.advance(5);
    const outcome = await store.capabilities.rename(capability.id, TOTAL);
    const renamed = { ...capability, ...TOTAL, updatedAt: clock.now() };
    expect(outcome).toEqual({ kind: "renamed", capability: renamed });
    expect(await store.capabilities.find(DEFAULT_SCOPE, TOTAL)).toEqual(renamed);
    expect(await store.capabilities.find(DEFAULT_SCOPE, SUM)).toEqual(renamed);
    expect(await store.capabilities.aliases(capability.id)).toEqual([SUM]);
    expect(await store.capabilities.versions(capability.id)).toEqual([version]);
    expect(await store.capabilities.list(DEFAULT_SCOPE)).toEqual([renamed]);
  });

  it("points every earlier name at the capability itself, and takes back an earlier one", async () => {
    const { store } = fixture();
    const { id } = (await save(store.capabilities)).capability;
    await store.capabilities.rename(id, TOTAL);
    await store.capabilities.rename(id, ADD);
    expect(await store.capabilities.aliases(id)).toEqual([SUM, TOTAL]);
    for (const name of [SUM, TOTAL, ADD])
      expect((await store.capabilities.find(DEFAULT_SCOPE, name))?.id).toBe(id);
    await store.capabilities.rename(id, SUM);
    expect(await store.capabilities.aliases(id)).toEqual([ADD, TOTAL]);
    expect((await store.capabilities.find(DEFAULT_SCOPE, SUM))?.action).toBe("sum");
  });

  it("says taken when another live capability has the new name", async () => {
    const { store } = fixture();
    const sum = await save(store.capabilities);
    const total = await save(store.capabilities, TOTAL);
    const revision = await store.capabilities.revision();
    const outcome = await store.capabilities.rename(sum.capability.id, TOTAL);
    expect(outcome).toEqual({ kind: "taken", capability: total.capability });
    expect(await store.capabilities.find(DEFAULT_SCOPE, SUM)).toEqual(sum.capability);
    expect(await store.capabilities.aliases(sum.capability.id)).toEqual([]);
    expect(await store.capabilities.revision()).toBe(revision);
  });

  it("leaves everything as it is when the new name is the old one", async () => {
    const { store } = fixture();
    const { capability } = await save(store.capabilities);
    const revision = await store.capabilities.revision();
    expect(await store.capabilities.rename(capability.id, SUM)).toEqual({ kind: "renamed", capability });
    expect(await store.capabilities.aliases(capability.id)).toEqual([]);
    expect(await store.capabilities.revision()).toBe(revision);
  });

  it("says missing when there is nothing to rename", async () => {
    const { store } = fixture();
    expect(await store.capabilities.rename("unknown", SUM)).toEqual({ kind: "missing" });
    const { id } = (await save(store.capabilities)).capability;
    await store.capabilities.remove(id);
    expect(await store.capabilities.rename(id, TOTAL)).toEqual({ kind: "missing" });
  });

  it("gives a name to the capability that takes it live, by saving or by renaming, over an alias", async () => {
    const { store } = fixture();
    const old = (await save(store.capabilities)).capability.id;
    await store.capabilities.rename(old, TOTAL);
    const saved = (await save(store.capabilities, SUM)).capability.id;
    expect((await store.capabilities.find(DEFAULT_SCOPE, SUM))?.id).toBe(saved);
    expect(await store.capabilities.aliases(old)).toEqual([]);
    await store.capabilities.rename(old, { namespace: "math", action: "plus" });
    const moved = (await save(store.capabilities, ADD)).capability.id;
    await store.capabilities.rename(moved, TOTAL);
    expect((await store.capabilities.find(DEFAULT_SCOPE, TOTAL))?.id).toBe(moved);
    expect(await store.capabilities.aliases(old)).toEqual([]);
  });

  it("keeps aliases inside their scope", async () => {
    const { store } = fixture();
    const { id } = (await save(store.capabilities)).capability;
    await store.capabilities.rename(id, TOTAL);
    expect(await store.capabilities.find({ org: "local", project: "other" }, SUM)).toBeUndefined();
  });

  it("lets one of ten renamers to one name win", async () => {
    const { store } = fixture();
    const ids: string[] = [];
    for (let i = 0; i < 10; i++)
      ids.push((await save(store.capabilities, { action: `a${i}` })).capability.id);
    const outcomes = await Promise.all(ids.map((id) => store.capabilities.rename(id, TOTAL)));
    expect(outcomes.filter((outcome) => outcome.kind === "renamed")).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome.kind === "taken")).toHaveLength(9);
    expect(await store.capabilities.list(DEFAULT_SCOPE)).toHaveLength(10);
  });
}

function describeRemoving(fixture: () => StoreFixture): void {
  it("removes a capability with its aliases, frees the names and keeps the versions", async () => {
    const { store } = fixture();
    const { capability, version } = await save(store.capabilities);
    await store.capabilities.rename(capability.id, TOTAL);
    expect(await store.capabilities.remove(capability.id)).toBe(true);
    expect(await store.capabilities.find(DEFAULT_SCOPE, TOTAL)).toBeUndefined();
    expect(await store.capabilities.find(DEFAULT_SCOPE, SUM)).toBeUndefined();
    expect(await store.capabilities.list(DEFAULT_SCOPE)).toEqual([]);
    expect(await store.capabilities.aliases(capability.id)).toEqual([]);
    expect(await store.capabilities.version(capability.id, 1)).toEqual(version);
    const next = await save(store.capabilities, TOTAL);
    expect(next.capability.id).not.toBe(capability.id);
    expect(next.version.version).toBe(1);
  });

  it("removes once and says so", async () => {
    const { store } = fixture();
    const { id } = (await save(store.capabilities)).capability;
    const outcomes = await Promise.all([store.capabilities.remove(id), store.capabilities.remove(id)]);
    expect(new Set(outcomes)).toEqual(new Set([true, false]));
    expect(await store.capabilities.remove("unknown")).toBe(false);
  });

  it("can save, remove and save one name again and again", async () => {
    const { store } = fixture();
    for (let i = 0; i < 5; i++) {
      const { capability } = await save(store.capabilities);
      expect(await store.capabilities.remove(capability.id)).toBe(true);
    }
    expect(await store.capabilities.find(DEFAULT_SCOPE, SUM)).toBeUndefined();
  });
}

function describeRevision(fixture: () => StoreFixture): void {
  it("grows the revision with every change and with nothing else", async () => {
    const { store, reopen } = fixture();
    const { capabilities } = store;
    expect(await capabilities.revision()).toBe(0);
    const { id } = (await save(capabilities)).capability;
    expect(await capabilities.revision()).toBe(1);
    await capabilities.save(draftOf({ overwrite: true }));
    expect(await capabilities.revision()).toBe(2);
    await capabilities.rename(id, TOTAL);
    expect(await capabilities.revision()).toBe(3);
    await capabilities.remove(id);
    expect(await capabilities.revision()).toBe(4);
    await capabilities.remove(id);
    await capabilities.rename(id, SUM);
    expect(await (await reopen()).capabilities.revision()).toBe(4);
  });
}

// ── any order of changes, against a model ───────────────────────────────────────────────────────────────────────────

interface Change {
  readonly kind: "save" | "rename" | "alias" | "remove";
  readonly on: string;
  readonly to: string;
}

const ACTIONS = ["a", "b", "c"] as const;
const anyChange: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom("save", "rename", "alias", "remove"),
  on: fc.constantFrom(...ACTIONS),
  to: fc.constantFrom(...ACTIONS),
});

/** Names as two maps: what is live, and what an old name points at. */
class NameModel {
  readonly live = new Map<string, string>();
  readonly alias = new Map<string, string>();

  find(action: string): string | undefined {
    return this.live.get(action) ?? this.alias.get(action);
  }

  take(action: string, id: string): void {
    this.alias.delete(action);
    this.live.set(action, id);
  }

  rename(from: string, to: string, id: string): void {
    this.live.delete(from);
    this.alias.set(from, id);
    this.take(to, id);
  }

  remove(action: string, id: string): void {
    this.live.delete(action);
    for (const [name, target] of this.alias) if (target === id) this.alias.delete(name);
  }
}

function describeModel(fixture: () => StoreFixture): void {
  it("finds what a model of two maps finds, after any order of changes", async () => {
    const { capabilities } = fixture().store;
    let project = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(anyChange, { maxLength: 25 }), async (changes) => {
        const scope = { org: "model", project: `p${project++}` };
        const model = new NameModel();
        for (const change of changes) await apply(capabilities, scope, model, change);
        for (const action of ACTIONS) {
          const found = await capabilities.find(scope, { namespace: "n", action });
          expect(found?.id).toBe(model.find(action));
        }
        expect(await capabilities.list(scope)).toHaveLength(model.live.size);
      }),
      { numRuns: 30 },
    );
  });
}

async function apply(store: CapabilityStore, scope: Scope, model: NameModel, change: Change): Promise<void> {
  const { kind, on, to } = change;
  const id = model.live.get(on);
  if (kind === "save") {
    const outcome = await store.save(draftOf({ scope, namespace: "n", action: on, overwrite: true }));
    expect(outcome.kind).toBe("saved");
    model.take(on, outcome.capability.id);
  } else if (id === undefined) return;
  else if (kind === "remove") {
    expect(await store.remove(id)).toBe(true);
    model.remove(on, id);
  } else if (kind === "alias") {
    const holder = model.find(to) ?? id;
    const outcome = await store.alias(id, { namespace: "n", action: to });
    expect(outcome.kind).toBe(holder === id ? "added" : "taken");
    if (outcome.kind === "taken") expect(outcome.capability.id).toBe(holder);
    if (model.find(to) === undefined) model.alias.set(to, id);
  } else {
    const isTaken = model.live.has(to) && on !== to;
    const outcome = await store.rename(id, { namespace: "n", action: to });
    expect(outcome.kind).toBe(isTaken ? "taken" : "renamed");
    if (!isTaken && on !== to) model.rename(on, to, id);
  }
}
