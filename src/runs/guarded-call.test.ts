import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "../core/clock.ts";
import type { Guard } from "../core/guard.ts";
import { succeed } from "../core/result.ts";
import type { Principal } from "../core/principal.ts";
import type { CallContext } from "../core/tool.ts";
import { createGuard } from "../trust/guard.ts";
import type { FlowLabels } from "../trust/flow.ts";
import { NO_LIMITS } from "../trust/rule-limits.ts";
import type { Rule } from "../trust/rule-set.ts";
import { createTestRuns, orphanRuns, type TestRuns } from "./runs.testkit.ts";

const ALLOW: Rule = { id: "allow", name: "default", do: "allow", namesTools: false, limits: NO_LIMITS };
const ASK: Rule = {
  id: "ask",
  name: "rules[0]",
  do: "ask",
  namesTools: true,
  limits: NO_LIMITS,
  why: "Mail leaves.",
};
const REFUSE: Rule = { id: "refuse", name: "rules[1]", do: "refuse", namesTools: true, limits: NO_LIMITS };

const SEND = 'return await mcp.mail.send({ to: "ann" })';

/** By the name of the tool; what is not named is allowed. */
let rules: Record<string, Rule> = {};
/** What tools bring into a run. */
let labels: Record<string, FlowLabels> = {};
const NO_LABELS: FlowLabels = { isUntrusted: false, isPrivate: false, sends: false };
let now = 1_000_000;
const clock: Clock = { now: () => now, elapsed: () => performance.now() };

function testGuard(): Guard {
  const decide = ({ tool }: { tool: string }) => rules[tool] ?? ALLOW;
  return createGuard({
    rulesFor: () => ({ rules: [], decide, explain: () => [] }),
    effectOf: () => "write",
    labelsOf: ({ name }) => labels[name] ?? NO_LABELS,
    asksBeforeSending: () => true,
    limits: { isUsedUp: async () => false, enter: async () => succeed(() => {}) },
    record: () => {},
  });
}

const home = mkdtempSync(join(tmpdir(), "repertoire-ask-"));
let kit: TestRuns;

async function openKit(): Promise<TestRuns> {
  const opened = await createTestRuns(home, undefined, undefined, undefined, {
    clock,
    guard: testGuard(),
    approvalMs: () => 60_000,
  });
  addMail(opened, "Sends a mail.");
  opened.addSource("notes", {
    list: () => "[]",
    slow: () => new Promise((done) => setTimeout(() => done("ok"), 50)),
  });
  opened.addCapabilities({
    "post:one": SEND,
    "look:all": "await mcp.notes.list({}); await mcp.notes.slow({}); return 1",
  });
  return opened;
}

function addMail(to: TestRuns, description: string): void {
  const answers = {
    send: ({ to: whom }: Record<string, unknown>) => `sent to ${String(whom)}`,
    fail: () => ({ content: [{ type: "text", text: "no" }], isError: true }),
  };
  to.addSource("mail", answers, { send: { description } });
}

beforeAll(async () => {
  kit = await openKit();
});
afterAll(async () => {
  await kit.close();
  rmSync(home, { recursive: true, force: true });
});
beforeEach(() => {
  rules = { mail__send: ASK };
  labels = {};
  kit.calls.length = 0;
});

const madeCalls = (tool = "mail__send") => kit.calls.filter((call) => call.tool === tool).length;
const APPROVED = { isApproved: true };

async function questionOf(runId: string) {
  const question = await kit.runs.question(runId);
  if (!question.success) throw new Error(question.error.message);
  return question.data;
}

async function approve(runId: string): Promise<void> {
  expect(await kit.runs.decide(await questionOf(runId), APPROVED)).toMatchObject({ success: true });
}

