/**
 * What tests of workflows share: how workflows are written, the tools that they call, and who answers their questions.
 */
import { expect } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { DEFAULT_SCOPE } from "../../core/names.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import type { CallContext } from "../../core/tool.ts";
import type { GivenAnswer, OpenQuestion } from "../resume/decide.ts";
import type { RunReport } from "../run.ts";
import type { TestRuns } from "../runs.testkit.ts";

/** A workflow of these nodes. */
export function flow(nodes: readonly object[], more: JsonObject = {}): JsonObject {
  return { ir_version: "1.0", nodes: nodes as readonly JsonObject[], ...more };
}

/** How many runs are on record, those below others too. */
export async function runCount(kit: TestRuns): Promise<number> {
  return (await kit.store.runs.list(DEFAULT_SCOPE, { limit: 1_000, children: true })).length;
}

/** Adds tools called notes. What a gate does when it is called is in `gates`, by the name that the node gives. */
export function addNotes(kit: TestRuns, gates: ReadonlyMap<string, () => unknown>): void {
  kit.addSource(
    "notes",
    {
      add: (args) => args,
      fail: ({ why = "the disk is full" }) => fail("TOOL_UNAVAILABLE", String(why)),
      gate: ({ name }) => gates.get(String(name))?.() ?? "through",
      strict: (args) => args,
      patient: (_, { signal }) =>
        new Promise((resolve) =>
          signal.addEventListener("abort", () => resolve(fail("CANCELLED", "cut short")), { once: true }),
        ),
    },
    {
      strict: {
        inputSchema: {
          type: "object",
          properties: { n: { type: "integer" } },
          required: ["n"],
          additionalProperties: false,
        },
      },
      patient: { annotations: { readOnlyHint: true } },
    },
  );
}

/** The answer of a client whose user says yes. */
export const ACCEPT = { action: "accept", content: { approve: true } };
/** Answers that come from outside. */
export const APPROVED = { isApproved: true };
export const DENIED = { isApproved: false };

/** A client whose user answers like this, and what the user was shown. */
export function clientThat(answer: JsonObject): { context: Partial<CallContext>; asked: JsonObject[] } {
  const asked: JsonObject[] = [];
  const client = {
    capabilities: { elicitation: {} },
    gone: new AbortController().signal,
    request: async (_method: string, params: JsonObject) => {
      asked.push(params);
      return succeed(answer);
    },
    notify: () => {},
  };
  return { context: { client }, asked };
}

/** The question that a run waits with. */
export async function questionOf(kit: TestRuns, runId: string): Promise<OpenQuestion> {
  const question = await kit.runs.question(runId);
  if (!question.success) throw new Error(question.error.message);
  return question.data;
}

export async function waitingOf(kit: TestRuns, runId: string): Promise<OpenQuestion["waiting"]> {
  return (await questionOf(kit, runId)).waiting;
}

/** Answers what the run asks now. */
export async function decideNow(
  kit: TestRuns,
  runId: string,
  answer: GivenAnswer,
): Promise<ToolResult<OpenQuestion>> {
  const question = await kit.runs.question(runId);
  return question.success ? kit.runs.decide(question.data, answer) : question;
}

/** The id of a run that waits for an approval, which this one must. */
export function expectPaused(report: RunReport): string {
  expect(report.result).toMatchObject({ success: false, error: { reason: "approval_required" } });
  return report.runId!;
}
