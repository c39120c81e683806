/**
 * Any workflow, any faults: however often a run is stopped, killed or fails on its way, in the end it has done and
 * answered the same as a run that nothing happened to.
 *
 * A life is what happens between a start and a stop. A life that was killed writes and calls nothing more, as its
 * process would.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { hashJson, type Json, type JsonObject } from "../../core/json.ts";
import { fail, type ToolResult } from "../../core/result.ts";
import type { Lease, Run, RunStore } from "../../core/store.ts";
import type { CallContext, UncertainAnswer } from "../../core/tool.ts";
import type { RunReport, UncertainStep } from "../run.ts";
import { createTestRuns, deadOwner, LIMITS, type TestRuns } from "../runs.testkit.ts";

// ── workflows ───────────────────────────────────────────────────────────────────────────────────────────────────────

const KINDS = ["once", "again", "code", "batch", "codes", "broken"] as const;

interface NodePlan {
  readonly kind: (typeof KINDS)[number];
  /** How far back the nodes stand that it reads, or that an edge comes from. */
  readonly reads: readonly number[];
  readonly edges: readonly number[];
  readonly hasRetry: boolean;
  /** How far ahead the node stands that handles a failure that is part of the plan; 0 to continue. */
  readonly route: number;
}

const nodePlan: fc.Arbitrary<NodePlan> = fc.record({
  // Code is what takes time here.
  kind: fc.oneof(
    { arbitrary: fc.constantFrom(...KINDS), weight: 1 },
    { arbitrary: fc.constantFrom("once" as const, "again" as const, "batch" as const), weight: 1 },
  ),
  reads: fc.uniqueArray(fc.integer({ min: 1, max: 4 }), { maxLength: 2 }),
  edges: fc.uniqueArray(fc.integer({ min: 1, max: 4 }), { maxLength: 1 }),
  hasRetry: fc.boolean(),
  route: fc.integer({ min: 0, max: 3 }),
});

const CODE = `
const first = await mcp.fx.once({ id: args.id + "/first", x: args.x });
const both = await Promise.all([
  mcp.fx.again({ id: args.id + "/left", x: first }),
  mcp.fx.once({ id: args.id + "/right", x: first }),
]);
return { first, both };
`;

function workflowOf(plans: readonly NodePlan[]): JsonObject {
  const routes = plans.map((plan, at) =>
    plan.kind === "broken" ? routeOf(plan, at, plans.length) : undefined,
  );
  const isRoute = (from: number, to: number): boolean => routes[from] === to;
  const before = (at: number, backs: readonly number[]): number[] =>
    backs.map((back) => at - back).filter((from) => from >= 0);
  const edges = plans.flatMap(({ edges: backs }, at) =>
    before(at, backs)
      .filter((from) => !isRoute(from, at))
      .map((from) => ({ from: `n${from}`, to: `n${at}` })),
  );
  const nodes = plans.map((plan, at) => {
    const id = `n${at}`;
    const x = before(at, plan.reads).map((from) => `\${n${from}}`);
    const route = routes[at];
    return {
      ...performing(plan.kind, id, x),
      ...(plan.hasRetry && { retry: { max: 1, delay_ms: 0 } }),
      ...(plan.kind === "broken" && { on_error: route === undefined ? "continue" : `n${route}` }),
      id,
    };
  });
  const outputs = Object.fromEntries(nodes.map(({ id }) => [id, { source: `\${${id}}` }]));
  return { ir_version: "1.0", nodes, edges, outputs };
}

function routeOf({ route }: NodePlan, at: number, count: number): number | undefined {
  return route === 0 || at + route >= count ? undefined : at + route;
}

function performing(kind: NodePlan["kind"], id: string, x: Json): JsonObject {
  const code = (name: string): JsonObject => ({
    type: "code",
    params: { code: CODE, inputs: { id: name, x } },
  });
  if (kind === "code") return code(id);
  if (kind === "codes") return { ...code(`${id}:\${item}`), batch: { items: [1, 2] } };
  if (kind === "batch") {
    return {
      type: "fx__once",
      params: { id: `${id}:\${item}`, x },
      batch: { items: [1, 2, 3], concurrency: 2 },
    };
  }
  return { type: `fx__${kind}`, params: { id, x } };
}

// ── faults ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** What ends a life: at which write or call, and how. */
interface Fault {
  readonly kind: "killed_before_write" | "killed_after_write" | "store_throws" | "cancelled";
  readonly at: number;
}

