import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import type { JsonObject } from "../core/json.ts";
import { EFFECTS, RULE_ACTIONS, TRUST_LEVELS, type Effect, type WrittenRule } from "../core/rule.ts";
import { createRuleSet, limitTo, type RuleSet, type RuleSubject } from "./rule-set.ts";

interface Asked {
  readonly who?: readonly string[];
  readonly tool?: string;
  readonly effect?: Effect;
  readonly args?: JsonObject;
}

function subjectOf({
  who = ["local"],
  tool = "github__create",
  effect = "destroy",
  args = {},
}: Asked): RuleSubject {
  return { who, tool, effect, args };
}

function decide(rules: RuleSet, asked: Asked): string {
  const { name, do: action } = rules.decide(subjectOf(asked));
  return `${action} by ${name}`;
}

function of(...written: WrittenRule[]): RuleSet {
  return createRuleSet(written, "allow");
}

describe("the order", () => {
  it("is that of the config: the first rule that matches decides", () => {
    const rules = of({ tool: "github__create", do: "allow" }, { tool: "github__*", do: "refuse" });
    expect(decide(rules, {})).toBe("allow by rules[0]");
    expect(decide(rules, { tool: "github__delete" })).toBe("refuse by rules[1]");
    expect(decide(rules, { tool: "files__read" })).toBe("allow by default");
  });

  it("puts the careful set after the rules of the config, with trust ask alone", () => {
    const rules = createRuleSet([{ tool: "files__*", do: "allow" }], "ask");
    expect(decide(rules, { tool: "files__write" })).toBe("allow by rules[0]");
    expect(decide(rules, { effect: "read" })).toBe('allow by trust: "ask"');
    expect(decide(rules, { effect: "write" })).toBe('ask by trust: "ask"');
    expect(decide(rules, { effect: "destroy" })).toBe('ask by trust: "ask"');
    expect(decide(createRuleSet([], "scan"), {})).toBe("allow by default");
  });

  it("ends with a rule that allows everything", () => {
    const { rules } = of();
    expect(rules).toMatchObject([{ name: "default", do: "allow", namesTools: false, limits: { rates: [] } }]);
  });
});

describe("who", () => {
  test.each([
    ["token:ci", ["token:ci"], true],
    ["token:*", ["token:ci", "profile:triage"], true],
    ["profile:triage", ["token:ci", "profile:triage"], true],
    ["profile:triage", ["local"], false],
    ["local", ["token:local"], false],
    ["script:abc", ["local", "script:abc"], true],
    [["local", "oauth:https://id.example#*"], ["oauth:https://id.example#ada"], true],
    ["*", ["anybody"], true],
  ])("%s is about %s: %s", (who, callers, expected) => {
    expect(decide(of({ who, do: "refuse" }), { who: callers })).toBe(
      expected ? "refuse by rules[0]" : "allow by default",
    );
  });
});

describe("tool", () => {
  test.each([
    ["github__*", "github__create", true],
    ["github__*", "gitlab__create", false],
    [["files__read", "github__create"], "github__create", true],
    ["mail:send", "mcp__mail__send", true],
    ["mail:*", "mcp__mail__send", true],
    ["mcp__mail__*", "mcp__mail__send", true],
    ["mail:send", "mail__send", false],
    ["http", "http", true],
    ["repertoire://server/files/*", "repertoire://server/files/file:///etc/passwd", true],
    ["*", "anything", true],
  ])("%s is about %s: %s", (tool, name, expected) => {
    expect(decide(of({ tool, do: "refuse" }), { tool: name })).toBe(
      expected ? "refuse by rules[0]" : "allow by default",
    );
  });

  it("of * alone names no tool", () => {
    const named = of({ tool: "*", do: "ask" }, { tool: ["a", "*"], do: "ask" }, { tool: "a*", do: "ask" });
    expect(named.rules.map(({ namesTools }) => namesTools)).toEqual([false, false, true, false]);
  });
});

test.each([
  ["write", "write", true],
  ["write", "destroy", false],
  [["write", "destroy"], "destroy", true],
  [["read"], "destroy", false],
] as const)("effect %s is about %s: %s", (effect, actual, expected) => {
  expect(decide(of({ effect, do: "refuse" }), { effect: actual })).toBe(
    expected ? "refuse by rules[0]" : "allow by default",
  );
});

