import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { canonicalJson, type Json, type JsonObject } from "../../core/json.ts";
import { RepertoireError } from "../../core/errors.ts";
import { fail } from "../../core/result.ts";
import { INLINE_RESULT_BYTES_MAX, type RunStore } from "../../core/store.ts";
import { createTestRuns, LIMITS, orphanRuns, type TestRuns } from "../runs.testkit.ts";

type Written = "openStep" | "closeStep" | "recordSteps" | "finish";

const folder = mkdtempSync(join(tmpdir(), "repertoire-test-"));
let kit: TestRuns;
let made: JsonObject[] = [];
let isDown = true;
/** Called around each write to the store, with how many of its kind there were. */
let onWrite: (name: Written, count: number, when: "before" | "after") => void = () => {};
let counts: Record<Written, number>;

beforeAll(async () => {
  kit = await createTestRuns(folder, () => LIMITS, undefined, undefined, { around });
  const remember = (args: Record<string, unknown>) => void made.push(args as JsonObject);
  const late = (args: Record<string, unknown>): unknown => {
    remember(args);
    return isDown ? fail("TOOL_TIMEOUT", "No answer came.", { mayHaveHappened: true }) : args;
  };
  kit.addSource(
    "bank",
    {
      charge(args) {
        remember(args);
        return isDown ? fail("TOOL_EXECUTION_FAILED", "The card is refused.") : args;
      },
      backup(args) {
        remember(args);
        return args;
      },
      late,
      lateLook: late,
      look(args) {
        remember(args);
        return args;
      },
      text: ({ bytes }) => (remember({ bytes }), "x".repeat((bytes as number) - 2)),
      deep: ({ depth }) => (remember({ depth }), { content: [], structuredContent: nested(depth as number) }),
    },
    {
      look: { annotations: { readOnlyHint: true } },
      lateLook: { annotations: { idempotentHint: true } },
    },
  );
});
afterAll(async () => {
  await kit.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  made = [];
  isDown = true;
  onWrite = () => {};
  counts = { openStep: 0, closeStep: 0, recordSteps: 0, finish: 0 };
});

function around(store: RunStore): RunStore {
  const watched =
    <A extends unknown[]>(name: Written, write: (...args: A) => Promise<boolean>) =>
    async (...args: A): Promise<boolean> => {
      const count = ++counts[name];
      onWrite(name, count, "before");
      const isWritten = await write(...args);
      onWrite(name, count, "after");
      return isWritten;
    };
  return {
    ...store,
    openStep: watched("openStep", (...args: Parameters<RunStore["openStep"]>) => store.openStep(...args)),
    closeStep: watched("closeStep", (...args: Parameters<RunStore["closeStep"]>) => store.closeStep(...args)),
    recordSteps: watched("recordSteps", (...args: Parameters<RunStore["recordSteps"]>) =>
      store.recordSteps(...args),
    ),
    finish: watched("finish", (...args: Parameters<RunStore["finish"]>) => store.finish(...args)),
  };
}

function nested(depth: number): JsonObject {
  let value: Json = 1;
  for (let i = 0; i < depth; i++) value = { in: value };
  return value as unknown as JsonObject;
}

const correct = (source: string) => ({ corrected: { kind: "code" as const, source } });
const who = () => made.map(({ by }) => by);

