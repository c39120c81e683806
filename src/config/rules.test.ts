import { describe, expect, it, test } from "vitest";
import { createRuleSet } from "../trust/rule-set.ts";
import { describeConfig } from "./describe.ts";
import { loadConfig } from "./load.ts";
import { formatProblem } from "./problem.ts";
import { createTempProject, loadText, problemsOf, requireConfig } from "./temp-project.testkit.ts";
import { trust } from "./trust.ts";

/** Without the file and the line, which other tests are about. */
function toldOf(lines: readonly string[]): string[] {
  return lines.map((line) => line.replace(/^\S+ {2}/, ""));
}

function problemsOfRules(...rules: unknown[]): string[] {
  return toldOf(problemsOf({ rules }));
}

function warningsOf(content: unknown): string[] {
  const result = loadText(content);
  if (!result.ok) throw new Error(result.problems.map(formatProblem).join("\n"));
  return toldOf(result.warnings.map(formatProblem));
}

describe("what is wrong with rules", () => {
  it("is told all at once, with its place", () => {
    const rules = [
      { tool: "a__*", do: "allow" },
      { when: "args.x.includes('y')", limit: "lots", do: "ask" },
      { who: ["local", "tokn:ci"], tool: "execute", same: "5", do: "refuse" },
      { do: "deny" },
      { tool: "code", do: "ask" },
      { efect: "read", do: "allow" },
      "refuse everything",
    ];
    const told = problemsOfRules(...rules).map((line) => line.replace(/;.*/, ""));
    expect(told).toEqual([
      "rules[1].when: A call is not allowed here (column 1)",
      "rules[1].limit: cannot be read from its column 1 on",
      "rules[2].who[1]: is no caller",
      "rules[2].tool: a meta-tool is not subject to rules: what it starts is",
      "rules[2].same: cannot be read from its column 1 on",
      'rules[2].same: has no effect with "do": "refuse"',
      'rules[3].do: must be "allow", "ask" or "refuse"',
      "rules[4].tool: the node code is not subject to rules: it does nothing itself",
      "rules[5].efect: unknown key",
      "rules[6]: must be an object",
    ]);
  });

  test.each([
    ["tokn:ci", "is no caller; did you mean token:?; write local, token:NAME, "],
    ["ci", "is no caller; write local, token:NAME, "],
    ["locl", "is no caller; did you mean local?; write local, "],
    ["token", "is no caller; did you mean token:?; write local, "],
  ])("the caller %s is told what callers are", (who, message) => {
    expect(problemsOfRules({ who, do: "ask" })[0]).toContain(`rules[0].who: ${message}`);
  });

  test.each(["*", "local", "lo*", "*:ci", "token:*", "oauth:https://a.example#b", "profile:*", "script:ab*"])(
    "the caller %s is one",
    (who) => {
      expect(problemsOfRules({ who, do: "ask" })).toEqual([]);
    },
  );

  it("says nothing of an expression whose variable is not set, but the variable", () => {
    const told = problemsOfRules({ when: "args.x === ${MISSING_LIMIT}", do: "ask" });
    expect(told).toHaveLength(1);
    expect(told[0]).toContain("MISSING_LIMIT");
  });

  it("is too many rules", () => {
    const rules = Array.from({ length: 10_001 }, () => ({ do: "ask" }));
    expect(problemsOfRules(...rules)).toEqual(["rules: must have at most 10000 rules"]);
  });

  it("repeats no value", () => {
    const secret = "hunter2";
    for (const field of ["who", "when", "limit", "same"]) {
      const told = problemsOfRules({ [field]: `${secret} ${secret}`, do: "ask" });
      expect(told).toHaveLength(1);
      expect(told[0]).not.toContain(secret);
    }
  });
});