describe("when", () => {
  const rules = of({ tool: "pay", when: "args.amount > 100", do: "refuse" });

  it("is asked with the arguments of each call", () => {
    expect(decide(rules, { tool: "pay", args: { amount: 101 } })).toBe("refuse by rules[0]");
    expect(decide(rules, { tool: "pay", args: { amount: 100 } })).toBe("allow by default");
    expect(decide(rules, { tool: "pay", args: {} })).toBe("allow by default");
  });

  test.each([
    ["refuse", "refuse by rules[0]"],
    ["ask", "ask by rules[0]"],
    ["allow", "refuse by rules[1]"],
  ] as const)("that cannot be decided counts against the call: %s", (action, expected) => {
    const both = of({ when: "args.amount > 100", do: action }, { do: "refuse" });
    expect(decide(both, { args: { amount: [1_000] } })).toBe(expected);
  });
});

describe("a rule that counts so many times", () => {
  const rules = of({ tool: "a", do: "allow", once: true }, { tool: "a", do: "refuse" });

  it("is passed over when it is used up", () => {
    const [first] = rules.rules;
    expect(rules.decide(subjectOf({ tool: "a" })).name).toBe("rules[0]");
    expect(rules.decide(subjectOf({ tool: "a" }), (rule) => rule === first).name).toBe("rules[1]");
    expect(rules.explain(subjectOf({ tool: "a" }), (rule) => rule === first)).toMatchObject([
      { mismatch: "it is used up" },
      { rule: { name: "rules[1]" } },
    ]);
  });
});

describe("the id of a rule", () => {
  it("is that of its text, wherever it is and in whatever order its keys are", () => {
    const first = of({ tool: "a", do: "ask", why: "w" }, { tool: "b", do: "ask" }).rules;
    const second = of({ tool: "b", do: "ask" }, { why: "w", do: "ask", tool: "a" }).rules;
    expect(first[0]!.id).toBe(second[1]!.id);
    expect(first[1]!.id).toBe(second[0]!.id);
    expect(first[0]!.id).toMatch(/^[0-9a-f]{12}$/);
    expect(new Set(first.map(({ id }) => id)).size).toBe(3);
  });
});

it("refuses rules that cannot be read, which a config has not", () => {
  expect(() => of({ do: "ask" }, { when: "go()", do: "ask" })).toThrow(
    /^rules\[1\] cannot be read: when A call/,
  );
});

describe("explaining", () => {
  it("says of each rule before the one that decides what did not match", () => {
    const rules = of(
      { who: "token:ci", do: "refuse" },
      { tool: "files__*", do: "refuse" },
      { effect: "read", do: "refuse" },
      { when: "args.force", do: "refuse" },
      { when: "args.list > 1", do: "allow" },
      { when: "args.list > 1", do: "ask" },
      { do: "refuse" },
    );
    const told = rules.explain(subjectOf({ args: { list: [] } }));
    expect(told.map(({ rule, mismatch, note }) => [rule.name, mismatch ?? note])).toEqual([
      ["rules[0]", "who: it is not about local"],
      ["rules[1]", "tool: the name does not match"],
      ["rules[2]", "effect: the call is destroy, not read"],
      ["rules[3]", "when: it is false"],
      ["rules[4]", "when: it cannot be decided, so it allows nothing"],
      ["rules[5]", "when: it cannot be decided, so it counts against the call"],
    ]);
  });
});

describe("the limits of a token", () => {
  const rules = of({ tool: "github__delete", do: "refuse" });
  const limited = limitTo(rules, { name: "ci", effects: new Set(["read"]), tools: ["github__*", "mail:*"] });

  test.each([
    ["an effect that it may not have", { effect: "write" }, "refuse by token ci"],
    ["a tool that it may not call", { effect: "read", tool: "files__read" }, "refuse by token ci"],
    ["what it may do", { effect: "read" }, "allow by default"],
    ["a capability by its other name", { effect: "read", tool: "mcp__mail__list" }, "allow by default"],
    ["what the rules refuse", { effect: "read", tool: "github__delete" }, "refuse by rules[0]"],
  ] as const)("%s", (_name, asked, expected) => {
    expect(decide(limited, asked)).toBe(expected);
  });

  it("come first and say what the token may do", () => {
    expect(limited.rules.map(({ name, why }) => [name, why])).toEqual([
      ["token ci", "the token may only read"],
      ["token ci", "the token may only call github__*, mail:*"],
      ["rules[0]", undefined],
      ["default", undefined],
    ]);
    expect(limited.explain(subjectOf({ effect: "read" })).map(({ mismatch }) => mismatch)).toEqual([
      "the call is within what the token may do",
      "the call is within what the token may do",
      "tool: the name does not match",
      undefined,
    ]);
    expect(limited.explain(subjectOf({ effect: "write" }))).toMatchObject([{ rule: { name: "token ci" } }]);
  });

  it("of nothing at all allow nothing", () => {
    expect(decide(limitTo(of(), { name: "x", effects: new Set() }), {})).toBe("refuse by token x");
    expect(decide(limitTo(of(), { name: "x", tools: [] }), {})).toBe("refuse by token x");
    expect(decide(limitTo(of(), { name: "x" }), {})).toBe("allow by default");
  });
});

