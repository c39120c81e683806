import { expect, it } from "vitest";
import { headlineOf } from "./headline.ts";
import type { WaitingItem } from "./waiting-items.ts";

const item = (kind: WaitingItem["kind"], subject: string, title: string, details?: unknown): WaitingItem => ({
  kind,
  subject,
  title,
  details,
  command: [],
});

it("says of an approval which tool, and what for", () => {
  const details = {
    name: "send",
    message: "May it?",
    details: { type: "mail__send", params: {} },
    intent: "Send it",
  };
  expect(headlineOf(item("approval", "r1", "t", details))).toEqual({ title: "mail__send", about: "Send it" });
});

it("says the question where nothing says what for", () => {
  const details = { name: "ask", message: "Go on?", details: null };
  expect(headlineOf(item("approval", "r1", "t", details))).toEqual({ title: "ask", about: "Go on?" });
});

it("says of a held thing whose it is, and why", () => {
  const details = { kind: "tool", name: "create", reasons: ["description changed", "new"] };
  expect(headlineOf(item("held", "calendar", "t", details))).toEqual({
    title: "calendar.create",
    about: "description changed; new",
  });
  expect(
    headlineOf(item("held", "calendar", "is held", { kind: "instructions", name: "", reasons: [] })),
  ).toEqual({
    title: "calendar: instructions",
    about: "is held",
  });
});

it("calls a run that can be resumed by what it was for, else by its id", () => {
  expect(headlineOf(item("resume", "r1", "t", { intent: "Send it" })).title).toBe("Send it");
  expect(headlineOf(item("resume", "r1", "t")).title).toBe("r1");
});
