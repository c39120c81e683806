import { expect, it } from "vitest";
import { answersToSend, NO_ANSWER } from "./uncertain-answers.ts";

it("sends one answer alone, and several as a list in the order of the calls", () => {
  expect(answersToSend([{ choice: "retry", text: "" }])).toEqual({ kind: "ready", uncertain: "retry" });
  expect(
    answersToSend([
      { choice: "skip", text: "" },
      { choice: "result", text: '{"id": 7}' },
    ]),
  ).toEqual({ kind: "ready", uncertain: ["skip", { result: { id: 7 } }] });
});

it("sends nothing before each call has an answer", () => {
  expect(answersToSend([{ choice: "skip", text: "" }, NO_ANSWER])).toEqual({ kind: "missing", at: 1 });
  expect(answersToSend([{ choice: "result", text: " " }])).toEqual({ kind: "missing", at: 0 });
});

it("sends no result that is not JSON", () => {
  expect(answersToSend([{ choice: "result", text: "{" }])).toMatchObject({ kind: "invalid", at: 0 });
});
