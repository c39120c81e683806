import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { standingLines, type ShownCheckpoint, type Origin } from "./checkpoint.ts";
import { commandLine } from "../../command-line.ts";

const STOPPED: ShownCheckpoint = { run_id: "r1", completed_nodes: ["a"], failed_node: "b", resumable: true };

function linesOf(more: Partial<ShownCheckpoint>, origin: Origin = {}): string[] {
  return standingLines({ ...STOPPED, ...more }, origin, {}).map(stripVTControlCharacters);
}

describe("where a run stands", () => {
  it("what is done, what failed, and how to go on, also with a corrected file", () => {
    expect(linesOf({}, { file: "my flow.json" })).toEqual([
      "done     a",
      "failed   b",
      "continue with: repertoire resume r1",
      "corrected:     repertoire resume r1 --code 'my flow.json'",
    ]);
  });

  it("a run that cannot go on names no command", () => {
    expect(linesOf({ resumable: false, completed_nodes: [], failed_node: null })).toEqual([]);
  });

  it("many names are cut", () => {
    const [done] = linesOf({ completed_nodes: Array.from({ length: 23 }, (_, n) => `n${n}`) });
    expect(done).toMatch(/, n19 and 3 more$/);
  });

  it("a question is decided on, and what waits has not failed", () => {
    const waiting = { name: "gate", message: "Deploy?\u202e", details: { to: "prod" } };
    expect(linesOf({ waiting_for: waiting, failed_node: "gate" })).toEqual([
      "done     a",
      String.raw`waits    gate: Deploy?\u{202e} {"to":"prod"}`,
      "decide with: repertoire approve r1",
    ]);
  });

  it("a time is waited for", () => {
    const waiting = { name: "w", message: "", details: null, until: "2026-01-01T00:00:00.000Z" };
    expect(linesOf({ waiting_for: waiting, failed_node: null })).toEqual([
      "done     a",
      "waits    until 2026-01-01T00:00:00.000Z",
      "then continue with: repertoire resume r1",
    ]);
  });

  it("of several uncertain calls each is shown, and each can be answered", () => {
    const uncertain = [
      { name: "b", tool: "box__add", args: { text: "x" } },
      { name: "box__add#2", tool: "box__add", args: { text: "y" } },
    ];
    expect(linesOf({ uncertain }).slice(2)).toEqual([
      "sent, but no answer was recorded; check whether it took effect:",
      `  b: box__add {"text":"x"}`,
      `  box__add#2 {"text":"y"}`,
      "call again:               repertoire resume r1 --uncertain retry",
      "continue without it:      repertoire resume r1 --uncertain skip",
      `answer each separately:   repertoire resume r1 --uncertain '["retry","retry"]'`,
    ]);
  });
});

it("a command can be copied into a shell, with the config and the home", () => {
  expect(commandLine(["resume", "r1"], { config: "it's.json", home: "/h" })).toBe(
    String.raw`repertoire resume r1 --config 'it'\''s.json' --home /h`,
  );
});