describe("a failure", () => {
  it("that the code went past is answered from the journal, because what followed rests on it", async () => {
    const code = `try { await mcp.bank.charge({ by: "card" }) } catch { await mcp.bank.backup({ by: "backup" }) } END`;
    const failed = await kit.execute(code.replace("END", "null.length"));
    isDown = false;
    const resumed = await kit.resume(failed.runId!, correct(code.replace("END", "return 1")));
    expect(resumed.result).toEqual({ success: true, data: 1 });
    expect(who()).toEqual(["card", "backup"]);
  });

  it("that ended the run is made again", async () => {
    const failed = await kit.execute(`return (await mcp.bank.charge({ by: "card" })).by`);
    isDown = false;
    expect((await kit.resume(failed.runId!)).result).toEqual({ success: true, data: "card" });
    expect(who()).toEqual(["card", "card"]);
  });

  it("after which the call may have taken effect is uncertain, and is not made again unasked", async () => {
    const failed = await kit.execute(`return (await mcp.bank.late({ by: "card" })).by`);
    expect(failed.checkpoint).toMatchObject({ uncertain: [{ name: "bank__late" }] });
    isDown = false;
    const refused = await kit.resume(failed.runId!);
    expect(refused.result).toMatchObject({ success: false, error: { reason: "uncertain_step" } });
    expect(who()).toEqual(["card"]);
    const resumed = await kit.resume(failed.runId!, { uncertain: { result: { by: "hand" } } });
    expect(resumed.result).toEqual({ success: true, data: "hand" });
    expect(who()).toEqual(["card"]);
  });

  it("of the same kind is made again where the tool says that this does no harm", async () => {
    const failed = await kit.execute(`return (await mcp.bank.lateLook({ by: "look" })).by`);
    isDown = false;
    expect((await kit.resume(failed.runId!)).result).toEqual({ success: true, data: "look" });
    expect(who()).toEqual(["look", "look"]);
  });

  it("tells the guest nothing of what only the journal needs", async () => {
    const report = await kit.execute(`try { await mcp.bank.late({}) } catch (e) { return Object.keys(e) }`);
    expect(report.result.success && report.result.data).not.toContain("mayHaveHappened");
  });
});

describe("an answer", () => {
  it.each([
    INLINE_RESULT_BYTES_MAX - 1,
    INLINE_RESULT_BYTES_MAX,
    INLINE_RESULT_BYTES_MAX + 1,
    3 * 1024 * 1024,
  ])("of %i bytes comes back whole", async (bytes) => {
    const code = `const text = await mcp.bank.text({ bytes: ${bytes} }); END; return text.length`;
    const failed = await kit.execute(code.replace("END", "null.length"));
    const resumed = await kit.resume(failed.runId!, correct(code.replace("END", "")));
    expect(resumed.result).toEqual({ success: true, data: bytes - 2 });
    expect(made).toHaveLength(1);
    const [step] = await kit.store.runs.steps(failed.runId!);
    expect(step!.resultBytes).toBe(bytes > INLINE_RESULT_BYTES_MAX ? bytes : null);
  });

  it.each([
    ["T119: larger than 4 MiB", "mcp.bank.text({ bytes: 4 * 1024 * 1024 + 1 })"],
    ["65 levels deep", "mcp.bank.deep({ depth: 65 })"],
  ])("that is %s cannot be kept: the call fails, and is not made again", async (_, call) => {
    const failed = await kit.execute(`return await ${call}`);
    expect(failed.result).toMatchObject({ success: false, error: { reason: "answer_limit" } });
    const resumed = await kit.resume(failed.runId!);
    expect(resumed.result).toMatchObject({ success: false, error: { reason: "answer_limit" } });
    expect(made).toHaveLength(1);
  });

  it("that is 64 levels deep can be kept", async () => {
    const report = await kit.execute("await mcp.bank.deep({ depth: 63 }); return 1");
    expect(report.result).toEqual({ success: true, data: 1 });
  });
});

describe("a run that another owner claims", () => {
  it("writes nothing more, makes no further call and says that it was taken over", async () => {
    onWrite = (name, count, when) => {
      if (name === "closeStep" && count === 2 && when === "before") orphanRuns(folder);
    };
    const report = await kit.execute(`for (const by of [1, 2, 3, 4]) await mcp.bank.backup({ by })`);
    expect(report.result).toMatchObject({ success: false, error: { reason: "taken_over" } });
    expect(who()).toEqual([1, 2]);
    const run = (await kit.store.runs.find(report.runId!))!;
    expect(run).toMatchObject({ status: "running", error: null });
    expect((await kit.store.runs.steps(run.id)).map(({ status }) => status)).toEqual(["succeeded", "sent"]);
  });

  it("does not make a call whose record came too late", async () => {
    onWrite = (name, count, when) => {
      if (name === "openStep" && count === 2 && when === "before") orphanRuns(folder);
    };
    await kit.execute(`for (const by of [1, 2, 3]) { try { await mcp.bank.backup({ by }) } catch {} }`);
    expect(who()).toEqual([1]);
  });
});

