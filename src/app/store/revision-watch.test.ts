import { expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../../../test/fixtures/temporary.ts";
import type { RevisionStore } from "../../core/replica-store.ts";
import { silentLog } from "../../core/log.ts";
import type { Store } from "../../core/store.ts";
import { createTestTime } from "../../registry/time.testkit.ts";
import { openSqliteStore } from "../../store/sqlite/sqlite-store.ts";
import { draftOf } from "../../store/testsuite/fixture.ts";
import { createRevisionWatch, type RevisionWatchDeps } from "./revision-watch.ts";

const PIN = { server: "s", kind: "tool", name: "t", approved: { name: "t" } } as const;

async function openStores(): Promise<[Store, Store]> {
  const home = temporaryFolder();
  const stores = [await openSqliteStore({ home }), await openSqliteStore({ home })] as const;
  onTestFinished(async () => {
    for (const store of stores) await store.close();
  });
  return [...stores];
}

function createWatch(revisions: RevisionStore, deps: Partial<RevisionWatchDeps> = {}) {
  const lines: string[] = [];
  const write = (event: string) => lines.push(event);
  const log = { ...silentLog, warn: write, info: write };
  const watch = createRevisionWatch({ revisions, log, ...deps });
  onTestFinished(() => watch.close());
  return { watch, lines };
}

/** A store that answers what it is told to. */
function scriptedRevisions() {
  const script = {
    reads: 0,
    answer: async (): Promise<number> => 0,
    async read() {
      script.reads++;
      const servers = await script.answer();
      return { library: 0, pins: 0, tokens: 0, secrets: 0, servers };
    },
  };
  return script;
}

it("tells of what another process changed, once, and of no other topic", async () => {
  const [here, there] = await openStores();
  const { watch } = createWatch(here.revisions);
  const heard: string[] = [];
  for (const topic of ["library", "pins"] as const) {
    watch.on(topic, (revision) => heard.push(`${topic} ${revision}`));
  }
  await watch.tick();
  expect(heard.splice(0)).toEqual(["library 0", "pins 0"]);
  await there.capabilities.save(draftOf());
  await there.capabilities.save(draftOf({ action: "mean" }));
  await watch.tick();
  await watch.tick();
  expect(heard.splice(0)).toEqual(["library 2"]);
  await there.pins.begin("s", [PIN]);
  await watch.tick();
  expect(heard).toEqual(["pins 1"]);
});

it("asks nothing before it is started, then every 0.4 s with one question for all topics", async () => {
  const time = createTestTime();
  const script = scriptedRevisions();
  const { watch } = createWatch(script, { after: time.after });
  watch.on("library", () => {});
  watch.on("pins", () => {});
  await time.advance(5_000);
  expect(script.reads).toBe(0);
  watch.start();
  watch.start();
  await time.advance(399);
  expect(script.reads).toBe(0);
  await time.advance(1);
  expect(script.reads).toBe(1);
  await time.advance(400);
  expect(script.reads).toBe(2);
  watch.close();
  await time.advance(5_000);
  expect(script.reads).toBe(2);
});

it("has one poll under way, however long the store takes", async () => {
  const script = scriptedRevisions();
  const { watch } = createWatch(script);
  const slow = Promise.withResolvers<number>();
  script.answer = () => slow.promise;
  const ticks = [watch.tick(), watch.tick()];
  slow.resolve(1);
  await Promise.all(ticks);
  expect(script.reads).toBe(1);
});

it("says once that the store cannot be read, and goes on", async () => {
  const script = scriptedRevisions();
  const { watch, lines } = createWatch(script);
  const heard: number[] = [];
  watch.on("servers", (revision) => heard.push(revision));
  script.answer = () => Promise.reject(new Error("away"));
  await watch.tick();
  await watch.tick();
  expect(lines).toEqual(["revisions.unreadable"]);
  script.answer = async () => 7;
  await watch.tick();
  expect(heard).toEqual([7]);
  expect(lines).toEqual(["revisions.unreadable", "revisions.readable"]);
});

it("tells a listener again that failed, and the others not", async () => {
  const script = scriptedRevisions();
  const { watch, lines } = createWatch(script);
  const heard: string[] = [];
  let isBroken = true;
  watch.on("servers", async () => {
    heard.push("first");
    if (isBroken) throw new Error("broken");
  });
  watch.on("servers", () => heard.push("second"));
  await watch.tick();
  await watch.tick();
  isBroken = false;
  await watch.tick();
  await watch.tick();
  expect(heard).toEqual(["first", "second", "first", "first"]);
  expect(lines).toEqual(["revisions.listener.failed"]);
});

it("lets a slow listener hold up no other, and tells it the newest number when it has ended", async () => {
  const script = scriptedRevisions();
  const { watch } = createWatch(script);
  const slow = Promise.withResolvers<void>();
  const heard: string[] = [];
  watch.on("servers", (revision) => {
    heard.push(`slow ${revision}`);
    return slow.promise;
  });
  watch.on("servers", (revision) => heard.push(`fast ${revision}`));
  const ticks = [];
  for (const revision of [1, 2, 3]) {
    script.answer = async () => revision;
    ticks.push(watch.tick());
    await expect.poll(() => heard.at(-1)).toBe(`fast ${revision}`);
  }
  slow.resolve();
  await Promise.all(ticks);
  await watch.tick();
  expect(heard).toEqual(["slow 1", "fast 1", "fast 2", "fast 3", "slow 3"]);
});

it("forgets a listener that has had enough", async () => {
  const script = scriptedRevisions();
  const { watch } = createWatch(script);
  const heard: number[] = [];
  const stop = watch.on("servers", (revision) => heard.push(revision));
  await watch.tick();
  stop();
  script.answer = async () => 1;
  await watch.tick();
  expect(heard).toEqual([0]);
});
