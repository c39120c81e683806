import fc from "fast-check";
import { expect, it } from "vitest";
import { DEFAULT_SCOPE } from "../../core/names.ts";
import {
  LISTED_COUNT_MAX,
  LISTED_COUNT_MIN,
  LISTED_TOKENS_MAX,
  type Capability,
  type CapabilityStore,
} from "../../core/store.ts";
import { save, type StoreFixture } from "./fixture.ts";

const USE = { success: true, elapsedMs: 1 };

/** Saves so many more than are listed, so small that all of these are within the budget; none is used yet. */
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

const byAge = (a: Capability, b: Capability): number => b.updatedAt - a.updatedAt || (a.id < b.id ? 1 : -1);

/**
 * The rule in other words, where all are small: the newest, then by use and age as many as may be; given by name, as
 * `list` does.
 */
function expectedIds(all: readonly Capability[]): string[] {
  const newest = all.toSorted(byAge).slice(0, LISTED_COUNT_MIN);
  const rest = all
    .filter((capability) => !newest.includes(capability))
    .toSorted((a, b) => b.usageCount - a.usageCount || byAge(a, b));
  const chosen = new Set([...newest, ...rest.slice(0, LISTED_COUNT_MAX - LISTED_COUNT_MIN)]);
  return all.filter((capability) => chosen.has(capability)).map((capability) => capability.id);
}

export function describeListedCapabilities(fixture: () => StoreFixture): void {
  it("lists at most a hundred, of 2,000 tokens together", () => {
    expect([LISTED_COUNT_MAX, LISTED_TOKENS_MAX]).toEqual([100, 2_000]);
  });

  it("lists all as long as there are no more than may be", async () => {
    const { capabilities } = fixture().store;
    const ids = await fill(capabilities, 0);
    expect(await listedIds(capabilities)).toEqual(ids);
  });

  it("D8: lists at once what was just kept, and says so in the outcome of the save", async () => {
    const { store, clock } = fixture();
    const { capabilities } = store;
    const ids = await fill(capabilities, 0);
    for (const id of ids) await capabilities.recordUse(id, USE);
    for (const namespace of ["z", "a"]) {
      clock.advance(1);
      const { capability } = await save(capabilities, { namespace, action: "new" });
      expect(capability.isListed).toBe(true);
      const listed = await listedIds(capabilities);
      expect(listed).toContain(capability.id);
      expect(listed).toHaveLength(LISTED_COUNT_MAX);
    }
    expect(await listedIds(capabilities)).toEqual(expectedIds(await capabilities.list(DEFAULT_SCOPE)));
  });

  it("D8: lists a new version of what was not listed", async () => {
    const { store, clock } = fixture();
    const { capabilities } = store;
    await fill(capabilities, 5);
    clock.advance(1);
    const all = await capabilities.list(DEFAULT_SCOPE);
    const { namespace, action, id } = all.find((capability) => !capability.isListed)!;
    await save(capabilities, { namespace, action, source: "return 'new'", overwrite: true });
    expect(await listedIds(capabilities)).toContain(id);
  });

  it("leaves the list as it is when something is used, and lists it with the next change", async () => {
    const { store } = fixture();
    const { capabilities, runs } = store;
    await fill(capabilities, 2);
    const before = await listedIds(capabilities);
    const { id: unlisted } = (await capabilities.list(DEFAULT_SCOPE)).find(({ isListed }) => !isListed)!;
    await capabilities.recordUse(unlisted, USE);
    const run = await runs.start(
      { scope: DEFAULT_SCOPE, kind: "code", inputs: {}, seed: "", clockAt: 1 },
      "o",
      60_000,
    );
    const use = { capabilityId: unlisted, ...USE };
    await runs.finish({ runId: run.id, fence: 1 }, { status: "failed", use });
    expect(await listedIds(capabilities)).toEqual(before);
    await save(capabilities, { namespace: "n", action: "another" });
    expect(await listedIds(capabilities)).toContain(unlisted);
  });

  it("fills the place of one that is removed, and lists one that is renamed", async () => {
    const { store, clock } = fixture();
    const { capabilities } = store;
    await fill(capabilities, 2);
    clock.advance(1);
    const [first] = await listedIds(capabilities);
    await capabilities.remove(first ?? "");
    expect(await listedIds(capabilities)).toHaveLength(LISTED_COUNT_MAX);
    const { id } = (await capabilities.list(DEFAULT_SCOPE)).find(({ isListed }) => !isListed)!;
    const renamed = await capabilities.rename(id, { namespace: "z", action: "z" });
    expect(renamed).toMatchObject({ kind: "renamed", capability: { isListed: true } });
    expect(await listedIds(capabilities)).toEqual(expectedIds(await capabilities.list(DEFAULT_SCOPE)));
  });

  it("counts each scope for itself", async () => {
    const { capabilities } = fixture().store;
    await fill(capabilities, 1);
    const scope = { org: "local", project: "other" };
    expect((await save(capabilities, { scope, namespace: "z" })).capability.isListed).toBe(true);
    expect(await listedIds(capabilities)).toHaveLength(LISTED_COUNT_MAX);
  });

  describeBudget(fixture);
  describeAnyOrder(fixture);
}