// ── what is remembered ──────────────────────────────────────────────────────────────────────────────────────────────

const oneOrMore = (texts: readonly string[]) =>
  fc.oneof(
    fc.constantFrom(...texts),
    fc.uniqueArray(fc.constantFrom(...texts), { minLength: 1, maxLength: 3 }),
  );

const writtenRule: fc.Arbitrary<WrittenRule> = fc.record(
  {
    who: oneOrMore(["local", "token:*", "token:ci", "profile:p", "script:*", "*"]),
    tool: oneOrMore(["a__x", "a__*", "*__x", "n:*", "mcp__n__c", "http", "*"]),
    effect: fc.oneof(fc.constantFrom(...EFFECTS), fc.subarray([...EFFECTS], { minLength: 1 })),
    when: fc.constantFrom("args.n > 1", "args.n === 1", "args.s == 'a'", "!args.b", "'k' in args.o"),
    do: fc.constantFrom(...RULE_ACTIONS),
    why: fc.constantFrom("w"),
  },
  { requiredKeys: ["do"] },
);

const anySubject: fc.Arbitrary<RuleSubject> = fc.record({
  who: fc.constantFrom(
    ["local"],
    ["token:ci"],
    ["token:x", "profile:p"],
    ["local", "script:1"],
    ["local", "profile:p"],
  ),
  tool: fc.constantFrom("a__x", "a__y", "b__x", "mcp__n__c", "http", "repertoire://server/a/u"),
  effect: fc.constantFrom(...EFFECTS),
  args: fc.record(
    {
      n: fc.constantFrom(0, 1, 2, "3", [2]),
      s: fc.constantFrom("a", "b", ["a"]),
      b: fc.boolean(),
      o: fc.constantFrom({}, { k: 1 }, ["k"], "k"),
    },
    { requiredKeys: [] },
  ),
});

it("decides the same whether or not such a call was seen before, and as it explains", () => {
  fc.assert(
    fc.property(
      fc.array(writtenRule, { maxLength: 12 }),
      fc.constantFrom(...TRUST_LEVELS),
      fc.array(anySubject, { minLength: 1, maxLength: 30 }),
      (written, trust, subjects) => {
        const warm = createRuleSet(written, trust);
        for (const subject of [...subjects, ...subjects]) {
          const decided = warm.decide(subject).name;
          expect(decided).toBe(createRuleSet(written, trust).decide(subject).name);
          expect(decided).toBe(warm.explain(subject).at(-1)!.rule.name);
        }
      },
    ),
    { numRuns: 300 },
  );
});

it("keeps calls apart whose names run together", () => {
  const rules = of({ who: "profile:p", do: "refuse" });
  expect(decide(rules, { who: ["a", "profile:p"], tool: "t" })).toBe("refuse by rules[0]");
  expect(decide(rules, { who: ["profile:p"], tool: "t\na" })).toBe("refuse by rules[0]");
  expect(decide(rules, { who: ["a\nprofile:p"], tool: "t" })).toBe("allow by default");
});

describe("a static tool", () => {
  it("is known by the name that the program gave it as well", () => {
    const names: Record<string, string> = { program__order: "order", program__cell__echo: "cell__echo" };
    const rules = createRuleSet(
      [{ tool: ["order", "cell__*"], do: "refuse" }],
      "allow",
      (tool) => names[tool],
    );
    expect(decide(rules, { tool: "program__order" })).toBe("refuse by rules[0]");
    expect(decide(rules, { tool: "program__cell__echo" })).toBe("refuse by rules[0]");
    expect(decide(rules, { tool: "shop__order" })).toBe("allow by default");
    expect(rules.explain(subjectOf({ tool: "program__order" }))).toMatchObject([
      { rule: { name: "rules[0]" } },
    ]);
  });
});