/** Which call of a tool goes wrong, in the order of a life, and whether it takes effect all the same. */
interface Slip {
  readonly at: number;
  readonly hasEffect: boolean;
}

const fault: fc.Arbitrary<Fault> = fc.record({
  kind: fc.constantFrom("killed_before_write", "killed_after_write", "store_throws", "cancelled"),
  at: fc.integer({ min: 1, max: 30 }),
});
const slip: fc.Arbitrary<Slip> = fc.record({ at: fc.integer({ min: 1, max: 12 }), hasEffect: fc.boolean() });

const LIFE_COUNT_MAX = 20;
/** On a busy machine fewer cases are tried. */
const TIME_LIMIT_MS = 15_000;

interface Life {
  readonly fault: Fault | undefined;
  readonly stop: AbortController;
  readonly killed: PromiseWithResolvers<"killed">;
  writeCount: number;
  callCount: number;
}

/** What the tools have done. */
interface World {
  readonly once: string[];
  readonly again: Set<string>;
  /** Calls that went wrong already are not wrong again. */
  readonly slips: Slip[];
  toolCallCount: number;
  /** The newest run that no other one started. */
  topRunId: string | undefined;
}

let kit: TestRuns;
let life: Life;
let world: World;
/** The life that each run was begun in; also by fence, since a later life may take the run over. */
const livesOf = new Map<string, Life>();
/** The life that starts, claims and goes on with runs which no other run started. */
const current = new AsyncLocalStorage<Life>();
const folder = mkdtempSync(join(tmpdir(), "repertoire-test-"));
const owner = deadOwner();

const isKilled = new WeakSet<Life>();

function lifeOf(by: string | null | undefined): Life | undefined {
  return by == null ? current.getStore() : livesOf.get(by);
}

/** A life that another one followed is as dead as one that was killed. */
function isDead(of: Life | undefined): boolean {
  return of !== life || isKilled.has(of);
}

function fenced({ runId, fence }: Lease): string {
  return `${runId}:${fence}`;
}

const never = <T>(): Promise<T> => new Promise(() => {});

function kill(of: Life): void {
  isKilled.add(of);
  of.killed.resolve("killed");
  of.stop.abort();
}

/** One write of a life, at which it may end. */
async function write<T>(of: Life | undefined, make: (of: Life) => Promise<T>): Promise<T> {
  if (of === undefined || isDead(of)) return never();
  const isHere = of.fault?.kind !== "cancelled" && ++of.writeCount === of.fault?.at;
  if (isHere && of.fault?.kind === "killed_before_write") return (kill(of), never());
  if (isHere && of.fault?.kind === "store_throws") {
    kill(of);
    throw new Error("the disk is gone");
  }
  const written = await make(of);
  if (isHere) kill(of);
  return isKilled.has(of) ? never() : written;
}

function around(store: RunStore): RunStore {
  const begun = (of: Life, run: Run): Run => {
    livesOf.set(run.id, of);
    livesOf.set(fenced({ runId: run.id, fence: run.fence }), of);
    if (run.parentRunId === null) world.topRunId = run.id;
    return run;
  };
  const held = (lease: Lease): Life | undefined => lifeOf(fenced(lease));
  return {
    ...store,
    start: (draft, _, leaseMs) =>
      write(lifeOf(draft.parentRunId), async (of) => begun(of, await store.start(draft, owner, leaseMs))),
    resume: (from, draft, taken, _, leaseMs) =>
      write(lifeOf(draft.parentRunId), async (of) => {
        const outcome = await store.resume(from, draft, taken, owner, leaseMs);
        if (outcome.kind === "resumed") begun(of, outcome.run);
        return outcome;
      }),
    claim: (id, _, leaseMs, grounds) =>
      write(current.getStore(), async (of) => {
        const claimed = await store.claim(id, owner, leaseMs, grounds);
        if (claimed !== undefined) livesOf.set(fenced({ runId: id, fence: claimed.fence }), of);
        return claimed;
      }),
    openStep: (lease, step) => write(held(lease), () => store.openStep(lease, step)),
    closeStep: (lease, key, outcome) => write(held(lease), () => store.closeStep(lease, key, outcome)),
    recordStep: (lease, step) => write(held(lease), () => store.recordStep(lease, step)),
    finish: (lease, outcome) => write(held(lease), () => store.finish(lease, outcome)),
  };
}

// ── tools ───────────────────────────────────────────────────────────────────────────────────────────────────────────

function answerOf(args: Json): JsonObject {
  return { v: hashJson(args).slice(0, 8) };
}