/** About so many tokens: 4.35 bytes have one, and what is around the texts has 50 bytes. */
const ofTokens = (tokens: number) => ({ description: "x".repeat(Math.round(tokens * 4.35) - 80) });

/** Saved one after the other, the last letter last. */
async function saveSized(
  { store, clock }: StoreFixture,
  sizes: Readonly<Record<string, number>>,
): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for (const [action, tokens] of Object.entries(sizes)) {
    clock.advance(1);
    const { capability } = await save(store.capabilities, { namespace: "n", action, ...ofTokens(tokens) });
    ids.set(action, capability.id);
  }
  return ids;
}

async function listedNames(capabilities: CapabilityStore): Promise<string> {
  const all = await capabilities.list(DEFAULT_SCOPE);
  return all.flatMap(({ action, isListed }) => (isListed ? action : [])).join(" ");
}

function describeBudget(fixture: () => StoreFixture): void {
  it("lists the newest as far as the tokens go, and passes over what does not fit", async () => {
    const { capabilities } = fixture().store;
    await saveSized(fixture(), { a: 50, b: 400, c: 300, d: 300, e: 300, f: 300, g: 300, h: 300 });
    // h to d have 1,500, with c it is 1,800; b does not fit, and a does.
    expect(await listedNames(capabilities)).toBe("a c d e f g h");
  });

  it("lists the most used of the rest, of equally used ones the newer", async () => {
    const { capabilities } = fixture().store;
    const ids = await saveSized(fixture(), {
      a: 350,
      b: 350,
      c: 350,
      d: 300,
      e: 300,
      f: 300,
      g: 300,
      h: 300,
    });
    expect(await listedNames(capabilities)).toBe("c d e f g h");
    await capabilities.recordUse(ids.get("a")!, USE);
    expect(await listedNames(capabilities)).toBe("c d e f g h");
    await capabilities.rename(ids.get("h")!, { namespace: "n", action: "i" });
    expect(await listedNames(capabilities)).toBe("a d e f g i");
  });

  it("lists five in any case, but nothing that alone is as large as a quarter of the budget", async () => {
    const { capabilities } = fixture().store;
    await saveSized(fixture(), { a: 490, b: 510, c: 490, d: 490, e: 490, f: 490 });
    expect(await listedNames(capabilities)).toBe("a c d e f");
    await saveSized(fixture(), { g: LISTED_TOKENS_MAX + 10 });
    expect(await listedNames(capabilities)).toBe("a c d e f");
    await saveSized(fixture(), { h: 490 });
    expect(await listedNames(capabilities)).toBe("c d e f h");
  });

  it("measures bytes and not characters, and the input schema too", async () => {
    const { capabilities } = fixture().store;
    const wide = { description: "漢".repeat(LISTED_TOKENS_MAX * 2) };
    expect((await save(capabilities, { action: "wide", ...wide })).capability.isListed).toBe(false);
    const properties = { a: { type: "string", description: "x".repeat(LISTED_TOKENS_MAX * 5) } };
    const deep = { inputSchema: { type: "object", properties } };
    expect((await save(capabilities, { action: "deep", ...deep })).capability.isListed).toBe(false);
    const long = { source: `return "${"x".repeat(LISTED_TOKENS_MAX * 5)}"` };
    expect((await save(capabilities, { action: "long", ...long })).capability.isListed).toBe(true);
  });
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
  it("lists what sorting by age and use gives, after any order of changes and uses", async () => {
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
