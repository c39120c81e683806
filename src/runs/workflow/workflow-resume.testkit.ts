/** Workflows whose world breaks on request, for tests of how they go on. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, expect } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { DEFAULT_SCOPE } from "../../core/names.ts";
import { fail } from "../../core/result.ts";
import { INLINE_RESULT_BYTES_MAX, type RunStore } from "../../core/store.ts";
import type { RunReport } from "../run.ts";
import { createTestRuns, LIMITS, orphanRuns, type TestRuns } from "../runs.testkit.ts";

/** What a test breaks. */
interface World {
  isDown: boolean;
  /** Calls of these never come back. */
  lost: Set<unknown>;
  onLost: () => void;
  /** Stands in the way of what is recorded when it has returned. */
  recording: (tool: string) => Promise<void>;
}

/** Runs in a world that a test breaks and mends. */
export interface BreakableRuns {
  readonly folder: string;
  readonly kit: TestRuns;
  readonly world: World;
  /** Adds the tools called notes to another process. */
  addNotes(to: TestRuns): void;
  /** Where the calls that were made say that they stand. */
  made(): string[];
  /** Runs until a call that never comes back is under way, and leaves the run as a killed process does. */
  runAndKill(workflow: JsonObject, at: string): Promise<string>;
  /** Leaves the newest run as a killed process does. Its id. */
  orphaned(): Promise<string>;
  /** Runs a workflow that stops at its node `check`, which would succeed now. */
  failAtCheck(workflow: JsonObject): Promise<RunReport>;
  reset(): void;
  close(): Promise<void>;
}

/** For a whole test file: opened before its tests, as new before each, closed after them. */
export async function useBreakableRuns(): Promise<BreakableRuns> {
  const broken = await openBreakableRuns();
  afterAll(() => broken.close());
  beforeEach(() => broken.reset());
  return broken;
}

/** Starts them in a folder of their own. */
async function openBreakableRuns(): Promise<BreakableRuns> {
  const folder = mkdtempSync(join(tmpdir(), "repertoire-test-"));
  const world = createWorld();
  const around = (store: RunStore): RunStore => ({
    ...store,
    recordStep: async (lease, step) => {
      await world.recording(step.tool);
      return store.recordStep(lease, step);
    },
  });
  const kit = await createTestRuns(folder, () => LIMITS, undefined, undefined, { around });
  addNotes(kit, world);

  async function orphaned(): Promise<string> {
    const [run] = await kit.store.runs.list(DEFAULT_SCOPE, { limit: 1 });
    orphanRuns(folder);
    return run!.id;
  }

  return {
    folder,
    kit,
    world,
    addNotes: (to) => addNotes(to, world),
    made: () => kit.calls.flatMap(({ args }) => ((args as JsonObject)["at"] as string | undefined) ?? []),
    async runAndKill(workflow, at) {
      const { promise, resolve } = Promise.withResolvers<void>();
      world.lost.add(at);
      world.onLost = resolve;
      void kit.executeWorkflow(workflow);
      await promise;
      world.lost.delete(at);
      return orphaned();
    },
    orphaned,
    async failAtCheck(workflow) {
      world.isDown = true;
      const failed = await kit.executeWorkflow(workflow);
      expect(failed.result).toMatchObject({ error: { node: "check" } });
      world.isDown = false;
      return failed;
    },
    reset() {
      Object.assign(world, createWorld());
      kit.calls.length = 0;
    },
    async close() {
      await kit.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function createWorld(): World {
  return { isDown: false, lost: new Set(), onLost: () => {}, recording: async () => {} };
}

function addNotes(to: TestRuns, world: World): void {
  to.addSource(
    "notes",
    {
      add: (args) => {
        if (!world.lost.has(args["at"])) return args;
        world.onLost();
        return new Promise(() => {});
      },
      check: () => (world.isDown ? fail("TOOL_UNAVAILABLE", "down") : { up: true }),
      fail: () => fail("TOOL_UNAVAILABLE", "always down"),
      large: ({ at }) => ({ at, text: "x".repeat(INLINE_RESULT_BYTES_MAX + 1) }),
    },
    { check: { annotations: { readOnlyHint: true } } },
  );
}

/** A node that says where it stands. */
export function add(at: string, params: JsonObject = {}): JsonObject {
  return { id: at, type: "notes__add", params: { at, ...params } };
}

/** A node that fails while the world is down. */
export const CHECK = { id: "check", type: "notes__check", params: {} };