describe("code that makes a call which a rule asks about", () => {
  it("pauses at exactly that call, makes nothing, and says what waits", async () => {
    const report = await kit.execute(`await mcp.notes.list({}); ${SEND}`);
    expect(report.result).toMatchObject({ success: false, error: { code: "APPROVAL_REQUIRED" } });
    expect(report.checkpoint).toMatchObject({
      completed: ["notes__list"],
      waiting: {
        name: "mail__send",
        message: expect.stringContaining("Mail leaves."),
        details: { type: "mail__send", params: { to: "ann" }, effect: "write", rule: "rules[0]" },
        expiresAt: now + 60_000,
      },
    });
    expect(madeCalls()).toBe(0);
  });

  it("makes it once after a yes, and repeats nothing before it", async () => {
    const { runId } = await kit.execute(`await mcp.notes.list({}); ${SEND}`);
    await approve(runId!);
    const report = await kit.resume(runId!);
    expect(report.result).toEqual({ success: true, data: "sent to ann" });
    expect([madeCalls(), madeCalls("notes__list")]).toEqual([1, 1]);
  });

  it("fails after a no, and the call is not made", async () => {
    const { runId } = await kit.execute(SEND);
    await kit.runs.decide(await questionOf(runId!), { isApproved: false });
    expect(await kit.store.runs.find(runId!)).toMatchObject({
      status: "failed",
      error: { reason: "denied" },
    });
    expect(madeCalls()).toBe(0);
  });

  it("asks about each of two equal calls", async () => {
    const code = `${SEND.replace("return ", "")}; ${SEND}`;
    const first = await kit.execute(code);
    await approve(first.runId!);
    const second = await kit.resume(first.runId!);
    expect(second.result).toMatchObject({ success: false, error: { code: "APPROVAL_REQUIRED" } });
    expect(madeCalls()).toBe(1);
    await approve(second.runId!);
    expect((await kit.resume(second.runId!)).result.success).toBe(true);
    expect(madeCalls()).toBe(2);
  });

  it("asks about two calls at once, and lets a call under way end first", async () => {
    const code = `const all = await Promise.all([mcp.notes.slow({}), mcp.mail.send({ to: "a" }), mcp.mail.send({ to: "b" })]); return all`;
    const { runId } = await kit.execute(code);
    expect(await questionOf(runId!)).toMatchObject({ openCount: 2 });
    expect((await kit.store.runs.steps(runId!)).map(({ tool, status }) => [tool, status])).toContainEqual([
      "notes__slow",
      "succeeded",
    ]);
    await approve(runId!);
    await approve(runId!);
    expect((await kit.resume(runId!)).result).toEqual({
      success: true,
      data: ["ok", "sent to a", "sent to b"],
    });
    expect([madeCalls(), madeCalls("notes__slow")]).toEqual([2, 1]);
  });

  it("does not let the code see or catch that it waits", async () => {
    const { result } = await kit.execute(`try { ${SEND} } catch { return "caught" }`);
    expect(result).toMatchObject({ success: false, error: { code: "APPROVAL_REQUIRED" } });
  });

  it("lets the code catch a refusal", async () => {
    rules = { mail__send: REFUSE };
    const { result } = await kit.execute(`try { ${SEND} } catch (error) { return error.message }`);
    expect(result).toEqual({ success: true, data: expect.stringContaining("refused by rules[1]") as string });
    expect(madeCalls()).toBe(0);
  });

  it("waits with a capability that asks inside of it", async () => {
    const { runId, result } = await kit.execute("return await mcp.post.one({})");
    expect(result).toMatchObject({ success: false, error: { code: "APPROVAL_REQUIRED" } });
    await approve(runId!);
    expect((await kit.resume(runId!)).result).toEqual({ success: true, data: "sent to ann" });
    expect(madeCalls()).toBe(1);
  });
});

