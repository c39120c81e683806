/** T117: what earlier runs were for is known to the search from the first start of this version on. */
import { join } from "node:path";
import { expect, it } from "vitest";
import { DEFAULT_SCOPE } from "../../core/names.ts";
import { MIGRATIONS } from "../migrations.ts";
import { INTENT_LENGTH_MAX } from "../past-uses.ts";
import { DATABASE_NAME } from "./home.ts";
import { openRaw, openTestStore, testHome } from "./temp-home.testkit.ts";
import { insertRow } from "./version-one.testkit.ts";

const RUN = {
  ...DEFAULT_SCOPE,
  kind: "code",
  source: "return 1",
  inputs: "{}",
  seed: "s",
  clock_at: 1,
  fence: 1,
};
const STEP = { args: "{}", started_at: 1, status: "succeeded", result: "1" };

it("learns from the runs on record that succeeded, and from their calls that did", async () => {
  const home = testHome();
  await (await openTestStore(home, { migrations: MIGRATIONS.slice(0, 3) })).close();
  const raw = openRaw(join(home, DATABASE_NAME));
  const run = (id: string, status: string, intent: string | null, startedAt: number, org = RUN.org) =>
    insertRow(raw, "runs", { ...RUN, id, status, intent, org, started_at: startedAt });
  const step = (runId: string, key: string, tool: string, status = "succeeded") =>
    insertRow(raw, "steps", { ...STEP, run_id: runId, key, seq: Number(key), tool, status });
  run("a", "succeeded", "mail the week", 1);
  step("a", "1", "mail__send");
  step("a", "2", "mail__send");
  step("a", "3", "notes__list", "failed");
  run("b", "succeeded", "mail the week", 5);
  step("b", "1", "mail__send");
  run("c", "succeeded", null, 2);
  step("c", "1", "mail__send");
  run("d", "failed", "break it", 3);
  step("d", "1", "mail__send");
  run("e", "succeeded", "x".repeat(INTENT_LENGTH_MAX + 9), 4);
  step("e", "1", "long__one");
  run("f", "succeeded", "theirs", 6, "other");
  step("f", "1", "mail__send");
  raw.close();
  const store = await openTestStore(home);
  expect(await store.pastUses.list(DEFAULT_SCOPE)).toEqual([
    { tool: "mail__send", intent: "mail the week", useCount: 2, lastUsedAt: 5 },
    { tool: "long__one", intent: "x".repeat(INTENT_LENGTH_MAX), useCount: 1, lastUsedAt: 4 },
    { tool: "mail__send", intent: "", useCount: 1, lastUsedAt: 2 },
  ]);
  await store.close();
});
