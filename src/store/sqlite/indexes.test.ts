/** What must stay cheap in a large store is found through an index; the text is the one that the store sends. */
import { join } from "node:path";
import { expect, it } from "vitest";
import { hashText } from "../../core/json.ts";
import { DEFAULT_SCOPE } from "../../core/names.ts";
import type { Store } from "../../core/store.ts";
import { runDraftOf, save } from "../testsuite/fixture.ts";
import { createFaultyHandle } from "./faulty-handle.testkit.ts";
import { DATABASE_NAME } from "./home.ts";
import { openHandle } from "./sqlite-handle.ts";
import { openRaw, openTestStore, testHome } from "./temp-home.testkit.ts";

/** How SQLite goes about the one statement of an operation that mentions a word. */
async function planOf(word: string, operation: (store: Store) => Promise<unknown>): Promise<string> {
  const home = testHome();
  const texts: string[] = [];
  const store = await openTestStore(home, {
    openHandle: (path) => createFaultyHandle(openHandle(path), { before: (sql) => void texts.push(sql) }),
  });
  texts.length = 0;
  await operation(store);
  const [text, ...others] = texts.filter((sql) => sql.includes(word));
  expect(others).toEqual([]);
  const raw = openRaw(join(home, DATABASE_NAME));
  const nothing = Array.from({ length: (text ?? "").split("?").length - 1 }, () => null);
  const steps = raw.prepare(`explain query plan ${text}`).all(...nothing);
  return steps.map((step) => step["detail"]).join("\n");
}

it("finds a succeeded run by the hash of its source, sorted already", async () => {
  const plan = await planOf("source_hash", (store) => store.runs.findSucceeded(DEFAULT_SCOPE, "return 1"));
  expect(plan).toContain("USING INDEX runs_succeeded_source (org=? AND project=? AND source_hash=?)");
  expect(plan).not.toContain("TEMP B-TREE");
});

it("chooses what is listed without sorting the library", async () => {
  const plan = await planOf('set "listed" =', (store) => save(store.capabilities));
  expect(plan).toContain("USING INDEX capabilities_most_used");
  expect(plan).not.toContain("TEMP B-TREE");
});

it("lets the text decide where a hash has two", async () => {
  const home = testHome();
  const { runs } = await openTestStore(home);
  const run = await runs.start(runDraftOf({ source: "return 1" }), "owner", 60_000);
  await runs.finish({ runId: run.id, fence: 1 }, { status: "succeeded" });
  openRaw(join(home, DATABASE_NAME)).prepare("update runs set source_hash = ?").run(hashText("return 2"));
  expect(await runs.findSucceeded(DEFAULT_SCOPE, "return 2")).toBeUndefined();
});
