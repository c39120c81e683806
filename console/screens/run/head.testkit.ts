import type { RunHead } from "./run-view.ts";

/** A run of code that succeeded; what a test is about is named in it. */
export function aHead(changed: Partial<RunHead> = {}): RunHead {
  return {
    run_id: "r_1",
    uri: "repertoire://runs/r_1",
    kind: "code",
    status: "succeeded",
    intent: null,
    who: "local",
    client: null,
    started_at: "2026-01-01T00:00:00.000Z",
    finished_at: "2026-01-01T00:00:01.000Z",
    elapsed_ms: 1_000,
    step_count: 2,
    inputs: {},
    source: "export default async () => 1;",
    language: "typescript",
    started: [],
    attempts: [],
    logs: [],
    questions: [],
    call_count: 2,
    cost: { calls_ms: 10, bytes: 20 },
    version: "0.1.0",
    ...changed,
  };
}
