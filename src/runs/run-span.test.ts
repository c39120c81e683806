import { beforeEach, expect, it, onTestFinished } from "vitest";
import { NO_TELEMETRY, type Telemetry } from "../telemetry/telemetry.ts";
import { temporaryFolder } from "../../test/fixtures/temporary.ts";
import { createTestRuns, type TestRuns } from "./runs.testkit.ts";

interface SeenSpan {
  readonly name: string;
  readonly parent: string | undefined;
  readonly own: string;
  readonly facts: Record<string, unknown>;
  isEnded: boolean;
}

const spans: SeenSpan[] = [];
const telemetry: Telemetry = {
  ...NO_TELEMETRY,
  isOn: true,
  startSpan(name, { attributes, parent }) {
    const own = `00-${"1".repeat(32)}-${String(spans.length + 1).padStart(16, "0")}-01`;
    const span: SeenSpan = {
      name,
      own,
      parent: parent?.traceparent,
      facts: { ...attributes },
      isEnded: false,
    };
    spans.push(span);
    return {
      context: { traceparent: own },
      set: (key, value) => (span.facts[key] = value),
      fail: (type) => (span.facts["error.type"] = type),
      end: () => (span.isEnded = true),
    };
  },
};

const ended: unknown[] = [];

async function open(): Promise<TestRuns> {
  const kit = await createTestRuns(temporaryFolder(), undefined, undefined, undefined, {
    telemetry,
    runEnded: (kind, status) => ended.push([kind, status]),
  });
  onTestFinished(() => kit.close());
  kit.addSource("git", { log: () => "ok" });
  return kit;
}

beforeEach(() => {
  spans.length = 0;
  ended.length = 0;
});

it("a run is a span, its steps are spans below, and the tool is told of its step", async () => {
  const kit = await open();
  const trace = { traceparent: `00-${"1".repeat(32)}-${"f".repeat(16)}-01` };
  const report = await kit.execute("return await mcp.git.log({ text: 'CANARY' })", {}, { trace });
  expect(report.result).toMatchObject({ success: true });
  const [run, step] = spans;
  expect(run).toMatchObject({
    name: "run code",
    parent: trace.traceparent,
    facts: {
      "repertoire.run.kind": "code",
      "repertoire.run.id": report.runId,
      "repertoire.run.status": "succeeded",
    },
    isEnded: true,
  });
  expect(step).toMatchObject({
    name: "step git__log",
    parent: run!.own,
    facts: { "repertoire.step.tool": "git__log" },
    isEnded: true,
  });
  expect(kit.calls.at(-1)!.context.trace).toEqual({ traceparent: step!.own });
  expect(JSON.stringify(spans)).not.toContain("CANARY");
  expect(ended).toEqual([["code", "succeeded"]]);
});

it("a run that failed says so by a code", async () => {
  const kit = await open();
  await kit.execute("throw new Error('CANARY')");
  expect(spans).toMatchObject([
    { facts: { "repertoire.run.status": "failed", "error.type": "TOOL_EXECUTION_FAILED" }, isEnded: true },
  ]);
  expect(ended).toEqual([["code", "failed"]]);
});
