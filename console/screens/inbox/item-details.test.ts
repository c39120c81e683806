import { expect, it } from "vitest";
import { approvalOf, heldOf, uncertainCallsOf } from "./item-details.ts";

it("reads the question of a rule: the call, its arguments, the rule, who asks", () => {
  const details = {
    name: "desk.send",
    message: "May desk.send be called?",
    details: {
      type: "desk__send",
      params: { to: "a" },
      effect: "write",
      rule: "rules[0]",
      who: "token:ci",
      client: "claude",
    },
  };
  expect(approvalOf(details, "title")).toMatchObject({
    tool: "desk__send",
    args: { to: "a" },
    effect: "write",
    rule: "rules[0]",
    who: "token:ci",
    client: "claude",
  });
});

it("shows everything that a workflow's own question has", () => {
  const found = approvalOf({ name: "ask", message: "Go on?", details: [1, 2] }, "title");
  expect(found).toEqual({ name: "ask", message: "Go on?", args: [1, 2] });
});

it("reads details that are not there as nothing", () => {
  expect(approvalOf(undefined, "title")).toEqual({ name: "", message: "title", args: undefined });
  expect(heldOf(null)).toEqual({ kind: "tool", name: "", reasons: [] });
  expect(uncertainCallsOf({ calls: "none" })).toEqual([]);
});

it("reads uncertain calls in their order", () => {
  const calls = [
    { name: "pay", tool: "bank__pay", args: { amount: 1 }, step: 4 },
    { name: "b", tool: "b", args: {} },
  ];
  expect(uncertainCallsOf({ calls }).map(({ tool, step }) => [tool, step])).toEqual([
    ["bank__pay", 4],
    ["b", undefined],
  ]);
});
