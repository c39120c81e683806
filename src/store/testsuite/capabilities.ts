import { expect, it } from "vitest";
import { hashText } from "../../core/json.ts";
import { DEFAULT_SCOPE, type CapabilityName } from "../../core/names.ts";
import type { Capability, CapabilityDraft } from "../../core/store.ts";
import { draftOf, save, type StoreFixture } from "./fixture.ts";

const SUM: CapabilityName = { namespace: "math", action: "sum" };

export function describeCapabilities(fixture: () => StoreFixture): void {
  describeSaving(fixture);
  describeVersions(fixture);
  describeUse(fixture);
}

function describeSaving(fixture: () => StoreFixture): void {
  it("saves a new name as version 1 with its defaults", async () => {
    const { store, clock } = fixture();
    const { capability, version } = await save(store.capabilities);
    expect(capability).toEqual({
      id: expect.stringMatching(
        /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      ) as string,
      scope: { org: "local", project: "default" },
      namespace: "math",
      action: "sum",
      kind: "code",
      description: "Adds numbers.",
      tags: [],
      visibility: "private",
      author: "ada",
      currentVersion: 1,
      usageCount: 0,
      successCount: 0,
      totalMs: 0,
      lastUsedAt: null,
      isListed: true,
      createdAt: clock.now(),
      updatedAt: clock.now(),
    } satisfies Capability);
    expect(version).toEqual({
      capabilityId: capability.id,
      version: 1,
      source: "return inputs.a + inputs.b",
      sourceHash: hashText("return inputs.a + inputs.b"),
      shortHash: hashText("return inputs.a + inputs.b").slice(0, 4),
      inputSchema: { type: "object" },
      outputSchema: null,
      toolsUsed: [],
      fromRunId: null,
      author: "ada",
      createdAt: clock.now(),
    });
  });

  it("gives back all that was put in, also after a restart", async () => {
    const { store, reopen } = fixture();
    const part = {
      kind: "workflow",
      description: "Žluťoučký 🐎 'quoted' \"twice\" -- ; drop table",
      tags: ["b", "a"],
      visibility: "org",
      source: `line 1\nline 2\t${"x".repeat(1_000_000)}`,
      inputSchema: { z: [1, 2.5, null, { deep: true }], a: "ü" },
      outputSchema: { type: "number" },
      toolsUsed: [
        { tool: "github__search", hash: "abc" },
        { tool: "github__read", hash: "def", definition: { inputSchema: { type: "object" }, ü: [1] } },
      ],
      fromRunId: "01890000-0000-7000-8000-000000000000",
    } satisfies Partial<CapabilityDraft>;
    const saved = await save(store.capabilities, part);
    const again = await reopen();
    const capability = await again.capabilities.find(DEFAULT_SCOPE, SUM);
    expect(capability).toEqual(saved.capability);
    expect(capability).toMatchObject({ kind: "workflow", tags: ["b", "a"], visibility: "org" });
    const version = await again.capabilities.version(saved.capability.id, 1);
    expect(version).toEqual(saved.version);
    const { source, inputSchema, outputSchema, toolsUsed, fromRunId } = part;
    expect(version).toMatchObject({ source, inputSchema, outputSchema, toolsUsed, fromRunId });
  });

  it("says taken and changes nothing when the name exists", async () => {
    const { store } = fixture();
    const first = await save(store.capabilities);
    const revision = await store.capabilities.revision();
    const outcome = await store.capabilities.save(draftOf({ source: "other", description: "other" }));
    expect(outcome).toEqual({ kind: "taken", capability: first.capability });
    expect(await store.capabilities.versions(first.capability.id)).toEqual([first.version]);
    expect(await store.capabilities.revision()).toBe(revision);
  });

  it("makes the next version when told to overwrite, and keeps what the draft leaves out", async () => {
    const { store, clock } = fixture();
    const first = await save(store.capabilities, { tags: ["t"], visibility: "project" });
    await store.capabilities.recordUse(first.capability.id, { success: true, elapsedMs: 5 });
    clock.advance(1000);
    const second = await save(store.capabilities, {
      overwrite: true,
      author: "bob",
      description: "Better.",
      source: "2",
    });
    expect(second.capability).toEqual({
      ...first.capability,
      description: "Better.",
      currentVersion: 2,
      usageCount: 1,
      successCount: 1,
      totalMs: 5,
      lastUsedAt: clock.now() - 1000,
      updatedAt: clock.now(),
    });
    expect(second.version).toMatchObject({ version: 2, author: "bob", source: "2", createdAt: clock.now() });
  });

  it("replaces tags, visibility and kind when the overwriting draft has them", async () => {
    const { store } = fixture();
    await save(store.capabilities, { tags: ["t"], visibility: "project" });
    const part = { tags: [], visibility: "public", kind: "workflow" } as const;
    const { capability } = await save(store.capabilities, { overwrite: true, ...part });
    expect(capability).toMatchObject(part);
  });

  it("keeps one name in two scopes apart (T131)", async () => {
    const { store } = fixture();
    const scopes = [
      { org: "local", project: "default" },
      { org: "local", project: "other" },
      { org: "acme", project: "default" },
    ];
    const ids: string[] = [];
    for (const scope of scopes) ids.push((await save(store.capabilities, { scope })).capability.id);
    expect(new Set(ids).size).toBe(3);
    for (const [i, scope] of scopes.entries()) {
      expect((await store.capabilities.find(scope, SUM))?.id).toBe(ids[i]);
      expect(await store.capabilities.list(scope)).toHaveLength(1);
    }
  });

  it("gives 50 savers of one name the versions 1 to 50 without a gap (T121)", async () => {
    const { store } = fixture();
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        save(store.capabilities, { overwrite: true, source: `source ${i}` }),
      ),
    );
    const numbers = outcomes.map((outcome) => outcome.version.version).sort((a, b) => a - b);
    expect(numbers).toEqual(Array.from({ length: 50 }, (_, i) => i + 1));
    const id = outcomes[0]?.capability.id ?? "";
    expect(new Set(outcomes.map((outcome) => outcome.capability.id))).toEqual(new Set([id]));
    const versions = await store.capabilities.versions(id);
    expect(new Set(versions.map((version) => version.source)).size).toBe(50);
    expect((await store.capabilities.find(DEFAULT_SCOPE, SUM))?.currentVersion).toBe(50);
  });

  it("lets one of 20 savers of a new name win and tells the others whose it is (T121)", async () => {
    const { store } = fixture();
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, i) => store.capabilities.save(draftOf({ source: `source ${i}` }))),
    );
    expect(outcomes.filter((outcome) => outcome.kind === "saved")).toHaveLength(1);
    expect(new Set(outcomes.map((outcome) => outcome.capability.id)).size).toBe(1);
  });

  it("writes nothing of a draft whose schema is no bounded JSON, and goes on", async () => {
    const { store } = fixture();
    let deep: CapabilityDraft["inputSchema"] = {};
    for (let i = 0; i < 100; i++) deep = { deep };
    await expect(store.capabilities.save(draftOf({ inputSchema: deep }))).rejects.toMatchObject({
      code: "JSON_LIMIT",
    });
    expect(await store.capabilities.find(DEFAULT_SCOPE, SUM)).toBeUndefined();
    expect(await store.capabilities.revision()).toBe(0);
    expect((await save(store.capabilities)).version.version).toBe(1);
  });
}

