import fc from "fast-check";
import { expect, it } from "vitest";
import { DEFAULT_SCOPE } from "../../core/names.ts";
import { LISTED_COUNT_MAX, type Capability, type CapabilityStore } from "../../core/store.ts";
import { save, type StoreFixture } from "./fixture.ts";

const USE = { success: true, elapsedMs: 1 };

/** Saves so many more than are listed; none is used yet. */
async function fill(capabilities: CapabilityStore, excess: number): Promise<string[]> {
  const saved = await Promise.all(
    Array.from({ length: LISTED_COUNT_MAX + excess }, (_, i) =>
      save(capabilities, { namespace: "n", action: `a${String(i).padStart(3, "0")}` }),
    ),
  );
  return saved.map((outcome) => outcome.capability.id);
}

async function listedIds(capabilities: CapabilityStore): Promise<string[]> {
  const all = await capabilities.list(DEFAULT_SCOPE);
  return all.filter((capability) => capability.isListed).map((capability) => capability.id);
}

/** The rule in other words: sort by use, then by name; take the first; give them by name, as `list` does. */
function expectedIds(all: readonly Capability[]): string[] {
  const byUse = all.toSorted((a, b) => b.usageCount - a.usageCount || (a.action < b.action ? -1 : 1));
  const chosen = new Set(byUse.slice(0, LISTED_COUNT_MAX));
  return all.filter((capability) => chosen.has(capability)).map((capability) => capability.id);
}

export function describeListedCapabilities(fixture: () => StoreFixture): void {
  it("lists at most a hundred", () => {
    expect(LISTED_COUNT_MAX).toBe(100);
  });

  it("lists all as long as there are no more than may be", async () => {
    const { capabilities } = fixture().store;
    const ids = await fill(capabilities, 0);
    expect(await listedIds(capabilities)).toEqual(ids);
  });

  it("lists the first by name while nothing has been used, and says so in the outcome of the save", async () => {
    const { capabilities } = fixture().store;
    const ids = await fill(capabilities, 0);
    const last = await save(capabilities, { namespace: "z", action: "z" });
    expect(last.capability.isListed).toBe(false);
    expect(await listedIds(capabilities)).toEqual(ids);
    const first = await save(capabilities, { namespace: "a", action: "a" });
    expect(first.capability.isListed).toBe(true);
    expect(await listedIds(capabilities)).toEqual([first.capability.id, ...ids.slice(0, -1)]);
  });

  it("leaves the list as it is when something is used, and lists it with the next change", async () => {
    const { store } = fixture();
    const { capabilities, runs } = store;
    const ids = await fill(capabilities, 2);
    const last = ids.at(-1) ?? "";
    await capabilities.recordUse(last, USE);
    const run = await runs.start(
      { scope: DEFAULT_SCOPE, kind: "code", inputs: {}, seed: "", clockAt: 1 },
      "o",
      60_000,
    );
    await runs.finish({ runId: run.id, fence: 1 }, { status: "failed", use: { capabilityId: last, ...USE } });
    expect(await listedIds(capabilities)).toEqual(ids.slice(0, LISTED_COUNT_MAX));
    await save(capabilities, { namespace: "n", action: "a000", overwrite: true });
    expect(await listedIds(capabilities)).toEqual([...ids.slice(0, LISTED_COUNT_MAX - 1), last]);
  });

  it("fills the place of one that is removed or renamed away", async () => {
    const { capabilities } = fixture().store;
    const ids = await fill(capabilities, 2);
    await capabilities.remove(ids[0] ?? "");
    expect(await listedIds(capabilities)).toEqual(ids.slice(1, LISTED_COUNT_MAX + 1));
    const renamed = await capabilities.rename(ids[1] ?? "", { namespace: "z", action: "z" });
    expect(renamed).toMatchObject({ kind: "renamed", capability: { isListed: false } });
    expect(await listedIds(capabilities)).toEqual(ids.slice(2));
  });

  it("counts each scope for itself", async () => {
    const { capabilities } = fixture().store;
    await fill(capabilities, 1);
    const scope = { org: "local", project: "other" };
    expect((await save(capabilities, { scope, namespace: "z" })).capability.isListed).toBe(true);
    expect(await listedIds(capabilities)).toHaveLength(LISTED_COUNT_MAX);
  });

  describeAnyOrder(fixture);
}

type Move =
  | { readonly kind: "use"; readonly on: number; readonly count: number }
  | { readonly kind: "save" | "overwrite" | "rename" | "remove" | "alias"; readonly on: number };

const anyPlace = fc.nat({ max: 200 });
const anyMove: fc.Arbitrary<Move> = fc.oneof(
  fc.record({ kind: fc.constant("use"), on: anyPlace, count: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ kind: fc.constantFrom("save", "overwrite", "rename", "remove", "alias"), on: anyPlace }),
);

function describeAnyOrder(fixture: () => StoreFixture): void {
  it("lists what sorting by use and name gives, after any order of changes and uses", async () => {
    const { capabilities } = fixture().store;
    await fill(capabilities, 5);
    let turn = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(anyMove, { minLength: 1, maxLength: 12 }), async (moves) => {
        for (const move of moves) {
          const all = await capabilities.list(DEFAULT_SCOPE);
          const listed = await listedIds(capabilities);
          const revision = await capabilities.revision();
          await make(capabilities, all, move, ++turn);
          const isChanged = (await capabilities.revision()) !== revision;
          expect(isChanged).toBe(move.kind !== "use");
          const now = isChanged ? expectedIds(await capabilities.list(DEFAULT_SCOPE)) : listed;
          expect(await listedIds(capabilities)).toEqual(now);
        }
      }),
      { numRuns: 15 },
    );
  });
}

/** Names begin anywhere in the alphabet, so that a new one may come before or after the others. */
async function make(
  capabilities: CapabilityStore,
  all: readonly Capability[],
  move: Move,
  turn: number,
): Promise<void> {
  const target = all[move.on % all.length];
  if (target === undefined) throw new Error("the library is never empty here");
  const name = { namespace: "n", action: `${String.fromCharCode(97 + (move.on % 26))}-${turn}` };
  if (move.kind === "use") for (let i = 0; i < move.count; i++) await capabilities.recordUse(target.id, USE);
  else if (move.kind === "save") await save(capabilities, name);
  else if (move.kind === "overwrite")
    await save(capabilities, { namespace: "n", action: target.action, overwrite: true });
  else if (move.kind === "rename") await capabilities.rename(target.id, name);
  else if (move.kind === "alias") await capabilities.alias(target.id, name);
  else await capabilities.remove(target.id);
}
