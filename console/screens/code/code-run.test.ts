import { describe, expect, it } from "vitest";
import { ApiError } from "../../api/api-error.ts";
import { lastRun, problemsOfRun, sessionOf, startCodeRun, type Executed } from "./code-run.ts";

const EXECUTED: Executed = { success: true, run_id: "r_1", outputs: 1 };

describe("a run of the editor", () => {
  it("starts once, however often the key is pressed", async () => {
    const ids: string[] = [];
    const gate = Promise.withResolvers<Executed>();
    const start = (id: string) => {
      ids.push(id);
      return gate.promise;
    };
    const runs = [startCodeRun("return 1", start), startCodeRun("return 1", start)];
    expect(lastRun()).toMatchObject({ state: "under_way", code: "return 1" });
    gate.resolve(EXECUTED);
    await Promise.all(runs);
    expect(ids).toHaveLength(1);
    expect(sessionOf(lastRun()!)).toBe(`console:${ids[0]}`);
    expect(lastRun()).toMatchObject({ state: "ended", executed: EXECUTED });
  });

  it("marks the place where it failed, as long as the code is what ran", async () => {
    const error = {
      code: "TOOL_EXECUTION_FAILED" as const,
      message: "No.",
      retryable: false,
      place: { line: 2, column: 3, text: "x" },
    };
    await startCodeRun("a", () => Promise.reject(new ApiError(400, error)));
    expect(problemsOfRun(lastRun(), "a")).toEqual([
      { severity: "error", message: "No.", line: 2, column: 3, text: "x" },
    ]);
    expect(problemsOfRun(lastRun(), "b")).toEqual([]);
    expect(lastRun()!.isLost).toBe(false);
  });
});