function describeVersions(fixture: () => StoreFixture): void {
  it("lists versions newest first and finds each by its number", async () => {
    const { store } = fixture();
    const saved = [];
    for (const source of ["1", "2", "3"])
      saved.push(await save(store.capabilities, { overwrite: true, source }));
    const id = saved[0]?.capability.id ?? "";
    const versions = await store.capabilities.versions(id);
    expect(versions).toEqual(saved.map((outcome) => outcome.version).toReversed());
    expect(await store.capabilities.version(id, 2)).toEqual(saved[1]?.version);
    expect(await store.capabilities.version(id, 4)).toBeUndefined();
    expect(await store.capabilities.version("unknown", 1)).toBeUndefined();
    expect(await store.capabilities.versions("unknown")).toEqual([]);
  });

  it("lengthens the short hash only of the version that came later", async () => {
    const { store } = fixture();
    const [one, two] = sourcesWithOneShortHash();
    const first = await save(store.capabilities, { source: one });
    const second = await save(store.capabilities, { source: two, overwrite: true });
    const third = await save(store.capabilities, { source: one, overwrite: true });
    expect(first.version.shortHash).toHaveLength(4);
    expect(second.version.shortHash.length).toBeGreaterThan(4);
    expect(hashText(two).startsWith(second.version.shortHash)).toBe(true);
    expect(hashText(one).startsWith(second.version.shortHash)).toBe(false);
    expect(third.version.sourceHash).toBe(first.version.sourceHash);
    const stored = await store.capabilities.version(first.capability.id, 1);
    expect(stored?.shortHash).toBe(first.version.shortHash);
  });
}

/** Found by trying: two texts whose hashes begin with the same four digits. */
function sourcesWithOneShortHash(): [string, string] {
  const seen = new Map<string, string>();
  for (let i = 0; ; i++) {
    const source = `source ${i}`;
    const prefix = hashText(source).slice(0, 4);
    const other = seen.get(prefix);
    if (other !== undefined) return [other, source];
    seen.set(prefix, source);
  }
}

function describeUse(fixture: () => StoreFixture): void {
  it("adds up uses that are recorded at once", async () => {
    const { store, clock } = fixture();
    const { capability } = await save(store.capabilities);
    const revision = await store.capabilities.revision();
    clock.advance(7);
    await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        store.capabilities.recordUse(capability.id, { success: i % 4 !== 0, elapsedMs: 2.5 }),
      ),
    );
    expect(await store.capabilities.find(DEFAULT_SCOPE, SUM)).toEqual({
      ...capability,
      usageCount: 40,
      successCount: 30,
      totalMs: 100,
      lastUsedAt: clock.now(),
    });
    expect(await store.capabilities.revision()).toBe(revision);
  });

  it("ignores the use of a capability that does not exist", async () => {
    const { store } = fixture();
    await store.capabilities.recordUse("unknown", { success: true, elapsedMs: 1 });
    expect(await store.capabilities.list(DEFAULT_SCOPE)).toEqual([]);
  });
}
