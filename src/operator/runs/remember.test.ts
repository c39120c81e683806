import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { ruleOf, type RememberOptions } from "./remember.ts";

const CALLER = { id: "r1", principal: "token:ci", source: null, kind: "call" } as const;

function remembered(params: JsonObject, options: RememberOptions = {}, asker: object = {}) {
  const question = { details: { type: "mail__send", params, rule: "rules[0]" }, expiresAt: 1 };
  return ruleOf(question, { ...CALLER, ...asker }, { remember: true, ...options });
}

describe("a yes that is remembered", () => {
  it("is a rule for this caller and tool, with the same values", () => {
    expect(remembered({ to: "ann", n: 1 }, { same: ["to", "n"] })).toEqual({
      success: true,
      data: {
        who: "token:ci",
        tool: "mail__send",
        when: 'args["to"] === "ann" && args["n"] === 1',
        do: "allow",
        why: "Approved once, and remembered.",
      },
    });
  });

  it("has no variable of the config in it, whatever the arguments are", () => {
    const params = { "${HOME}": "${HOME:-x} ${input:key} $${A}" };
    const rule = remembered(params, { same: ["${HOME}"] });
    expect(JSON.stringify(rule)).not.toContain("${");
    expect(rule).toMatchObject({
      data: {
        when: String.raw`args["\u0024{HOME}"] === "\u0024{HOME:-x} \u0024{input:key} $\u0024{A}"`,
      },
    });
  });

  it.each([
    ["a value that is too long for a condition", { to: "x".repeat(5_000) }, {}],
    ["a caller whose name is a pattern", { to: "ann" }, { principal: "oauth:https://a.example#*" }],
    ["a caller whose name is a variable", { to: "ann" }, { principal: "oauth:https://a.example#${HOME}" }],
  ])("is refused for %s, which would be another rule or none", (_what, params, asker) => {
    expect(remembered(params, { same: ["to"] }, asker)).toMatchObject({
      success: false,
      error: { code: "TOOL_INVALID_INPUT", field: "remember" },
    });
  });

  it("counts anew where it counts: an equal rule would be used up already", () => {
    const why = (id: string) => remembered({}, { times: 2 }, { id });
    expect(why("r1")).toMatchObject({ data: { limit: "2 in all", why: expect.stringContaining("r1") } });
    expect(why("r2")).not.toEqual(why("r1"));
  });
});
