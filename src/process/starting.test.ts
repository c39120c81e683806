import { expect, it } from "vitest";
import { lastLineOf, START_WAIT_MS, startPatienceMs, stillStarting } from "./starting.ts";
import type { CallContext } from "../core/tool.ts";

const context = (parts: Partial<CallContext> = {}): CallContext => ({
  traceId: "t",
  signal: new AbortController().signal,
  ...parts,
});

it("C1: a caller waits for a start no longer than its own limit", () => {
  const patience = { elapsedMs: 1_000, callTimeoutMs: 60_000 };
  expect(startPatienceMs(context(), patience)).toBe(START_WAIT_MS);
  expect(startPatienceMs(context(), { ...patience, callTimeoutMs: 5_000 })).toBe(5_000);
  expect(startPatienceMs(context(), { ...patience, startWaitMs: 900_000 })).toBe(900_000);
  expect(startPatienceMs(context({ startWaitMs: 1_500 }), { ...patience, startWaitMs: 900_000 })).toBe(1_500);
  expect(startPatienceMs(context({ deadlineAt: 900_000 }), patience)).toBe(60_000);
  // A little before the deadline, so that the run can still tell what it waited for.
  expect(startPatienceMs(context({ deadlineAt: 11_000 }), patience)).toBe(9_700);
  expect(startPatienceMs(context({ deadlineAt: 11_000, startWaitMs: 900_000 }), patience)).toBe(9_700);
  expect(startPatienceMs(context({ deadlineAt: 10 }), patience)).toBe(0);
});

it("C1: the last line is the last that says something, printable and short", () => {
  expect(lastLineOf([])).toBeUndefined();
  expect(lastLineOf(["added 3 packages", "", "  "])).toBe("added 3 packages");
  expect(lastLineOf(["10 %\r50 %\r\u001b[32m90 %\u001b[0m\r"])).toBe("90 %");
  expect(lastLineOf(["a\u202eb\u0007"])).toBe("a\\u{202e}b\\u{7}");
  expect(lastLineOf(["x".repeat(999)])).toHaveLength(200);
});

it("C1: a server that is starting is told with how long and its last line", () => {
  expect(stillStarting("a", { forMs: 12_345, said: "added 3 packages" }).error).toEqual({
    code: "TOOL_UNAVAILABLE",
    message: "The server a is still starting, for 12 s; its last line: added 3 packages.",
    retryable: true,
    reason: "starting",
    hint: "Ask again in a few seconds: it goes on starting, and nothing was sent to it yet.",
  });
});
