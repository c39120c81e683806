/** Two processes on one home, for tests of runs that go on: what one leaves, the other finds. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach } from "vitest";
import type { Clock } from "../../core/clock.ts";
import type { JsonObject } from "../../core/json.ts";
import { fail } from "../../core/result.ts";
import type { CallContext } from "../../core/tool.ts";
import type { RunRequest } from "../run.ts";
import { createTestRuns, cutShort, LIMITS, type TestRuns } from "../runs.testkit.ts";

/** What the two share and a test sets. */
interface World {
  /** The arguments of all calls that were made. */
  made: JsonObject[];
  isDown: boolean;
  /** How far the clock is ahead. */
  shiftMs: number;
  /** Calls that say `stall` get no answer as long as this is there. */
  stalled: PromiseWithResolvers<void> | undefined;
  /** The capability `shop:order`, in the version that is current. */
  order: { readonly version: number; readonly source: string };
}

/** The two, and what a test does with them. */
export interface TwoProcesses {
  readonly folder: string;
  readonly clock: Clock;
  readonly world: World;
  readonly kit: TestRuns;
  /** On the same home, as another process is. */
  readonly other: TestRuns;
  /** The `n` of each call that was made. */
  numbers(): unknown[];
  keepOrder(version: number, source: string): void;
  /** Executes code until a call stalls, and leaves the run as a killed process does. Its id. */
  cut(code: string, request?: Partial<RunRequest>): Promise<string>;
  reset(): void;
  close(): Promise<void>;
}

/** Both for a whole test file: opened before its tests, as new before each, closed after them. */
export async function useTwoProcesses(): Promise<TwoProcesses> {
  const two = await openTwoProcesses();
  afterAll(() => two.close());
  beforeEach(() => two.reset());
  return two;
}

/** Starts both in a folder of their own. */
async function openTwoProcesses(): Promise<TwoProcesses> {
  const folder = mkdtempSync(join(tmpdir(), "repertoire-test-"));
  const world = createWorld();
  const clock = { now: () => Date.now() + world.shiftMs, elapsed: () => performance.now() };
  const start = () => createTestRuns(folder, () => LIMITS, undefined, undefined, { clock });
  const [kit, other] = await Promise.all([start(), start()]);
  for (const each of [kit, other]) addSources(each, world);
  return {
    folder,
    clock,
    world,
    kit,
    other,
    numbers: () => world.made.map(({ n }) => n),
    keepOrder(version, source) {
      world.order = { version, source };
      for (const each of [kit, other]) nameOrder(each, version, source);
    },
    cut(code, request) {
      world.stalled = Promise.withResolvers();
      const cutting = cutShort(kit, folder, world.stalled.promise, code, request);
      return cutting.finally(() => (world.stalled = undefined));
    },
    reset: () => void Object.assign(world, { ...createWorld(), order: world.order }),
    async close() {
      await Promise.all([kit.close(), other.close()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function createWorld(): World {
  return { made: [], isDown: false, shiftMs: 0, stalled: undefined, order: { version: 1, source: "" } };
}

function addSources(to: TestRuns, world: World): void {
  const answer = (args: Record<string, unknown>): unknown => {
    world.made.push(args as JsonObject);
    if (args["stall"] === true && world.stalled !== undefined) {
      if (args["first"] !== true) world.stalled.resolve();
      return new Promise(() => {});
    }
    return world.isDown ? fail("TOOL_UNAVAILABLE", "It is down.") : args;
  };
  to.addSource("notes", { add: answer, look: answer }, { look: { annotations: { readOnlyHint: true } } });
  const order = (args: Record<string, unknown>, context: CallContext) =>
    runOrder(to, world, args as JsonObject, context);
  to.addSource("mcp", { shop__order: order });
}

async function runOrder(
  { runs }: TestRuns,
  { order: { version, source } }: World,
  inputs: JsonObject,
  context: CallContext,
): Promise<unknown> {
  const capability = { tool: "mcp__shop__order", id: "order", version };
  const { result } = await runs.execute({ kind: "code", source, inputs, capability }, context);
  return result.success ? result.data : result;
}

function nameOrder(to: TestRuns, version: number, source: string): void {
  const tool = "mcp__shop__order";
  to.named.set(`order@${version}`, { kind: "code", source, capability: { tool, id: "order", version } });
}

/** Goes on with other code. */
export function correct(source: string) {
  return { corrected: { kind: "code" as const, source } };
}
