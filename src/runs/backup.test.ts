import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it, onTestFinished } from "vitest";
import { createTestRuns, orphanRuns } from "./runs.testkit.ts";

const CALLS = 30;

it("T123: a copy that is made while a run writes is whole, and the run goes on from it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "repertoire-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [home, copy] = [join(folder, "home"), join(folder, "copy")];
  mkdirSync(copy, { mode: 0o700 });
  const made: unknown[] = [];
  const open = async (place: string) => {
    const kit = await createTestRuns(place);
    onTestFinished(() => kit.close());
    kit.addSource("notes", {
      add({ n }) {
        if (place === home && made.length === CALLS / 2) backUp(home, copy);
        made.push(n);
        return { n };
      },
    });
    return kit;
  };
  const code = `let sum = 0; for (let n = 1; n <= ${CALLS}; n++) sum += (await mcp.notes.add({ n })).n; return sum;`;
  const whole = await (await open(home)).execute(code);

  orphanRuns(copy);
  const restored = await open(copy);
  expect(await restored.store.findDamage()).toEqual([]);
  const before = await restored.store.runs.steps(whole.runId!);
  const done = before.filter(({ status }) => status === "succeeded").length;
  expect(done).toBe(CALLS / 2);
  made.length = 0;
  // The copy was made while a call was under way: it had been opened, and nothing else is known of it there.
  const resumed = await restored.resume(whole.runId!, { uncertain: "retry" });
  expect(resumed.result).toEqual(whole.result);
  expect(made).toHaveLength(CALLS - done);
});

function backUp(home: string, copy: string): void {
  const database = new DatabaseSync(join(home, "repertoire.db"));
  database.prepare("vacuum into ?").run(join(copy, "repertoire.db"));
  database.close();
}
