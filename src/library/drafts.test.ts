/** What drafts are, wherever they lie. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../../test/fixtures/temporary.ts";
import { DEFAULT_SCOPE } from "../core/names.ts";
import { openSqliteStore } from "../store/sqlite/sqlite-store.ts";
import { createManualClock } from "../store/testsuite/fixture.ts";
import { createDraftFolder } from "./draft-folder.ts";
import { createDrafts, DRAFT_BYTES_MAX, type Draft, type DraftPlace, type Drafts } from "./drafts.ts";
import { createStoredDrafts } from "./stored-drafts.ts";

async function openStored() {
  const clock = createManualClock();
  const store = await openSqliteStore({ home: temporaryFolder(), clock });
  onTestFinished(() => store.close());
  return { clock, store, place: createStoredDrafts(store.drafts) };
}

async function found(drafts: Drafts, name: string): Promise<Draft> {
  const draft = await drafts.find(name);
  if (!draft.success) throw new Error(draft.error.message);
  return draft.data;
}

const PLACES: readonly [string, () => Promise<DraftPlace>][] = [
  ["in a folder", async () => createDraftFolder(temporaryFolder())],
  ["in the store", async () => (await openStored()).place],
];

describe.each(PLACES)("drafts %s", (_where, open) => {
  it("are named by what they are for and by their text, once for the same", async () => {
    const drafts = createDrafts({ place: await open() });
    const name = await drafts.save("return 1", "List open issues!");
    expect(name).toMatch(/^list-open-issues-[0-9a-f]{8}$/);
    expect(await drafts.save("return 1", "List open issues!")).toBe(name);
    expect(await drafts.names()).toEqual([name]);
    expect(await found(drafts, name.replaceAll("-", "_"))).toMatchObject({
      name,
      kind: "code",
      text: "return 1",
    });
  });

  it("keep what looks like a key out of their names", async () => {
    const drafts = createDrafts({ place: await open() });
    expect(await drafts.save("return 1", "use abc123def456 to send")).toMatch(/^use-to-send-[0-9a-f]{8}$/);
    expect(await drafts.save("return 1", "§§")).toMatch(/^run-[0-9a-f]{8}$/);
  });

  it("tell a miss with the nearest and the known names", async () => {
    const place = await open();
    const drafts = createDrafts({ place });
    expect(await drafts.find("x", "draft_name")).toMatchObject({
      error: { code: "TOOL_NOT_FOUND", field: "draft_name", hint: place.emptyHint },
    });
    const name = await drafts.save("return 1", "sum up");
    expect(await drafts.find(`${name}x`)).toMatchObject({
      error: { code: "TOOL_NOT_FOUND", nearest: [name], hint: `Drafts: ${name}.` },
    });
  });

  it("tell workflows from code, and say where broken JSON breaks", async () => {
    const place = await open();
    const drafts = createDrafts({ place });
    const name = await drafts.save('{"nodes": []}', "flow", "workflow");
    expect(await found(drafts, name)).toMatchObject({ kind: "workflow" });
    await place.put(DEFAULT_SCOPE, { name: "broken", kind: "workflow", text: "{,}" });
    expect(await drafts.find("broken")).toMatchObject({
      error: {
        reason: "validation_error",
        message: expect.stringContaining("column 2"),
        hint: place.correctHint,
      },
    });
  });

  it("over the limit are refused, at the limit not", async () => {
    const place = await open();
    const drafts = createDrafts({ place });
    await place.put(DEFAULT_SCOPE, { name: "at", kind: "code", text: "é".repeat(DRAFT_BYTES_MAX / 2) });
    await place.put(DEFAULT_SCOPE, { name: "over", kind: "code", text: "é".repeat(DRAFT_BYTES_MAX / 2 + 1) });
    expect(await drafts.find("at")).toMatchObject({ success: true });
    expect(await drafts.find("over")).toMatchObject({
      error: { message: "The draft has 262146 bytes; the limit is 262144." },
    });
  });

  it.each(["../secret", "a/b", "a\0"])("are not called %j", async (name) => {
    const drafts = createDrafts({ place: await open() });
    expect(await drafts.find(name)).toMatchObject({ error: { code: "SECURITY_ERROR" } });
  });

  it("that are left behind a run are there for everything that reads or removes drafts", async () => {
    const place = await open();
    const gate = Promise.withResolvers<void>();
    const slow: DraftPlace = {
      ...place,
      put: (...args) => gate.promise.then(() => place.put(...args)),
    };
    const drafts = createDrafts({ place: slow, leftBehind: () => {} });
    const name = await drafts.leave("return 1", "sum up");
    expect(await place.list(DEFAULT_SCOPE)).toEqual([]);
    const read = [drafts.names(), drafts.find(name), drafts.settle()] as const;
    gate.resolve();
    const [names, draft] = await Promise.all(read);
    expect(names).toEqual([name]);
    expect(draft).toMatchObject({ success: true, data: { text: "return 1" } });
  });

  it("that cannot be written behind are told of, and keep nothing else from being written", async () => {
    const place = await open();
    const failures: unknown[] = [];
    const broken: DraftPlace = {
      ...place,
      put: (scope, draft) =>
        draft.text === "return 1" ? Promise.reject(new Error("full")) : place.put(scope, draft),
    };
    const drafts = createDrafts({ place: broken, leftBehind: (error) => failures.push(error) });
    await drafts.leave("return 1");
    const name = await drafts.leave("return 2");
    expect(await drafts.names()).toEqual([name]);
    expect(failures).toHaveLength(1);
  });

  it("go by scope", async () => {
    const place = await open();
    const own = createDrafts({ place });
    const others = createDrafts({ place, scope: () => ({ org: "acme", project: "web" }) });
    const name = await others.save("return 1");
    expect([await own.names(), await others.names()]).toEqual([[], [name]]);
    await own.remove(await found(others, name).then(({ path: _path, ...draft }) => draft));
    expect(await others.names()).toEqual([name]);
    await others.remove(await found(others, name));
    expect(await others.names()).toEqual([]);
  });
});

describe("drafts in the store", () => {
  it("lose the oldest beyond 200 that nobody edited", async () => {
    const { clock, store, place } = await openStored();
    const drafts = createDrafts({ place });
    await store.drafts.put(DEFAULT_SCOPE, { name: "mine", kind: "code", text: "return 0" });
    await store.drafts.put(DEFAULT_SCOPE, { name: "edited-00000000", kind: "code", text: "return 0" });
    const names: string[] = [];
    for (let i = 0; i < 201; i++) {
      clock.advance(1);
      names.push(await drafts.save(`return ${i}`));
    }
    const left = await drafts.names();
    expect(names.filter((name) => !left.includes(name))).toEqual([names[0]]);
    expect(left).toEqual(expect.arrayContaining(["mine", "edited-00000000"]));
  });

  it("come before those of a folder that is only read", async () => {
    const { place } = await openStored();
    const folder = temporaryFolder();
    writeFileSync(join(folder, "by-hand.ts"), "return 'folder'");
    const drafts = createDrafts({ place, alsoRead: [createDraftFolder(folder)] });
    const name = await drafts.save("return 1");
    expect(await drafts.names()).toEqual([name, "by-hand"]);
    const byHand = await found(drafts, "by_hand");
    expect(byHand).toMatchObject({ text: "return 'folder'", path: join(folder, "by-hand.ts") });
    await drafts.remove(byHand);
    expect(await drafts.names()).toEqual([name, "by-hand"]);
    await place.put(DEFAULT_SCOPE, { name: "by-hand", kind: "code", text: "return 'store'" });
    expect((await found(drafts, "by-hand")).text).toBe("return 'store'");
    expect(await createDrafts({ place: createDraftFolder(folder) }).names()).toEqual(["by-hand"]);
  });

  it("of one gateway are found and removed by the next", async () => {
    const home = temporaryFolder();
    const [here, there] = [await openSqliteStore({ home }), await openSqliteStore({ home })];
    onTestFinished(async () => {
      await here.close();
      await there.close();
    });
    const [first, second] = [here, there].map((store) =>
      createDrafts({ place: createStoredDrafts(store.drafts) }),
    ) as [Drafts, Drafts];
    const name = await first.save("return 1");
    await second.remove(await found(second, name));
    expect(await first.names()).toEqual([]);
  });
});
