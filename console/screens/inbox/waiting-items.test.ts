import { expect, it } from "vitest";
import { groupItems, keyOfItem, neighbourOf, shownItem, type WaitingItem } from "./waiting-items.ts";

const item = (kind: WaitingItem["kind"], subject: string, more: Partial<WaitingItem> = {}): WaitingItem => ({
  kind,
  subject,
  title: subject,
  command: [],
  ...more,
});

const LOGIN = item("login", "linear");
const FIRST = item("approval", "run-1", { question: "q1" });
const SECOND = item("approval", "run-1", { question: "q2" });
const HELD = item("held", "github", {
  details: { kind: "tool", name: "create_issue", reasons: ["changed"] },
});
const INSTRUCTIONS = item("held", "github", { details: { kind: "instructions", name: "", reasons: [] } });
const ALL = [LOGIN, HELD, FIRST, INSTRUCTIONS, SECOND];

it("groups what waits by kind, approvals first, and keeps the order within a kind", () => {
  expect(groupItems(ALL).map(({ kind, items }) => [kind, items])).toEqual([
    ["approval", [FIRST, SECOND]],
    ["held", [HELD, INSTRUCTIONS]],
    ["login", [LOGIN]],
  ]);
});

it("shows only the chosen kinds", () => {
  expect(groupItems(ALL, ["login", "input"]).map(({ kind }) => kind)).toEqual(["login"]);
});

it("names each item differently", () => {
  expect(new Set(ALL.map(keyOfItem)).size).toBe(ALL.length);
  expect(keyOfItem(HELD)).toBe("held:github:tool:create_issue");
});

it("shows the chosen item, else the first where there is room", () => {
  expect(shownItem(ALL, keyOfItem(SECOND), false)).toBe(SECOND);
  expect(shownItem(ALL, "approval:gone", true)).toBe(LOGIN);
  expect(shownItem(ALL, "approval:gone", false)).toBeUndefined();
  expect(shownItem([], undefined, true)).toBeUndefined();
});

it("moves to the neighbour and stays at the ends", () => {
  expect(neighbourOf(ALL, keyOfItem(LOGIN), 1)).toBe(HELD);
  expect(neighbourOf(ALL, keyOfItem(LOGIN), -1)).toBe(LOGIN);
  expect(neighbourOf(ALL, keyOfItem(SECOND), 1)).toBe(SECOND);
  expect(neighbourOf(ALL, "gone", 1)).toBe(LOGIN);
});