describe("T107 a store that fails", () => {
  const CODE = `
    const seen = [];
    for (const by of [1, 2]) seen.push((await mcp.bank.backup({ by })).by, (await mcp.bank.look({ by: -by })).by);
    return seen;`;
  const writes = { openStep: 2, closeStep: 2, recordSteps: 2, finish: 1 };
  const faults = Object.entries(writes).flatMap(([name, count]) =>
    Array.from({ length: count }, (_, i) => i + 1).flatMap((n) =>
      (["before", "after"] as const).map((when) => [name as Written, n, when] as const),
    ),
  );

  it.each(faults)(
    "at %s number %i, %s it is written, makes no call twice after the resume",
    async (name, n, when) => {
      let isThrown = false;
      onWrite = (written, count, at) => {
        if (written !== name || count !== n || at !== when) return;
        isThrown = true;
        throw new Error("The disk is gone.");
      };
      const report = await kit.execute(CODE).catch(() => undefined);
      onWrite = () => {};
      expect(isThrown).toBe(true);
      orphanRuns(folder);
      const [newest] = await kit.store.runs.list({ org: "local", project: "default" }, { limit: 1 });
      const runId = report?.runId ?? newest!.id;
      let resumed = await kit.resume(runId);
      if (!resumed.result.success && resumed.result.error.reason === "uncertain_step") {
        const by = resumed.checkpoint!.uncertain[0]!.args["by"]!;
        const isMade = made.some((args) => canonicalJson(args) === canonicalJson({ by }));
        resumed = await kit.resume(runId, { uncertain: isMade ? { result: { by } } : "retry" });
      }
      expect(resumed.result).toEqual({ success: true, data: [1, -1, 2, -2] });
      expect(who().filter((by) => (by as number) > 0)).toEqual([1, 2]);
    },
  );

  it("while one end is written ends the run: code that went on could do it again", async () => {
    onWrite = (name, count, when) => {
      if (name === "closeStep" && count === 1 && when === "before") throw new Error("The disk is gone.");
    };
    const report = await kit.execute(
      `try { await mcp.bank.backup({ by: 1 }) } catch {} return (await mcp.bank.backup({ by: 2 })).by`,
    );
    expect(report.result).toMatchObject({ success: false, error: { reason: "store_failed" } });
    expect(who()).toEqual([1]);
  });

  it("T108: for want of room stops the run, and it goes on when there is room again", async () => {
    onWrite = (name, count, when) => {
      if (name === "openStep" && count === 2 && when === "before") {
        throw new RepertoireError("STORE_FULL", "The disk is full.");
      }
    };
    const code = "await mcp.bank.backup({ by: 1 }); return (await mcp.bank.backup({ by: 2 })).by";
    const full = await kit.execute(code);
    expect(full.result).toMatchObject({
      success: false,
      error: {
        reason: "storage_full",
        retryable: true,
        message: "The run was stopped: There is no room on the disk of the gateway.",
      },
    });
    onWrite = () => {};
    expect((await kit.resume(full.runId!)).result).toEqual({ success: true, data: 2 });
    expect(who()).toEqual([1, 2]);
  });

  it("when the end is written lets the same process go on at once", async () => {
    onWrite = (name, _, when) => {
      if (name === "finish" && when === "before") throw new Error("The disk is gone.");
    };
    await kit.execute("return 1").catch(() => undefined);
    onWrite = () => {};
    const [newest] = await kit.store.runs.list({ org: "local", project: "default" }, { limit: 1 });
    const resumed = await kit.resume(newest!.id, {}, { signal: AbortSignal.timeout(500) });
    expect(resumed.result).toEqual({ success: true, data: 1 });
  });
});