describe("what is odd about rules", () => {
  test.each([
    ["the same again", { tool: "a", do: "ask" }, { tool: "a", do: "refuse" }, true],
    ["the same in another order", { tool: ["a", "b"], do: "ask" }, { tool: ["b", "a"], do: "ask" }, true],
    ["less before more", { do: "ask" }, { tool: "a", when: "args.x", do: "refuse" }, true],
    [
      "less before more, of two fields",
      { effect: "read", do: "ask" },
      { who: "local", effect: "read", do: "ask" },
      true,
    ],
    ["a star before a name", { tool: "*", do: "ask" }, { tool: "a", do: "ask" }, true],
    ["a condition before", { tool: "a", when: "args.x", do: "ask" }, { tool: "a", do: "ask" }, false],
    ["one that is used up before", { tool: "a", once: true, do: "allow" }, { tool: "a", do: "ask" }, false],
    ["so many in all before", { tool: "a", limit: "5 in all", do: "allow" }, { tool: "a", do: "ask" }, false],
    ["a limit before", { tool: "a", limit: "5/min", do: "allow" }, { tool: "a", do: "ask" }, true],
    ["more before less", { tool: "a", do: "ask" }, { do: "ask" }, false],
    ["something else before", { tool: "a", do: "ask" }, { tool: "b", do: "ask" }, false],
  ])("a rule that never decides: %s", (_name, first, second, isCovered) => {
    const message =
      "rules[1]: never decides: an earlier rule matches the same calls, rules[0] of `repertoire rules`; remove one of the two, or put this one first";
    expect(warningsOf({ rules: [first, second] })).toEqual(isCovered ? [message] : []);
  });

  it("a profile that is not there", () => {
    const content = { profiles: { triage: {} }, rules: [{ who: ["local", "profile:triag"], do: "refuse" }] };
    expect(warningsOf(content)).toEqual([
      'rules[0].who[1]: there is no such profile here; did you mean "triage"?',
    ]);
    expect(warningsOf({ rules: [{ who: "profile:*", do: "ask" }] })).toEqual([]);
  });
});

it("rules of two files are one list that knows its files: those of the user come first", () => {
  const project = createTempProject();
  const own = project.write("user/.config/repertoire/repertoire.json", {
    rules: [{ tool: "a", do: "refuse" }],
  });
  const near = project.write("project/repertoire.json", {
    rules: [
      { tool: "a", do: "allow" },
      { tool: "b", when: "go(", do: "allow" },
    ],
  });
  const load = (content: unknown) => {
    project.write("project/repertoire.json", content);
    const { origin } = loadConfigOf(project).config;
    trust(project.home, near, origin.sha256!);
    return loadConfig(project.options);
  };
  const fine = load({ rules: [{ tool: "a", do: "allow" }] });
  if (!fine.ok) throw new Error("not ok");
  expect(fine.config.rules).toEqual([
    { tool: "a", do: "refuse" },
    { tool: "a", do: "allow" },
  ]);
  expect(fine.config.ruleFiles).toEqual([own, near]);
  expect(fine.warnings.map(({ path, message }) => `${path} ${message}`)).toEqual([
    "rules[0] never decides: an earlier rule matches the same calls, rules[0] of `repertoire rules`",
  ]);
  const broken = load({ rules: [{ tool: "b", when: "go(", do: "allow" }] });
  expect(broken).toMatchObject({ ok: false, problems: [{ path: "rules[0].when", line: 5 }] });
});

function loadConfigOf(project: ReturnType<typeof createTempProject>) {
  const loaded = loadConfig(project.options);
  if (!loaded.ok) throw new Error(loaded.problems.map(formatProblem).join("\n"));
  return loaded;
}

it("every config that loads makes a rule set", () => {
  const { rules, trust: level } = requireConfig({
    trust: "ask",
    rules: [
      {
        who: "token:*",
        tool: ["a__*"],
        effect: "read",
        when: "args.x > 1",
        do: "allow",
        limit: "5/min",
        why: "w",
      },
    ],
  });
  expect(createRuleSet(rules, level).rules.map(({ name }) => name)).toEqual([
    "rules[0]",
    'trust: "ask"',
    'trust: "ask"',
    "default",
  ]);
});

it("a secret in a rule is not shown", () => {
  const config = requireConfig(
    { rules: [{ when: 'args.key === "${API_KEY}"', do: "refuse" }] },
    { API_KEY: "sk-very-secret-0123456789" },
  );
  expect(config.rules[0]!.when).toContain("sk-very-secret");
  expect(JSON.stringify(describeConfig(config))).not.toContain("sk-very-secret");
});