/** A tool that takes effect, unless its call goes wrong or its caller is dead. */
function acting(take: (id: string, args: Json) => Json) {
  return (args: Record<string, unknown>, context: CallContext): unknown => {
    if (isDead(lifeOf(context.runId))) return never();
    if (life.fault?.kind === "cancelled" && ++life.callCount === life.fault.at) life.stop.abort();
    world.toolCallCount++;
    const wrong = world.slips.findIndex(({ at }) => at === world.toolCallCount);
    const [slipped] = wrong === -1 ? [] : world.slips.splice(wrong, 1);
    if (slipped?.hasEffect === false) return fail("TOOL_UNAVAILABLE", "down");
    const answer = take(String(args["id"]), args as JsonObject);
    return slipped === undefined ? answer : fail("TOOL_TIMEOUT", "no answer", { mayHaveHappened: true });
  };
}

beforeAll(async () => {
  const limits = { ...LIMITS, timeoutMs: 20_000 };
  kit = await createTestRuns(folder, () => limits, undefined, undefined, { around });
  kit.addSource(
    "fx",
    {
      once: acting((id, args) => {
        world.once.push(id);
        return answerOf(args);
      }),
      again: acting((id, args) => {
        world.again.add(id);
        return answerOf(args);
      }),
      broken: () => fail("TOOL_UNAVAILABLE", "always down"),
    },
    { again: { annotations: { idempotentHint: true } } },
  );
}, 30_000);
afterAll(async () => {
  await kit.close();
  rmSync(folder, { recursive: true, force: true });
});

// ── lives ───────────────────────────────────────────────────────────────────────────────────────────────────────────

async function live(
  of: Fault | undefined,
  act: (signal: AbortSignal) => Promise<RunReport>,
): Promise<RunReport | "killed"> {
  life = {
    fault: of,
    stop: new AbortController(),
    killed: Promise.withResolvers<"killed">(),
    writeCount: 0,
    callCount: 0,
  };
  const mine = life;
  const report = current
    .run(mine, () => act(mine.stop.signal))
    .catch((error: unknown) => {
      if (isKilled.has(mine)) return "killed" as const;
      throw error;
    });
  return Promise.race([report, mine.killed.promise]);
}

/** What somebody says who looked at what the tools have done, about each call. */
function answersFor(steps: readonly UncertainStep[]): UncertainAnswer[] {
  return steps.map(({ args }) =>
    world.once.includes(args["id"] as string) ? { result: answerOf(args) } : "retry",
  );
}

interface End {
  readonly result: ToolResult<Json>;
  readonly once: readonly string[];
  readonly again: readonly string[];
}

/** Starts the workflow and goes on with it until it has succeeded, through all faults. */
async function runToTheEnd(source: string, faults: readonly Fault[], slips: readonly Slip[]): Promise<End> {
  world = {
    once: [],
    again: new Set(),
    slips: [...slips],
    toolCallCount: 0,
    topRunId: undefined,
  };
  let uncertain: UncertainAnswer[] | undefined;
  let result: ToolResult<Json> = fail("TOOL_EXECUTION_FAILED", "not started");
  for (let count = 0; count < LIFE_COUNT_MAX && !result.success; count++) {
    const report = await live(faults[count], (signal) =>
      world.topRunId === undefined
        ? kit.executeWorkflow(source, {}, { signal })
        : kit.resume(world.topRunId, uncertain === undefined ? {} : { uncertain }, { signal }),
    );
    uncertain = undefined;
    if (report === "killed") continue;
    result = report.result;
    const isAsked = !result.success && result.error.reason === "uncertain_step";
    if (isAsked) uncertain = answersFor(report.checkpoint?.uncertain ?? []);
  }
  return { result, once: world.once.toSorted(), again: [...world.again].toSorted() };
}

it("a workflow comes to the same end through faults, and does nothing twice", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(nodePlan, { minLength: 3, maxLength: 12 }),
      fc.array(fault, { maxLength: 3 }),
      fc.uniqueArray(slip, { maxLength: 2, selector: ({ at }) => at }),
      async (plans, faults, slips) => {
        const source = JSON.stringify(workflowOf(plans));
        const undisturbed = await runToTheEnd(source, [], []);
        expect(undisturbed.result.success).toBe(true);
        expect(await runToTheEnd(source, faults, slips)).toEqual(undisturbed);
      },
    ),
    { numRuns: 16, interruptAfterTimeLimit: TIME_LIMIT_MS },
  );
}, 60_000);
