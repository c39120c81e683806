/** T110, T117, T121: several processes on one home, as when every client starts its own gateway; and what a kill leaves. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { DEFAULT_SCOPE } from "../src/core/names.ts";
import type { Step, Store } from "../src/core/store.ts";
import { openSqliteStore } from "../src/store/sqlite/sqlite-store.ts";
import { startTogether, startWriter, type Writer } from "./rig/store-writers.ts";

const fixtures = join(dirname(fileURLToPath(import.meta.url)), "fixtures");

/** A soak raises the number of rounds and changes the seed; a failure's seed repeats its moments of death. */
const KILL_ROUNDS = Number(process.env["STORE_KILL_ROUNDS"] ?? 1);
const KILL_SEED = Number(process.env["STORE_KILL_SEED"] ?? 20_260_728);

function testHome(): string {
  const folder = mkdtempSync(join(tmpdir(), "repertoire-processes-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "home");
}

async function openStore(home: string): Promise<Store> {
  const store = await openSqliteStore({ home });
  onTestFinished(() => store.close());
  return store;
}

async function expectGoodEnd(writers: readonly Writer[]): Promise<void> {
  for (const writer of writers) {
    expect(await writer.ended).toEqual({ code: 0, signal: null, stderr: "" });
    expect(writer.lines.at(-1)).toBe("done");
  }
}

function writersOf(home: string, job: string, writerCount: number, count: number): Writer[] {
  return Array.from({ length: writerCount }, (_, i) => {
    const writer = startWriter(home, job, `w${i}`, count);
    onTestFinished(() => writer.signal("SIGKILL"));
    return writer;
  });
}

describe("processes on one home", () => {
  it(
    "all start on a fresh home at once and share one database (T110, T117)",
    { timeout: 60_000 },
    async () => {
      const home = testHome();
      const writers = writersOf(home, "open", 8, 0);
      await startTogether(writers);
      await expectGoodEnd(writers);
      for (const writer of writers) expect(writer.lines).toEqual(["revision 0", "done"]);
      expect(readdirSync(home)).toEqual(["repertoire.db"]);
      const raw = new DatabaseSync(join(home, "repertoire.db"), { readOnly: true });
      expect(raw.prepare("select count(*) as n from sqlite_schema where name = 'runs'").get()).toEqual({
        n: 1,
      });
      expect(raw.prepare("select count(*) as n from library_revision").get()).toEqual({ n: 1 });
      raw.close();
    },
  );

  it(
    "lose no write that was acknowledged, and none meets a lock (T110, T121)",
    { timeout: 60_000 },
    async () => {
      const home = testHome();
      const writers = writersOf(home, "mixed", 4, 250);
      await startTogether(writers);
      await expectGoodEnd(writers);
      const lines = writers.flatMap((writer) => writer.lines.filter((line) => line !== "done"));
      expect(lines).toHaveLength(1000);
      const countOf = (kind: string): number => lines.filter((line) => line === kind).length;
      const store = await openStore(home);
      const capability = await store.capabilities.find(DEFAULT_SCOPE, {
        namespace: "math",
        action: "shared",
      });
      const versions = await store.capabilities.versions(capability?.id ?? "");
      expect(versions.map((version) => version.version)).toEqual(
        Array.from({ length: countOf("save") }, (_, i) => countOf("save") - i),
      );
      expect(new Set(versions.map((version) => version.source)).size).toBe(versions.length);
      expect(capability?.usageCount).toBe(countOf("use"));
      expect(await store.audit.list({ limit: 1000 })).toHaveLength(countOf("audit"));
      expect(await store.capabilities.revision()).toBe(countOf("save"));
      expect(await store.findDamage()).toEqual([]);
    },
  );

  it("load no migration where there is nothing to migrate", async () => {
    const home = testHome();
    const modulesOfStart = (): string[] =>
      JSON.parse(
        execFileSync(process.execPath, [join(fixtures, "store-modules.ts"), home], { encoding: "utf8" }),
      ) as string[];
    const cold = ["src/store/migrate.ts", "src/store/migrations.ts", "src/store/sqlite/create-database.ts"];
    expect(modulesOfStart()).toEqual(expect.arrayContaining(cold));
    const warm = modulesOfStart();
    expect(warm).toContain("src/store/runs/runs.ts");
    for (const module of cold) expect(warm).not.toContain(module);
  });
});

describe("processes that are killed while they write", () => {
  it(
    `lose no acknowledged write and leave no half row, in ${KILL_ROUNDS} rounds`,
    { timeout: 60_000 * KILL_ROUNDS },
    async () => {
      const home = testHome();
      const random = createRandom(KILL_SEED);
      for (let round = 1; round <= KILL_ROUNDS; round++) {
        // More than any of them will come to; on average the four make 1,000 writes in all.
        const writers = writersOf(home, "steps", 4, 1_000_000);
        for (const writer of writers) writer.killAfter(2 + Math.floor(random() * 500));
        await startTogether(writers);
        const endings = await Promise.all(writers.map((writer) => writer.ended));
        const hint = `round ${round} of STORE_KILL_SEED=${KILL_SEED}`;
        expect(
          endings.map((ending) => ending.signal),
          hint,
        ).toEqual(writers.map(() => "SIGKILL"));
        expect(endings.map((ending) => ending.stderr).join(""), hint).toBe("");
        await expectAcknowledged(home, writers, hint);
      }
    },
  );
});

async function expectAcknowledged(home: string, writers: readonly Writer[], hint: string): Promise<void> {
  const store = await openSqliteStore({ home });
  try {
    expect(await store.findDamage(), hint).toEqual([]);
    for (const { lines } of writers) {
      const [run = "", ...writes] = lines;
      const steps = await store.runs.steps(run.replace("run ", ""));
      expectWrites(steps, writes, hint);
    }
  } finally {
    await store.close();
  }
}

/** Every write that was said is there; of the others at most the one in flight; and every row is whole. */
function expectWrites(steps: readonly Step[], writes: readonly string[], hint: string): void {
  const closedCount = steps.filter((step) => step.status === "succeeded").length;
  expect(steps.length + closedCount - writes.length, hint).toBeOneOf([0, 1]);
  const byKey = new Map(steps.map((step) => [step.key, step]));
  for (const write of writes) {
    const [kind, key = ""] = write.split(" ");
    const step = byKey.get(key);
    expect(step?.args, hint).toEqual({ text: key.repeat(50) });
    if (kind === "close") expect(step?.status, hint).toBe("succeeded");
  }
  for (const step of steps) {
    const result = step.status === "succeeded" ? { text: step.key.repeat(20) } : null;
    expect(step.result, hint).toEqual(result);
    expect(step.finishedAt === null, hint).toBe(step.status === "sent");
  }
}

/** A small generator with a seed (mulberry32), so that a failure can be repeated. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
