import { expect, it } from "vitest";
import { fieldsOf, filterRules, type Rule } from "./rule-fields.ts";

const RULES: readonly Rule[] = [
  {
    rule: "rules[0]",
    id: "a",
    do: "refuse",
    who: ["token:ci", "oauth:*"],
    tool: "github__*",
    why: "CI only reads",
  },
  {
    rule: "rules[1]",
    id: "b",
    do: "ask",
    effect: "destroy",
    when: "args.force === true",
    limit: "2/day",
    once: true,
  },
];

it("reads a rule in the order who, tool, effect, when, limit", () => {
  expect(fieldsOf(RULES[0]!)).toEqual([
    { name: "who", text: "token:ci, oauth:*" },
    { name: "tool", text: "github__*" },
  ]);
  expect(fieldsOf(RULES[1]!).map(({ name }) => name)).toEqual(["effect", "when", "limit", "once"]);
});

it("is filtered by words and by what it does", () => {
  expect(filterRules(RULES, { text: "ci reads" })).toEqual([RULES[0]]);
  expect(filterRules(RULES, { decision: "ask,allow" })).toEqual([RULES[1]]);
  expect(filterRules(RULES, {})).toHaveLength(2);
});