describe("a yes", () => {
  const other: Principal = {
    id: "token:b",
    name: "b",
    permissions: new Set(["read", "call", "write"]),
    revoked: new AbortController().signal,
  };

  it.each([
    ["another principal", {}, { principal: other }],
    ["another profile", {}, { view: viewOf("p") }],
    ["other arguments", { corrected: { kind: "code" as const, source: SEND.replace("ann", "eve") } }, {}],
  ])("does not count for %s", async (_what, request, context: Partial<CallContext>) => {
    const { runId } = await kit.execute(SEND);
    await approve(runId!);
    const report = await kit.resume(runId!, request, context);
    expect(report.result).toMatchObject({ success: false, error: { code: "APPROVAL_REQUIRED" } });
    expect(madeCalls()).toBe(0);
  });

  it("does not count for another rule, or for a tool that has changed", async () => {
    const { runId } = await kit.execute(SEND);
    await approve(runId!);
    rules = { mail__send: { ...ASK, id: "another" } };
    const second = await kit.resume(runId!);
    expect(second.result).toMatchObject({ success: false, error: { code: "APPROVAL_REQUIRED" } });
    await approve(second.runId!);
    addMail(kit, "Sends a mail, and a copy.");
    await kit.registry.refresh("mail", contextOf());
    const third = await kit.resume(second.runId!);
    expect(third.result).toMatchObject({ success: false, error: { code: "APPROVAL_REQUIRED" } });
    expect(madeCalls()).toBe(0);
    addMail(kit, "Sends a mail.");
    await kit.registry.refresh("mail", contextOf());
  });

  it("cannot be given after the question has expired, nor used then", async () => {
    const { runId } = await kit.execute(SEND);
    const question = await questionOf(runId!);
    now += 60_001;
    const late = await kit.runs.decide(question, APPROVED);
    expect(late).toMatchObject({ success: false, error: { reason: "expired" } });
    const asked = await kit.resume(runId!);
    expect(asked.result).toMatchObject({ success: false, error: { code: "APPROVAL_REQUIRED" } });
    await approve(asked.runId!);
    now += 60_001;
    expect((await kit.resume(asked.runId!)).result).toMatchObject({ success: false });
    expect(madeCalls()).toBe(0);
  });

  it("counts once: a call that failed is asked about again", async () => {
    rules = { mail__fail: ASK };
    const { runId } = await kit.execute("return await mcp.mail.fail({})");
    await approve(runId!);
    const failed = await kit.resume(runId!);
    expect(failed.result).toMatchObject({ success: false });
    expect(madeCalls("mail__fail")).toBe(1);
    const again = await kit.resume(failed.runId!);
    expect(again.result).toMatchObject({ success: false, error: { code: "APPROVAL_REQUIRED" } });
    expect(madeCalls("mail__fail")).toBe(1);
  });

  it("survives the process that asked, also where it died before the run had paused", async () => {
    const { runId } = await kit.execute(SEND);
    await kit.close();
    kit = await openKit();
    await approve(runId!);
    expect((await kit.resume(runId!)).result).toEqual({ success: true, data: "sent to ann" });
    expect(madeCalls()).toBe(1);
  });
});

describe("a workflow", () => {
  const workflow = (type: string, params: object) => ({
    ir_version: "1.0",
    inputs: {},
    nodes: [
      { id: "look", type: "notes__list", params: {} },
      { id: "act", type, params },
    ],
    edges: [{ from: "look", to: "act" }],
    outputs: { done: { source: "${act}" } },
  });

  it("pauses before a node that a rule asks about, and goes on after a yes", async () => {
    const { runId, result } = await kit.executeWorkflow(workflow("mail__send", { to: "ann" }));
    expect(result).toMatchObject({ success: false, error: { code: "APPROVAL_REQUIRED" } });
    await approve(runId!);
    expect((await kit.resume(runId!)).result).toEqual({ success: true, data: { done: "sent to ann" } });
    expect([madeCalls(), madeCalls("notes__list")]).toEqual([1, 1]);
  });

  it("fails at a node that a rule refuses", async () => {
    rules = { mail__send: REFUSE };
    const { result } = await kit.executeWorkflow(workflow("mail__send", { to: "ann" }));
    expect(result).toMatchObject({ success: false, error: { code: "SECURITY_ERROR", reason: "refused" } });
    expect(madeCalls()).toBe(0);
  });
});

