import { describe, expect, test } from "vitest";
import { createConsoleLog } from "./console-log.ts";
import { CONSOLE_BYTES_MAX, CONSOLE_LINES_MAX } from "./limits.ts";
import type { LogLine } from "../guest-contract.ts";

function frame(message: string, level = "info", length = message.length): string {
  return `L ${level} ${length} ${JSON.stringify(message)}`;
}

function bytesOf(logs: readonly LogLine[]): number {
  return logs.reduce((sum, { message }) => sum + Buffer.byteLength(message), 0);
}

describe("createConsoleLog", () => {
  test("keeps lines with their levels and tells each as it comes", () => {
    const told: LogLine[] = [];
    const log = createConsoleLog((line) => told.push(line));
    for (const level of ["debug", "info", "warn", "error"])
      expect(log.take(frame(`at ${level}`, level))).toBe(true);
    expect(log.taken().logs.map(({ level, message }) => `${level}: ${message}`)).toEqual([
      "debug: at debug",
      "info: at info",
      "warn: at warn",
      "error: at error",
    ]);
    expect(told).toEqual(log.taken().logs);
  });

  test("keeps spaces and line breaks of a message", () => {
    const log = createConsoleLog();
    log.take(frame("a  b\nc d"));
    expect(log.taken().logs[0]?.message).toBe("a  b\nc d");
  });

  test("marks a line that the guest's side cut with its full length", () => {
    const log = createConsoleLog();
    log.take(frame("abc", "info", 1000));
    expect(log.taken()).toEqual({
      logs: [{ level: "info", message: "abc", truncatedFrom: 1000 }],
      consoleDropped: { lines: 0, bytes: 997 },
    });
  });

  test("keeps exactly so many lines, and counts the rest", () => {
    const log = createConsoleLog();
    for (let i = 0; i < CONSOLE_LINES_MAX + 2; i++) log.take(frame("abc"));
    expect(log.taken().logs).toHaveLength(CONSOLE_LINES_MAX);
    expect(log.taken().consoleDropped).toEqual({ lines: 2, bytes: 6 });
  });

  test.each([
    ["just under", -1, {}],
    ["at", 0, {}],
    ["just over", 1, { truncatedFrom: CONSOLE_BYTES_MAX + 1 }],
  ])("a line %s the limit is whole or marked", (_, excess, mark) => {
    const log = createConsoleLog();
    log.take(frame("x".repeat(CONSOLE_BYTES_MAX + excess)));
    const [line] = log.taken().logs;
    expect(line?.message).toHaveLength(Math.min(CONSOLE_BYTES_MAX, CONSOLE_BYTES_MAX + excess));
    expect(line).toEqual({ level: "info", message: line?.message, ...mark });
    expect(log.taken().consoleDropped).toEqual({ lines: 0, bytes: Math.max(0, excess) });
  });

  test("cuts the line that crosses the limit and drops those after it", () => {
    const log = createConsoleLog();
    for (const message of ["x".repeat(CONSOLE_BYTES_MAX - 2), "abcd", "efg"]) log.take(frame(message));
    expect(log.taken().logs.slice(1)).toEqual([{ level: "info", message: "ab", truncatedFrom: 4 }]);
    expect(log.taken().consoleDropped).toEqual({ lines: 1, bytes: 5 });
  });

  test("counts bytes and not characters", () => {
    const log = createConsoleLog();
    for (let i = 0; i < 3; i++) log.take(frame("€".repeat(CONSOLE_BYTES_MAX / 2)));
    expect(bytesOf(log.taken().logs)).toBeLessThanOrEqual(CONSOLE_BYTES_MAX);
  });

  test.each([
    ["an unknown level", `L loud 3 "abc"`],
    ["a body that is no text", "L info 3 {}"],
    ["a body that is no JSON", "L info 3 abc"],
    ["no body", "L info 3"],
    ["a length that is no number", `L info many "abc"`],
  ])("refuses %s: only a broken runner sends it", (_, line) => {
    expect(createConsoleLog().take(line)).toBe(false);
  });
});
