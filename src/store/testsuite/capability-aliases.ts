import { expect, it } from "vitest";
import { DEFAULT_SCOPE, type CapabilityName } from "../../core/names.ts";
import { save, type StoreFixture } from "./fixture.ts";

const SUM: CapabilityName = { namespace: "math", action: "sum" };
const TOTAL: CapabilityName = { namespace: "math", action: "total" };
const ADD: CapabilityName = { namespace: "math", action: "add" };

export function describeCapabilityAliases(fixture: () => StoreFixture): void {
  it("adds another name, under which the capability is found", async () => {
    const { store } = fixture();
    const { capability } = await save(store.capabilities);
    const revision = await store.capabilities.revision();
    expect(await store.capabilities.alias(capability.id, TOTAL)).toEqual({ kind: "added" });
    expect(await store.capabilities.find(DEFAULT_SCOPE, TOTAL)).toEqual(capability);
    expect(await store.capabilities.aliases(capability.id)).toEqual([TOTAL]);
    expect(await store.capabilities.list(DEFAULT_SCOPE)).toEqual([capability]);
    expect(await store.capabilities.revision()).toBe(revision + 1);
  });

  it("changes nothing when the capability has the name already", async () => {
    const { store } = fixture();
    const { id } = (await save(store.capabilities)).capability;
    await store.capabilities.alias(id, TOTAL);
    const revision = await store.capabilities.revision();
    for (const name of [SUM, TOTAL])
      expect(await store.capabilities.alias(id, name)).toEqual({ kind: "added" });
    expect(await store.capabilities.aliases(id)).toEqual([TOTAL]);
    expect(await store.capabilities.revision()).toBe(revision);
  });

  it("says taken when the name or an alias of another capability has it", async () => {
    const { store } = fixture();
    const { id } = (await save(store.capabilities)).capability;
    const other = (await save(store.capabilities, TOTAL)).capability;
    await store.capabilities.alias(other.id, ADD);
    const revision = await store.capabilities.revision();
    for (const name of [TOTAL, ADD])
      expect(await store.capabilities.alias(id, name)).toEqual({ kind: "taken", capability: other });
    expect(await store.capabilities.aliases(id)).toEqual([]);
    expect((await store.capabilities.find(DEFAULT_SCOPE, ADD))?.id).toBe(other.id);
    expect(await store.capabilities.revision()).toBe(revision);
  });

  it("says missing when there is nothing to name", async () => {
    const { store } = fixture();
    expect(await store.capabilities.alias("unknown", SUM)).toEqual({ kind: "missing" });
    const { id } = (await save(store.capabilities)).capability;
    await store.capabilities.remove(id);
    expect(await store.capabilities.alias(id, TOTAL)).toEqual({ kind: "missing" });
  });

  it("takes a name that was freed, or that another scope has", async () => {
    const { store } = fixture();
    const scope = { org: "local", project: "other" };
    await save(store.capabilities, { scope, ...TOTAL });
    const gone = (await save(store.capabilities, TOTAL)).capability.id;
    await store.capabilities.remove(gone);
    const { id } = (await save(store.capabilities)).capability;
    expect(await store.capabilities.alias(id, TOTAL)).toEqual({ kind: "added" });
    expect((await store.capabilities.find(DEFAULT_SCOPE, TOTAL))?.id).toBe(id);
  });

  it("gives one name to one of ten that want it as an alias", async () => {
    const { store } = fixture();
    const ids: string[] = [];
    for (let i = 0; i < 10; i++)
      ids.push((await save(store.capabilities, { action: `a${i}` })).capability.id);
    const outcomes = await Promise.all(ids.map((id) => store.capabilities.alias(id, TOTAL)));
    expect(outcomes.filter((outcome) => outcome.kind === "added")).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome.kind === "taken")).toHaveLength(9);
  });
}
