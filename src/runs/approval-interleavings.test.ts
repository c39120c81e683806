/**
 * Random interleavings of calls, answers, resumes, restarts and changes. Every call that is made must have a yes of its own:
 * for this caller, through this profile, of this tool as it is, with these arguments, by this rule, in time, and used once.
 * `APPROVAL_INTERLEAVINGS` and `APPROVAL_SEED` play more of them.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createRandom } from "../../test/rig/random.ts";
import type { Clock } from "../core/clock.ts";
import type { Principal } from "../core/principal.ts";
import { fail, succeed } from "../core/result.ts";
import type { CallContext, ToolView } from "../core/tool.ts";
import { createGuard } from "../trust/guard.ts";
import { NO_LIMITS } from "../trust/rule-limits.ts";
import { createTestRuns, type TestRuns } from "./runs.testkit.ts";

const COUNT = Number(process.env["APPROVAL_INTERLEAVINGS"] ?? 60);
const SEED = Number(process.env["APPROVAL_SEED"] ?? 20_261_117);
const STEPS = 30;
const APPROVAL_MS = 60_000;

interface Yes {
  readonly what: string;
  readonly expiresAt: number;
  isUsed: boolean;
}

/** One world: a store, a tool that changes, a rule that changes, callers, and what was said and done. */
async function openWorld(seed: number) {
  const random = createRandom(seed);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  const home = mkdtempSync(join(tmpdir(), "repertoire-yes-"));
  const state = { now: 1_000_000, rule: 0, definition: 0 };
  const clock: Clock = { now: () => state.now, elapsed: () => performance.now() };
  const guard = createGuard({
    rulesFor: () => {
      const rule = {
        id: `r${state.rule}`,
        name: "rules[0]",
        do: "ask",
        namesTools: true,
        limits: NO_LIMITS,
      } as const;
      return { rules: [rule], decide: () => rule, explain: () => [] };
    },
    effectOf: () => "write",
    labelsOf: () => ({ isUntrusted: false, isPrivate: false, sends: false }),
    asksBeforeSending: () => false,
    limits: { isUsedUp: async () => false, enter: async () => succeed(() => {}) },
    record: () => {},
  });
  const [said, wrong]: [Yes[], string[]] = [[], []];
  const waiting = new Map<string, string>();
  const askers = new Map<string, CallContext>();
  let made = 0;
  const keyOf = (context: Pick<CallContext, "principal" | "view">, n: unknown): string =>
    [context.principal?.id, context.view?.profile, n, state.rule, state.definition].join(" ");

  async function open(): Promise<TestRuns> {
    const kit = await createTestRuns(home, undefined, undefined, undefined, {
      clock,
      guard,
      approvalMs: () => APPROVAL_MS,
    });
    await offer(kit);
    return kit;
  }
  async function offer(kit: TestRuns): Promise<void> {
    const pay = ({ n }: Record<string, unknown>, context: CallContext) => {
      made++;
      const what = keyOf(context, n);
      const yes = said.find((one) => one.what === what && !one.isUsed && one.expiresAt > state.now);
      if (yes === undefined) wrong.push(`no yes for ${what}`);
      else yes.isUsed = true;
      // A call that failed is made again when the run is resumed, and needs another yes.
      return random() < 0.4 ? fail("TOOL_UNAVAILABLE", "down") : "paid";
    };
    kit.addSource("bank", { pay }, { pay: { description: `Version ${state.definition}.` } });
    await kit.registry.refresh("bank", { traceId: "t", signal: new AbortController().signal });
  }

  let kit = await open();
  const callers = ["a", "b"].flatMap((id) => [undefined, "p"].map((profile) => contextOf(id, profile)));
  const note = (runId: string | null, context: CallContext, n: unknown): void => {
    // A run that still waits keeps the question that it asked.
    if (runId === null || waiting.has(runId)) return;
    waiting.set(runId, keyOf(context, n));
    askers.set(runId, context);
  };

  async function call(): Promise<void> {
    const [context, n] = [pick(callers), pick([1, 2])];
    const report = await kit.runs.execute({ kind: "call", source: "bank__pay", inputs: { n } }, context);
    note(report.runId, context, n);
  }
  async function answer(): Promise<void> {
    const runId = pick([...[...waiting.keys()].slice(-4), ""]);
    const question = await kit.runs.question(runId);
    if (!question.success) return;
    const { expiresAt, details } = question.data.waiting;
    const isApproved = random() < 0.8;
    const decided = await kit.runs.decide(question.data, { isApproved });
    const what = waiting.get(question.data.runId);
    expect((details as { type: string }).type).toBe("bank__pay");
    if (decided.success && isApproved && what !== undefined)
      said.push({ what, expiresAt: expiresAt!, isUsed: false });
  }
  async function resume(): Promise<void> {
    const runId = pick([...[...waiting.keys()].slice(-4), ""]);
    const context = (random() < 0.7 ? askers.get(runId) : undefined) ?? pick(callers);
    const run = await kit.store.runs.find(runId);
    // Two at once: one goes on.
    const reports = await Promise.all([1, 2].map(() => kit.runs.resume({ runId }, context)));
    for (const report of reports) if (report.success) note(report.data.runId, context, run?.inputs["n"]);
  }
  const acts = [
    call,
    call,
    answer,
    answer,
    answer,
    resume,
    resume,
    resume,
    async () => void (state.now += Math.floor(random() * 40_000)),
    async () => void (random() < 0.5 && (state.now += APPROVAL_MS)),
    async () => void (random() < 0.3 && state.rule++),
    async () => {
      if (random() < 0.3) state.definition++;
      await offer(kit);
    },
    async () => {
      if (random() < 0.2) [kit] = [(await kit.close(), await open())];
    },
  ];
  return {
    async play() {
      for (let at = 0; at < STEPS; at++) await pick(acts)();
      await kit.close();
      rmSync(home, { recursive: true, force: true });
      return { wrong, made, yesCount: said.length };
    },
  };
}

it(
  `makes no call without a yes of its own, in ${COUNT} random interleavings`,
  { timeout: 600_000 },
  async () => {
    const sum = { made: 0, yesCount: 0 };
    for (let at = 0; at < COUNT; at++) {
      const { wrong, made, yesCount } = await (await openWorld(SEED + at)).play();
      expect(wrong, `APPROVAL_SEED=${SEED + at}`).toEqual([]);
      expect(made).toBeLessThanOrEqual(yesCount);
      sum.made += made;
      sum.yesCount += yesCount;
    }
    // Otherwise it would have shown nothing.
    expect(sum.made).toBeGreaterThan(COUNT / 10);
  },
);

function contextOf(id: string, profile: string | undefined): CallContext {
  const principal: Principal = {
    id: `token:${id}`,
    name: id,
    permissions: new Set(["read", "call", "write"]),
    revoked: new AbortController().signal,
  };
  const context = { traceId: "t", signal: new AbortController().signal, principal };
  return profile === undefined ? context : { ...context, view: viewOf(profile) };
}

function viewOf(profile: string): ToolView {
  return {
    profile,
    allows: () => true,
    allowsServer: () => true,
    nameOf: (tool) => tool,
    descriptionOf: () => undefined,
  };
}