describe("a run that has read private and untrusted things", () => {
  beforeEach(() => {
    rules = {};
    labels = {
      notes__list: { ...NO_LABELS, isPrivate: true },
      notes__slow: { ...NO_LABELS, isUntrusted: true },
      mail__send: { ...NO_LABELS, sends: true },
    };
  });

  it.each([
    ["reads neither", SEND],
    ["reads only what is private", `await mcp.notes.list({}); ${SEND}`],
    ["reads only what is untrusted", `await mcp.notes.slow({}); ${SEND}`],
  ])("asks nothing where it %s", async (_what, code) => {
    expect((await kit.execute(code)).result).toEqual({ success: true, data: "sent to ann" });
  });

  it("T101: asks before it sends, also after a resume, and names what it has read", async () => {
    const code = `await mcp.notes.list({}); await mcp.notes.slow({}); ${SEND}`;
    const first = await kit.execute(code);
    expect(first.result).toMatchObject({ success: false, error: { code: "APPROVAL_REQUIRED" } });
    expect((await questionOf(first.runId!)).waiting.message).toMatch(/notes__list \(private\).*notes__slow/);
    now += 60_001;
    const again = await kit.resume(first.runId!);
    expect(again.result).toMatchObject({ success: false, error: { code: "APPROVAL_REQUIRED" } });
    expect([madeCalls(), madeCalls("notes__list"), madeCalls("notes__slow")]).toEqual([0, 1, 1]);
    await approve(again.runId!);
    expect((await kit.resume(again.runId!)).result).toEqual({ success: true, data: "sent to ann" });
  });

  it("T101: asks also where it has read them in errors", async () => {
    labels = {
      mail__fail: { ...NO_LABELS, isPrivate: true, isUntrusted: true },
      mail__send: labels["mail__send"]!,
    };
    const { runId, result } = await kit.execute(`try { await mcp.mail.fail({}) } catch {} ${SEND}`);
    expect(result).toMatchObject({ success: false, error: { code: "APPROVAL_REQUIRED" } });
    await approve(runId!);
    expect((await kit.resume(runId!)).result).toEqual({ success: true, data: "sent to ann" });
  });

  it("asks also where a capability inside of it read them", async () => {
    const { runId, result } = await kit.execute(`await mcp.look.all({}); ${SEND}`);
    expect(result).toMatchObject({ success: false, error: { code: "APPROVAL_REQUIRED" } });
    now += 60_001;
    const again = await kit.resume(runId!);
    expect(again.result).toMatchObject({ success: false, error: { code: "APPROVAL_REQUIRED" } });
    expect([madeCalls(), madeCalls("notes__list")]).toEqual([0, 1]);
  });
});

describe("one call as a run", () => {
  const call = (context: Partial<CallContext> = {}) =>
    kit.runs.execute({ kind: "call", source: "mail__send", inputs: { to: "ann" } }, contextOf(context));

  it("waits, is found by the same call again, and answers with the tool's whole answer", async () => {
    const { runId, result } = await call();
    expect(result).toMatchObject({ success: false, error: { code: "APPROVAL_REQUIRED" } });
    expect(await kit.runs.findCall("mail__send", { to: "ann" }, 10, contextOf())).toBe(runId);
    expect(await kit.runs.findCall("mail__send", { to: "eve" }, 10, contextOf())).toBeUndefined();
    await approve(runId!);
    const report = await kit.resume(runId!);
    expect(report).toMatchObject({ isCall: true, result: { success: true } });
    const { data } = report.result as { readonly success: true; data: unknown };
    expect(data).toEqual({ content: [{ type: "text", text: "sent to ann" }] });
    expect(await kit.runs.findCall("mail__send", { to: "ann" }, 10, contextOf())).toBeUndefined();
    expect(madeCalls()).toBe(1);
  });

  it("is told again as it ended", async () => {
    const { runId } = await call();
    await approve(runId!);
    const report = await kit.resume(runId!);
    expect((await kit.resume(report.runId!)).result).toEqual(report.result);
    expect(madeCalls()).toBe(1);
  });
});

it("keeps the question of a run whose process died before it could pause", async () => {
  const { runId } = await kit.execute(SEND);
  // As the process leaves it that is killed between the question and the end of the run.
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(join(home, "repertoire.db"));
  database
    .prepare(
      "update runs set status = 'running', lease_owner = 'x', lease_until = 9e15, error = null where id = ?",
    )
    .run(runId);
  database.close();
  orphanRuns(home);
  await approve(runId!);
  expect((await kit.resume(runId!)).result).toEqual({ success: true, data: "sent to ann" });
});

function contextOf(context: Partial<CallContext> = {}): CallContext {
  return { traceId: "test", signal: new AbortController().signal, ...context };
}

function viewOf(profile: string): NonNullable<CallContext["view"]> {
  return {
    profile,
    allows: () => true,
    allowsServer: () => true,
    nameOf: (tool) => tool,
    descriptionOf: () => undefined,
  };
}
